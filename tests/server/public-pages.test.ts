import fs from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readImageSize } from "../../app/domain/point-systems/brand";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId } = SMALL_FIXTURE;
const REPORT = {
  "csp-report": {
    "document-uri": "https://points.example.com/set-up?token=secret#here",
    "blocked-uri": "https://evil.example/x.js?token=secret",
    "effective-directive": "script-src-elem",
    "script-sample": "secret",
  },
};

let server: ServerProcess;
let dataDir: string;
let cookie: string;
beforeAll(async () => {
  dataDir = await createDataDir();
  server = await startServerProcess({ dataDir });
  await seed(dataDir, SMALL_FIXTURE.file);
  const answer = await fetch(`${server.url}/sign-in`, {
    method: "POST",
    headers: { Origin: server.url },
    body: new URLSearchParams({ email: "ops@example.com", password: "a long passphrase" }),
    redirect: "manual",
  });
  cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: "manual" });

const policyOf = (answer: Response) =>
  (answer.headers.get("content-security-policy") ?? "").split("; ");

test("only the embed can be framed by anybody: no other page, with or without a session", async () => {
  for (const path of ["/l/alpha/embed", "/l/alpha/embed?theme=dark", "/l/nowhere/embed"]) {
    const answer = await get(path);
    expect(policyOf(answer), path).toContain("frame-ancestors *");
    expect(answer.headers.has("x-frame-options"), path).toBe(false);
  }
  for (const path of [
    "/",
    "/sign-in",
    "/l/alpha",
    "/l/alpha?next=/l/alpha/embed",
    "/l/nowhere",
    "/l/alpha/embed/more",
    "/dashboard",
    `/dashboard/${pointSystemId}`,
    "/l/alpha/embed.data",
  ]) {
    for (const headers of [{}, { cookie }]) {
      const answer = await get(path, headers as Record<string, string>);
      expect(policyOf(answer), path).toContain("frame-ancestors 'none'");
    }
  }
  expect((await get(`/dashboard/${pointSystemId}`, { cookie })).status).toBe(200);
});

test("Safe's web app may frame the claim page, nobody else may, and only that page", async () => {
  const ancestors = "frame-ancestors https://app.safe.global";
  for (const path of ["/claim/alpha", `/claim/${pointSystemId}`, "/claim/alpha?wallet=0x12"]) {
    for (const headers of [{}, { cookie }]) {
      const answer = await get(path, headers as Record<string, string>);
      expect(policyOf(answer), path).toContain(ancestors);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  }
  const rewardId = "22222222-2222-4222-8222-222222222222";
  for (const path of [
    "/claim/alpha/wallet",
    `/dashboard/${pointSystemId}/rewards/${rewardId}/chain`,
  ]) {
    expect(policyOf(await get(path, { cookie })), path).toContain("frame-ancestors 'none'");
  }
});

test("Safe's web app reads from its own origin what the claim page is", async () => {
  const answer = await get("/claim/alpha/manifest.json", { Origin: "https://app.safe.global" });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(await answer.json()).toMatchObject({
    name: "Alpha",
    description: "Check and claim your rewards of Alpha.",
    iconPath: `${server.url}/favicon.svg`,
  });
  expect((await get("/claim/nowhere/manifest.json")).status).toBe(404);
});

test("the public pages are the same for an operator: they read no session and set no cookie", async () => {
  for (const path of ["/l/alpha", "/l/alpha/embed"]) {
    const [stranger, operator] = [await get(path), await get(path, { cookie })];
    for (const answer of [stranger, operator]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(answer.headers.get("cache-control")).toBe("private, max-age=3");
      const body = await answer.text();
      for (const secret of [pointSystemId, "ops@example.com", "Ops"]) {
        expect(body).not.toContain(secret);
      }
    }
  }
  const missing = await get("/l/nowhere");
  expect([missing.status, missing.headers.get("cache-control")]).toEqual([404, "no-store"]);
});

describe("a search within a point system", () => {
  const path = `/dashboard/${pointSystemId}/search`;

  test("answers its member in JSON, in no cache", async () => {
    const answer = await get(`${path}?q=0x000`, { cookie });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toEqual({
      wallets: [{ address: SMALL_FIXTURE.wallet, points: 25 }],
      triggers: [],
    });
  });

  test("refuses what is no text, and strangers", async () => {
    for (const query of ["", "?q=", "?q=%20", "?q=a%00b", `?q=${"a".repeat(101)}`]) {
      expect((await get(path + query, { cookie })).status, query).toBe(400);
    }
    expect((await get(`${path}?q=0x000`)).headers.get("location")).toBe("/sign-in");
  });
});

describe("reports of what a policy refused", () => {
  const report = (body: string, contentType = "application/csp-report", method = "POST") =>
    fetch(`${server.url}/csp-report`, {
      method,
      headers: { "Content-Type": contentType },
      ...(method !== "GET" && { body }),
    });
  const violations = () => server.logLines().filter((line) => "violation" in line);

  test("every page says where they go", async () => {
    for (const path of ["/", "/l/alpha", "/l/alpha/embed"]) {
      expect(policyOf(await get(path))).toContain("report-uri /csp-report");
    }
  });

  test("are logged without queries and samples, in both forms", async () => {
    expect((await report(JSON.stringify(REPORT))).status).toBe(204);
    const listed = {
      type: "csp-violation",
      body: {
        documentURL: "https://points.example.com/dashboard?token=secret",
        blockedURL: "inline",
        effectiveDirective: "style-src-elem",
        sample: "secret",
      },
    };
    const list = JSON.stringify([listed, { type: "deprecation", body: { id: "secret" } }]);
    expect((await report(list, "application/reports+json")).status).toBe(204);
    await waitUntil(() => violations().length === 2, 5_000);
    expect(violations().map(({ violation }) => violation)).toEqual([
      { directive: "script-src-elem", blocked: "https://evil.example", page: "/set-up" },
      { directive: "style-src-elem", blocked: "inline", page: "/dashboard" },
    ]);
    expect(JSON.stringify(server.logLines())).not.toContain("secret");
  });

  test("are refused when they are none, too long, or not posted", async () => {
    const valid = JSON.stringify(REPORT);
    const logged = violations().length;
    expect((await report(valid, "text/plain")).status).toBe(415);
    for (const body of ["", "{", "null", "{}", '{"csp-report":{}}', '{"csp-report":null}']) {
      expect((await report(body)).status, body).toBe(400);
    }
    const long = { ...REPORT, padding: "x".repeat(16 * 1024) };
    expect((await report(JSON.stringify(long))).status).toBe(413);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await report(valid, "application/csp-report", method);
      expect([answer.status, answer.headers.get("allow")], method).toEqual([405, "POST"]);
    }
    expect(violations().length).toBe(logged);
  });

  test("write 60 lines of the log a minute and no more", async () => {
    const list = JSON.stringify(
      Array.from({ length: 50 }, () => ({
        type: "csp-violation",
        body: { documentURL: "https://points.example.com/" },
      })),
    );
    for (let i = 0; i < 10; i += 1) {
      expect((await report(list, "application/reports+json")).status).toBe(204);
    }
    const marked = await get("/set-up");
    await waitUntil(
      () =>
        server.logLines().some(({ requestId }) => requestId === marked.headers.get("x-request-id")),
      5_000,
    );
    expect(violations().length).toBe(60);
  });
});

