import { once } from "node:events";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { API_ENDPOINTS } from "../../app/api/endpoints";
import { IMPORT_BYTES_MAX } from "../../app/domain/imports/import";
import { fillPath, listPagePaths } from "../support/route-paths";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";
import { listParameterNames } from "../support/source-texts";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const HOSTILE = [" ", '"', "\u2028", "(", "[", "0", "a-", "\u0301", ",", "&a=", "%"];
const CARDS = "44444444-4444-4444-8444-444444444444";
/** Beyond an idle server's, in milliseconds, where a plain file of the size costs no more. */
const DELAY_MS_MAX = 100;

let server: ServerProcess;
let cookie: string;

beforeAll(async () => {
  server = await startServerProcess({ dataDir: await createDataDir() });
  const { file } = SMALL_FIXTURE;
  const tiers = [{ label: "Gold", cards: [] }];
  const cards = { kind: "giftcard", id: CARDS, campaignName: "Cards", status: "active", tiers };
  await seed(server.dataDir, {
    ...file,
    pointSystems: file.pointSystems.map((system) => ({ ...system, rewards: [cards] })),
  });
  const { email, password } = file.operators[0];
  const answer = await fetch(`${server.url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.url },
    body: new URLSearchParams({ email, password }),
  });
  cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

/** Returns the least time of several calls, since the machine has other work. */
async function time(call: () => Promise<unknown>, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4 && least > enoughMs; round += 1) {
    const startedAt = performance.now();
    await call();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}

const paths = () => [
  ...listPagePaths().map((path) =>
    fillPath(path, {
      pointSystemId,
      triggerKey: "daily_login",
      address: wallet,
      importId: "33333333-3333-4333-8333-333333333333",
      webhookId: "55555555-5555-4555-8555-555555555555",
      seq: "7",
      board: "weekly",
      rewardId: "22222222-2222-4222-8222-222222222222",
      "gift-cards/rewardId": CARDS,
      slug: "alpha",
    }),
  ),
  ...Object.keys(API_ENDPOINTS).map((path) => `/${path}`),
];

test("the longest hostile query and headers cost no path of the URL map more than short ones", async () => {
  const names = listParameterNames();
  expect(names).toEqual(expect.arrayContaining(["page", "search", "before"]));
  // Node takes 16 KiB of request line and headers.
  const each = Math.floor(2_000 / names.length);
  for (const path of paths()) {
    if (/\/(live|stream|live-board)$|sign-out/.test(path)) continue; // streams never end
    const call = async (query: string, header: string) => {
      const controller = new AbortController();
      const answer = await fetch(`${server.url}${path}?${query}`, {
        headers: { cookie, authorization: `Bearer ${token}`, "content-type": header, accept: header,
          "idempotency-key": header, "x-forwarded-for": header, "user-agent": header }, // biome-ignore format: a table
        redirect: "manual",
        signal: controller.signal,
      });
      // A stream has no end.
      if (answer.headers.get("content-type")?.startsWith("text/event-stream")) controller.abort();
      else await answer.arrayBuffer();
      expect(answer.status, path).not.toBe(500);
    };
    const short = await time(() => call("", "a"), 50);
    for (const class_ of HOSTILE) {
      const text = encodeURIComponent(class_.repeat(each)).slice(0, 3 * each);
      const query = names.map((name) => `${name}=${text.replace(/%.?$/, "")}`).join("&");
      const header = (/^[\x20-\x7e]*$/.test(class_) ? class_ : "a ").repeat(500).trim() || "a";
      const maxMs = 1.5 * short + 150;
      const longMs = await time(() => call(query.slice(0, 8_000), header), maxMs);
      expect(longMs, `${path} ${class_}`).toBeLessThan(maxMs);
    }
  }
});

test("while the worst allowed files are read, /healthz answers about as fast as beside plain ones", async () => {
  const base = `${server.url}/dashboard/${pointSystemId}`;
  const upload = (path: string, field: string, name: string, text: string) => {
    const form = new FormData();
    form.set("intent", "");
    form.set("tier", "Gold");
    form.set(field === "file" ? "text" : "giftCodes", "");
    form.set(field, new File([text], name));
    return fetch(base + path, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, origin: server.url },
      body: form,
    });
  };
  const idle = await watchHealth(() => sleep(1_000));
  const places = [
    ["/imports", "file", "a.csv"],
    [`/gift-cards/${CARDS}/codes`, "giftCodesFile", "a.csv"],
    [`/gift-cards/${CARDS}/codes`, "giftCodesFile", "a.txt"],
  ] as const;
  /** The least delay of several uploads, since the machine has other work; no more of them than it needs. */
  const measure = async (
    unit: string,
    [path, field, name]: (typeof places)[number],
    max: number,
  ) => {
    const text = unit.repeat(IMPORT_BYTES_MAX / unit.length - 1);
    const read = async () => {
      const answer = await upload(path, field, name, text);
      await answer.arrayBuffer();
      expect([302, 400, 413]).toContain(answer.status);
    };
    let delayMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 8 && delayMs > max; round += 1) {
      delayMs = Math.min(delayMs, (await watchHealth(read)) - idle);
    }
    return delayMs;
  };
  for (const place of places) {
    const plain = await measure("no quotes\n", place, DELAY_MS_MAX);
    expect(plain, place[2]).toBeLessThan(5 * DELAY_MS_MAX);
    const max = Math.max(DELAY_MS_MAX, 2 * plain);
    for (const unit of ['""\n', "\n", '"', ",\n", "a,b\n", " \n", '"" ']) {
      const delayMs = await measure(unit, place, max);
      expect(delayMs, `${place[0]} ${place[2]} ${JSON.stringify(unit)}`).toBeLessThan(max);
    }
  }
}, 300_000);

test("a form of nothing but parts is refused at once", async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n\r\n';
  const send = async () => {
    const answer = await fetch(`${server.url}/dashboard/${pointSystemId}/imports`, {
      method: "POST",
      headers: { cookie, origin: server.url, "content-type": "multipart/form-data; boundary=b" },
      body: `${part.repeat(140_000)}--b--\r\n`,
    });
    await answer.arrayBuffer();
    expect(answer.status).toBe(400);
  };
  expect(await time(send, 1_000)).toBeLessThan(1_000);
});

/** Asks for a URL again and again until it is told to tell the slowest answer's time. */
const WATCHER = `
const { parentPort, workerData } = require("node:worker_threads");
let slowestMs = 0;
parentPort.once("message", () => parentPort.postMessage(slowestMs));
async function ask() {
  const startedAt = performance.now();
  await (await fetch(workerData)).arrayBuffer();
  return performance.now() - startedAt;
}
(async () => {
  await ask();
  parentPort.postMessage("ready");
  for (;;) {
    slowestMs = Math.max(slowestMs, await ask());
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
})();
`;

/**
 * Asks /healthz again and again while something runs. A thread of its own does: this one is busy with
 * what it sends. Returns the slowest answer's time.
 */
async function watchHealth(work: () => Promise<unknown>): Promise<number> {
  const watcher = new Worker(WATCHER, { eval: true, workerData: `${server.url}/healthz` });
  try {
    await once(watcher, "message");
    await work();
    watcher.postMessage("over");
    const [slowestMs] = await once(watcher, "message");
    return slowestMs;
  } finally {
    await watcher.terminate();
  }
}
