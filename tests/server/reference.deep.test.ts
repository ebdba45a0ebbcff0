import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillExamples, GUIDES } from "../../app/api/document/guides";
import { createEndpointPage } from "../../app/api/document/pages";
import {
  API_ENDPOINTS,
  CLIENT_ENDPOINTS,
  type ClientPath,
  type EndpointPath,
} from "../../app/api/endpoints";
import { API_ERROR_CODES } from "../../app/domain/reference/error-help";
import { EXAMPLE } from "../../app/domain/reference/example";
import { parseMarkdown } from "../../app/domain/reference/markdown";
import { LANGUAGES, type Language } from "../../app/domain/reference/samples";
import { startHttpFake } from "../support/fakes/http-fake";
import { createReward, createShare } from "../support/rewards";
import { createSampleFolder, findUndocumented, hasPython, runSample } from "../support/samples";
import { createAddress } from "../support/scene";
import { inDatabase } from "../support/seeded-server";
import {
  createDataDir,
  type ServerProcess,
  seed,
  startServerProcess,
} from "../support/server-process";

const TOKEN = `rw_${"0123456789abcdef".repeat(2)}`;
const OPERATOR = { name: "Ada", email: "ada@example.com", password: "a long passphrase" };
const KEY_NAME = "Backend <b>&\n'key";
const PATHS = Object.keys(API_ENDPOINTS) as EndpointPath[];

let server: ServerProcess;
let engine: Awaited<ReturnType<typeof startHttpFake>>;
let folder: string;
beforeAll(async () => {
  folder = await createSampleFolder();
  // Scores come from public chains, which tests do not call: another engine answers the example.
  engine = await startHttpFake((_request, _body, response) => {
    const page = createEndpointPage("score", EXAMPLE);
    response.end(page.example);
  });
  const dataDir = await createDataDir();
  const env = { SCORE_SERVICE_URL: `${engine.url}/score` };
  server = await startServerProcess({ dataDir, env });
  const airdrop = {
    onchainId: EXAMPLE.onchainId,
    contractAddress: createAddress(),
    status: "active",
  };
  const shares = [createShare({ address: EXAMPLE.wallet }), createShare()];
  await seed(dataDir, {
    operators: [OPERATOR],
    pointSystems: [
      {
        operator: OPERATOR.email,
        id: EXAMPLE.pointSystemId,
        name: "Harbor <i>Wallet",
        slug: "harbor",
        triggers: [{ name: "Daily login", key: EXAMPLE.triggerKey, points: 10, active: true }],
        events: [{ address: EXAMPLE.wallet, points: 1280, event: null }],
        rewards: [createReward({ airdrop, distributions: shares })],
      },
    ],
    apiKeys: [
      {
        operator: OPERATOR.email,
        name: "backend",
        key: TOKEN,
        permission: "all",
        pointSystems: ["harbor"],
      },
    ],
  });
  await inDatabase(dataDir, async (sql) => {
    await sql`update api_keys set name = ${KEY_NAME}`;
    // The spend that the samples reverse.
    const { spendId } = JSON.parse(createEndpointPage("spend", EXAMPLE).example);
    await sql`
      select record_spend(
        ${EXAMPLE.pointSystemId}, ${spendId}, ${Buffer.from(EXAMPLE.wallet.slice(2), "hex")}, 250, 'Mug', null, null,
        null, null, null
      )`;
  });
});
afterAll(async () => {
  await server.end("SIGTERM");
  await engine.stop();
  await fs.rm(server.dataDir, { recursive: true, force: true });
  await fs.rm(folder, { recursive: true, force: true });
});

const get = (at: string, headers: Record<string, string> = {}) =>
  fetch(server.url + at, { headers, redirect: "manual" });

/** Undoes what HTML escapes. */
const readHtml = (html: string) =>
  html
    .replace(/<script[\s\S]*?<\/script>/g, "")
    .replace(/<!--.*?-->|<[^>]+>/g, "")
    .replace(/&#x27;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");

async function signIn(): Promise<string> {
  const { email, password } = OPERATOR;
  const answer = await fetch(`${server.url}/sign-in`, {
    method: "POST",
    headers: { Origin: server.url },
    body: new URLSearchParams({ email, password }),
    redirect: "manual",
  });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

test("/openapi.json is docs/openapi.json, for pages of any origin, and a cache asks whether it changed", async () => {
  const answer = await get("/openapi.json");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
  expect(await answer.text()).toBe(readFileSync("docs/openapi.json", "utf8"));
  const again = await get("/openapi.json", { "If-None-Match": answer.headers.get("etag") ?? "" });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await get("/openapi.json", { "If-None-Match": '"other"' })).status).toBe(200);
});

test("every link of the reference leads to a page, and every endpoint, guide and error has one", async () => {
  const seen = new Set<string>();
  const open = ["/docs"];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const answer = await get(at);
    expect(answer.status, at).toBe(200);
    expect(answer.headers.getSetCookie(), at).toEqual([]);
    const html = await answer.text();
    for (const [, href = ""] of html.matchAll(/href="(\/(?:docs|openapi|llms)[^"#]*)/g)) {
      open.push(href);
    }
  }
  for (const at of PATHS) expect(seen).toContain(`/docs/endpoints/${at.replaceAll("/", "-")}`);
  for (const code of API_ERROR_CODES) expect(seen).toContain(`/docs/errors/${code}`);
  for (const { slug } of GUIDES) expect(seen).toContain(`/docs/${slug}`);
  for (const at of ["/docs.md", "/llms.txt", "/llms-full.txt"]) expect(seen).toContain(at);
});