test("no page lets a script or a style element stand in it without the nonce", async () => {
  for (const path of ["/", "/sign-in", "/l/alpha", "/l/alpha/embed", "/docs", "/claim/alpha"]) {
    const directives = new Map(
      policyOf(await get(path)).map((text) => {
        const [name = "", ...sources] = text.split(" ");
        return [name, sources] as const;
      }),
    );
    const unsafe = [...directives].filter(([, sources]) =>
      sources.some((source) => source.startsWith("'unsafe-")),
    );
    // Attributes only: elements fall under style-src.
    expect(
      unsafe.map(([name]) => name),
      path,
    ).toEqual(["style-src-attr"]);
    expect(directives.get("script-src")?.[0], path).toMatch(/^'nonce-/);
    expect(directives.get("style-src"), path).toContainEqual(expect.stringMatching(/^'nonce-/));
  }
});

describe("security.txt", () => {
  test("is not there unless a contact is set", async () => {
    expect((await get("/.well-known/security.txt")).status).toBe(404);
  });

  test("names the contact, its own address and an end within a year", async () => {
    const contact = "mailto:security@example.com";
    const APP_ORIGIN = "https://points.example.com";
    const own = await startServerProcess({
      dataDir,
      env: { SECURITY_CONTACT: contact, APP_ORIGIN },
    });
    try {
      const answer = await fetch(`${own.url}/.well-known/security.txt`);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.headers.get("strict-transport-security")).toMatch(/^max-age=31536000/);
      const fields = new Map(
        (await answer.text())
          .trim()
          .split("\n")
          .map((line) => line.split(": ", 2) as [string, string]),
      );
      expect(fields.get("Contact")).toBe(contact);
      expect(fields.get("Canonical")).toBe(`${APP_ORIGIN}/.well-known/security.txt`);
      const days = (Date.parse(fields.get("Expires") ?? "") - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(30);
      expect(days).toBeLessThan(365);
    } finally {
      await own.end("SIGTERM");
    }
  });
});

test("a public board has a picture for messengers, which its page names", async () => {
  const html = await (await get("/l/alpha")).text();
  const tag = /<meta property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? "";
  expect(new URL(tag).pathname).toBe("/l/alpha/share.png");
  expect(html).toContain(`<meta name="twitter:card" content="summary_large_image"`);
  expect(html).toMatch(/<meta property="og:image:alt" content="[^"]+ the first wallets/);

  const answer = await get("/l/alpha/share.png");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=600");
  expect(answer.headers.has("set-cookie")).toBe(false);
  const png = Buffer.from(await answer.arrayBuffer());
  expect(readImageSize(png, "image/png")).toEqual({ width: 1_200, height: 630 });

  const etag = answer.headers.get("etag") ?? "";
  expect((await get("/l/alpha/share.png", { "if-none-match": etag })).status).toBe(304);
  expect((await get("/l/nowhere/share.png")).status).toBe(404);
});
