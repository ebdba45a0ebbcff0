import fs from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dumpDatabase } from "../support/dump";
import { createCodes } from "../support/gift-cards";
import {
  createDataDir,
  type ServerProcess,
  seed,
  startServerProcess,
} from "../support/server-process";

// Gift card codes are entered, and must appear nowhere: not in the database, a log, a page or a
// form's answer.

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const WALLET = "0x00000000000000000000000000000000000000aa";
const BASE = `/dashboard/${HARBOUR}`;
const KEY_WARNING =
  /lies in DATA_DIR, so a backup of DATA_DIR holds both the secrets and their key/;

let server: ServerProcess;
let dataDir: string;
let cookie: string;
beforeAll(async () => {
  dataDir = await createDataDir();
  server = await startServerProcess({ dataDir, env: { LOG_LEVEL: "trace" } });
  await seed(dataDir, {
    operators: [ADA],
    pointSystems: [
      {
        operator: ADA.email,
        id: HARBOUR,
        name: "Harbour",
        slug: null,
        triggers: [{ name: "Daily", key: "daily_login", points: 10, active: true }],
        events: [{ address: WALLET, points: 10, event: "daily_login" }],
      },
    ],
  });
  const { email, password } = ADA;
  const answer = await send("/sign-in", new URLSearchParams({ email, password }));
  cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

/** Every answer of the service, with its body and headers. */
const answers: string[] = [];

async function send(path: string, body?: URLSearchParams | FormData): Promise<Response> {
  const answer = await fetch(server.url + path, {
    ...(body && { method: "POST", body }),
    headers: { ...(cookie && { cookie }), ...(body && { origin: server.url }) },
    redirect: "manual",
  });
  const notices = answer.headers
    .getSetCookie()
    .filter((text) => text.startsWith("notice="))
    .map((text) => decodeURIComponent(text.slice("notice=".length).split(";")[0] ?? ""));
  answers.push(
    await answer.clone().text(),
    JSON.stringify([...answer.headers]),
    ...notices.map((text) => Buffer.from(text, "base64").toString()),
  );
  return answer;
}

function toUpload(fields: {
  tier?: string;
  pasted?: string;
  file?: string | Uint8Array<ArrayBuffer>;
  name?: string;
}) {
  const { tier = "Gold", pasted = "", file = "", name = "" } = fields;
  const body = new FormData();
  body.set("tier", tier);
  body.set("giftCodes", pasted);
  body.set("giftCodesFile", new Blob([file as string]), name);
  return body;
}

test("planted codes are in no row, no line of the log, no page and no answer to a form", async () => {
  const created = await send(
    `${BASE}/gift-cards/new`,
    new URLSearchParams([
      ["name", "Thanks"],
      ["labels", "Gold"],
      ["thresholds", "5"],
    ]),
  );
  const reward = created.headers.get("location") ?? "";
  expect(reward).toMatch(/\/gift-cards\/[0-9a-f-]{36}$/);
  const codes = createCodes(60, "PLANTED");
  const take = (count: number) => codes.splice(0, count).join("\n");
  const planted = [...codes];
  const upload = `${reward}/codes`;

  // Accepted uploads, some in part and some as a whole.
  const first = take(10);
  const goods = [
    toUpload({ pasted: first }),
    toUpload({ pasted: `${first}\n${take(2)}\n${take(1)}\u0007\n` }),
    toUpload({ file: `code\n${take(5)}\n`, name: `${codes[0]}.csv` }),
    toUpload({ file: `${codes[1]},${codes[2]}\n${take(3)}`, name: "two.csv" }),
  ];
  for (const body of goods) expect((await send(upload, body)).status).toBe(302);

  // Refused uploads, each for a different reason.
  const many = "PLANTED-many\n";
  planted.push("PLANTED-many");
  const bads: [number, URLSearchParams | FormData][] = [
    [400, toUpload({ pasted: take(2), file: take(2), name: "a.txt" })],
    [400, toUpload({ tier: "", pasted: take(2) })],
    [404, toUpload({ tier: "Silver", pasted: take(2) })],
    [400, toUpload({ file: new Uint8Array(Buffer.from(take(2), "utf16le")), name: "wide.txt" })],
    [400, toUpload({ pasted: many.repeat(50_001) })],
    [400, toUpload({ file: `${take(1)}\0`, name: "zero.txt" })],
    [413, toUpload({ file: many.repeat(900_000), name: "huge.txt" })],
    [400, new URLSearchParams({ tier: "Gold", giftCodes: take(2) })],
  ];
  for (const [status, body] of bads) expect((await send(upload, body)).status).toBe(status);
  const [, terms = ""] =
    /name="terms" value="([0-9a-f]+)"/.exec(await (await send(reward)).text()) ?? [];
  const elsewhere = new URLSearchParams({ intent: "publish", terms, giftCodes: take(1) });
  expect((await send(reward, elsewhere)).status).toBe(302);
  const unknown = new URLSearchParams({ intent: "nothing", giftCodes: take(1) });
  expect((await send(reward, unknown)).status).toBe(400);

  const give = new URLSearchParams({ intent: "distribute", rule: "everyone" });
  expect((await send(reward, give)).status).toBe(302);
  for (const path of [
    reward,
    ...["preview", "recipients", "reveals"].map((view) => `${reward}?view=${view}`),
    upload,
    `${BASE}/rewards`,
    `${BASE}/audit-log`,
    `${BASE}/wallets/${WALLET}`,
    BASE,
  ]) {
    expect((await send(path)).status, path).toBe(200);
    await send(`${path.replace("?", ".data?")}${path.includes("?") ? "" : ".data"}`);
  }
  expect(answers.join("")).toContain("refused: line");
  const dump = await dumpDatabase(dataDir);
  expect(dump).toContain("gift_codes.add");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const log = JSON.stringify(server.logLines()) + server.output();
  // The key was made with the first code.
  expect(server.logLines().filter(({ msg }) => KEY_WARNING.test(String(msg)))).toHaveLength(1);
  expect(log).toContain("gift-cards");

  const where = { dump, log, answers: answers.join("\n") };
  for (const [name, text] of Object.entries(where)) {
    expect(text, name).not.toContain("PLANTED");
    expect(text, name).not.toContain(Buffer.from("PLANTED").toString("hex"));
    for (const code of planted) {
      const end = code.slice(-12);
      expect(text.includes(end) && end !== "PLANTED-many", name).toBe(false);
    }
  }
}, 60_000);

test("each start says that a backup of DATA_DIR holds both the codes and their key, until the key is moved", async () => {
  await server.end("SIGTERM");
  const countWarnings = async (env: Record<string, string>) => {
    const again = await startServerProcess({ dataDir, env });
    await again.end("SIGTERM");
    return again.logLines().filter(({ msg }) => KEY_WARNING.test(String(msg))).length;
  };
  expect(await countWarnings({})).toBe(1);
  const file = path.join(dataDir, "gift-card-keys");
  const keys = (await fs.readFile(file, "utf8")).trim();
  await fs.rm(file);
  expect(await countWarnings({ GIFT_CARD_KEYS: keys })).toBe(0);
});