test("the campaign contract's ABI is a file, for pages of any origin", async () => {
  const answer = await get("/docs/contract-abi.json");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(await answer.json()).toContainEqual(
    expect.objectContaining({ type: "function", name: "claimFor" }),
  );
});

test("what has no page answers 404", async () => {
  for (const at of [
    "/docs/x",
    "/docs/endpoints/x",
    "/docs/errors/x",
    "/docs/errors/role_missing",
  ]) {
    expect((await get(at)).status, at).toBe(404);
  }
});

test("an error leads to its page by its Link header, with its cause and its remedy", async () => {
  const answer = await get("/wallet");
  const [, reference = ""] = /^<([^>]+)>; rel="help"$/.exec(answer.headers.get("link") ?? "") ?? [];
  expect(reference).toBe("/docs/errors/missing_api_key");
  const text = readHtml(await (await fetch(new URL(reference, answer.url))).text());
  expect(text).toContain("The call has no Authorization header.");
  expect(text).toContain("Send Authorization: Bearer rw_…");
});

test("an endpoint's page has its parameters, its answer, its errors and its samples without a script", async () => {
  for (const at of PATHS) {
    const values = { ...EXAMPLE, origin: server.url };
    const page = createEndpointPage(at, values);
    const text = readHtml(await (await get(`/docs/endpoints/${page.slug}`)).text());
    for (const { name } of [...page.inputs, ...page.headers, ...page.answer.fields]) {
      expect(text).toContain(name);
    }
    for (const { code, message, hasItem, cause, remedy } of page.errors) {
      for (const part of hasItem ? [code] : [code, message, cause, remedy]) {
        expect(text).toContain(part);
      }
    }
    for (const { text: sample } of page.samples) expect(text).toContain(sample);
    expect(text).toContain(page.example);
  }
});

test("a signed-in reader finds their own ids and key name in the samples, and no key", async () => {
  const cookie = await signIn();
  const html = await (await get("/docs/endpoints/wallet", { cookie })).text();
  const text = readHtml(html);
  expect(text).toContain(EXAMPLE.pointSystemId);
  expect(text).toContain("holds the key “Backend <b>& 'key”");
  expect(text).toContain("With the ids of Harbor <i>Wallet");
  expect(html).not.toContain("<b>&");
  expect(html).not.toContain(TOKEN.slice(0, 12));
  const strange = readHtml(await (await get("/docs/endpoints/wallet")).text());
  expect(strange).not.toContain("holds the key");
});

const run = (language: Language, text: string) =>
  runSample(language, text, { folder, token: TOKEN });

// The samples of the management API change what they name: manage-samples.deep.test.ts runs them.
describe.each(Object.keys(CLIENT_ENDPOINTS) as ClientPath[])("the samples of /%s", (at) => {
  test.each(LANGUAGES)("in %s print an answer that is documented", async (language) => {
    if (language === "Python" && !hasPython) return;
    const values = { ...EXAMPLE, origin: server.url, keyName: "it's “mine”" };
    const { samples } = createEndpointPage(at, values);
    const sample = samples.find((each) => each.language === language);
    // `replayed` is the SDK's, of a header.
    const { replayed, ...output } = JSON.parse(await run(language, sample?.text ?? ""));
    const isRepeated = (at === "trigger" || at === "spend") && language === "TypeScript";
    expect(replayed).toBe(isRepeated ? true : undefined);
    expect(findUndocumented(at, output)).toBeNull();
  });
});

describe.each(GUIDES)("the guide $title", ({ markdown }) => {
  const blocks = parseMarkdown(markdown).flatMap((block) => (block.kind === "code" ? [block] : []));

  test("has programs that succeed, and JSON that is well-formed", async () => {
    for (const { language, text } of blocks) {
      const program = fillExamples(text, { ...EXAMPLE, origin: server.url });
      if (language === "json") JSON.parse(program);
      else if (language === "sh")
        expect(JSON.parse(await run("curl", program))).not.toHaveProperty("code");
      else if (language === "ts") {
        const output = await run("TypeScript", program);
        expect(output).toMatch(/success: true|root: '0x[0-9a-f]{64}'/);
      } else expect(language).toBe("text");
    }
  });
});

test("the root that the guide computes from a proof is the stored one", async () => {
  const { markdown = "" } = GUIDES.find(({ slug }) => slug === "claims") ?? {};
  const program = parseMarkdown(markdown).find(
    (block) => block.kind === "code" && block.language === "ts",
  );
  const text = program?.kind === "code" ? program.text : "";
  const output = await run("TypeScript", fillExamples(text, { ...EXAMPLE, origin: server.url }));
  await inDatabase(server.dataDir, async (sql) => {
    const rows = await sql`select '0x' || encode(root, 'hex') as root from merkle_buckets`;
    expect(rows.map(({ root }) => root)).toContain(/0x[0-9a-f]{64}/.exec(output)?.[0]);
  });
});
