import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { SETTINGS } from "../../app/env";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { dumpDatabase } from "../support/dump";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

// Every setting that holds a secret holds a marked one. Failures are provoked wherever the service
// uses it, and no log line, answer or page has a mark.

const MARK = "5ec5ec5ec0de";
/** The settings that hold no secret: places, numbers, switches, and what everybody sees. */
const OPEN_SETTINGS = new Set(
  `HOST PORT APP_ORIGIN SECURITY_CONTACT OPEN_SIGNUP DATABASE DATABASE_TLS DATA_DIR DATABASE_CONNECTIONS_MAX
  DATABASE_REPLICA_LAG_SECONDS IDEMPOTENCY_DAYS REQUEST_LOG PUBLIC_RPC_URL_8453 PAYMASTER_URL_8453 CAMPAIGN_CONTRACT_8453
  WALLETCONNECT_PROJECT_ID SAFE_APP_ORIGIN TRUSTED_PROXIES WORKER METRICS_PORT METRICS_HOST WEB_CONCURRENCY
  DRAIN_SECONDS LOG_LEVEL WEBHOOK_ALLOW_PRIVATE`.split(/\s+/),
);
/** The settings of the second server: an external database, and an engine in the place of the score. */
const SETTINGS_ELSEWHERE = ["DATABASE_URL", "DATABASE_REPLICA_URLS", "SCORE_SERVICE_URL"];
const MANAGE_TOKEN = `rw_${MARK}00000000000000000001`;
const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const KEYS = `k1:${randomBytes(32).toString("hex")}`;
const REWARD = "44444444-4444-4444-8444-444444444444";

/** An endpoint that fails in every way, and repeats the address that was called. */
let endpoint: Server;
let calls = 0;
let server: ServerProcess;
let marked: Record<string, string>;
const answers: string[] = [];

beforeAll(async () => {
  endpoint = createServer((request, response) => {
    calls += 1;
    const text = `no ${request.url} ${request.headers.authorization}`;
    switch (calls % 5) {
      case 0:
        return response.writeHead(401).end(text);
      case 1:
        return response.writeHead(500, { "Content-Type": "text/html" }).end(text);
      case 2:
        return response.end(
          JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: text } }),
        );
      case 3:
        return response.destroy();
      default:
        return response.end("{");
    }
  }).listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  const url = `http://user:${MARK}@127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1/${MARK}?key=${MARK}`;
  const plain = url.replace(`user:${MARK}@`, "");
  marked = {
    // fetch refuses addresses with a password, and names them.
    RPC_URL_1: `${url},${plain}`,
    RPC_URL_8453: plain,
    SCORE_CHAINS: JSON.stringify([
      {
        chainId: 1,
        name: "Ethereum",
        rpcUrls: [plain],
        explorers: [{ kind: "etherscan", url: plain, apiKey: MARK }],
      },
    ]),
    ETHERSCAN_API_KEY: MARK,
    BLOCKSCOUT_API_KEY: MARK,
    METRICS_TOKEN: MARK.repeat(4),
    GIFT_CARD_KEYS: `k1:${`${MARK}0123`.repeat(4)}`,
  };
  server = await startServerProcess({
    dataDir: await createDataDir(),
    env: {
      ...marked,
      LOG_LEVEL: "trace",
      RPC_URL_84532: plain,
      WEBHOOK_ALLOW_PRIVATE: "127.0.0.0/8",
    },
  });
  const { file } = SMALL_FIXTURE;
  const card = {
    kind: "giftcard",
    id: REWARD,
    campaignName: "Cards",
    status: "distributed",
    tiers: [{ label: "Gold", cards: [{ address: wallet, code: `CODE-${MARK}` }] }],
  };
  await seed(server.dataDir, {
    ...file,
    pointSystems: file.pointSystems.map((system) => ({ ...system, rewards: [card] })),
    apiKeys: [
      ...file.apiKeys,
      { ...file.apiKeys[0], name: "manager", key: MANAGE_TOKEN, permission: "manage" },
    ],
  });
});
afterAll(async () => {
  await server.end("SIGTERM");
  endpoint.close();
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(server.url + path, { redirect: "manual", ...init });
  const copy = answer.clone();
  answers.push(JSON.stringify([...copy.headers]), await copy.text());
  return answer;
}

const post = (path: string, body: object) =>
  call(path, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify(body),
  });

test("every setting that the service reads holds a mark here, or no secret", () => {
  expect(SETTINGS.length).toBeGreaterThan(30);
  const tested = new Set([...Object.keys(marked), ...SETTINGS_ELSEWHERE, ...OPEN_SETTINGS]);
  // What is read of one reward chain is read of all.
  const alike = SETTINGS.map((name) => name.replace(/_(5031|50312|84532)$/, "_8453"));
  expect(alike.filter((name) => !tested.has(name))).toEqual([]);
});

/** Calls an operation of the management API with its key. */
async function manage(operation: string, fields: object): Promise<Record<string, string>> {
  const answer = await fetch(`${server.url}/manage/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${MANAGE_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ pointSystemId, ...fields }),
  });
  expect(answer.status, operation).toBe(200);
  return (await answer.json()) as Record<string, string>;
}

test("no secret of the settings is in a log line, an answer or a page, whatever fails", async () => {
  const headers = { authorization: `Bearer ${token}` };
  const { email, password } = SMALL_FIXTURE.file.operators[0];
  const signedIn = await call("/sign-in", {
    method: "POST",
    headers: { origin: server.url },
    body: new URLSearchParams({ email, password }),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const status = await call(
    `/rewards/claim-status?address=${wallet}&pointSystemId=${pointSystemId}`,
  );
  const [, cardId = ""] = /"distributionId":"([^"]+)"/.exec(await status.text()) ?? [];
  // A receiver that fails, whose address and secret are told once, to whoever makes it.
  const { id: webhookId = "", secret = "" } = await manage("webhooks/create", {
    url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook/${MARK}-hook`,
    eventTypes: ["points.credited"],
  });
  for (const form of [
    { email, password: `${MARK} wrong` },
    { email: `${MARK}@`, password: MARK },
    { intent: MARK, password: MARK },
  ]) {
    await fetch(`${server.url}/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: server.url },
      body: new URLSearchParams(form),
    });
  }
  for (let round = 0; round < 5; round += 1) {
    await manage("webhooks/test", { webhookId });
    for (const bad of [`Bearer rw_${MARK}`, `Basic ${MARK}`, `Bearer rw_${MARK.repeat(3)}`]) {
      await call(`/wallet?address=${wallet}`, { headers: { authorization: bad, cookie: MARK } });
    }
    await call(`/points?address=name${round}.eth`, { headers });
    await call(`/score?address=0x${String(round).repeat(40)}&force=true`, { headers });
    const asked = await post("/claim/alpha/gift-card", {
      intent: "ask",
      cardId,
      address: wallet,
      chainId: 84532,
    });
    const { nonce } = (await asked.json()) as { nonce: string };
    const revealed = await post("/claim/alpha/gift-card", {
      intent: "reveal",
      cardId,
      address: wallet,
      nonce,
      signature: "0x1234",
    });
    expect([401, 503]).toContain(revealed.status);
    await post("/claim/hint", { chainId: 84532, txHash: `0x${String(round).repeat(64)}` });
    for (const page of [
      "/metrics",
      "/dashboard/indexer",
      "/dashboard/score-providers",
      `/dashboard/${pointSystemId}/wallets/${wallet}/score`,
      `/dashboard/${pointSystemId}/blacklist?search=name.eth`,
      `/dashboard/${pointSystemId}/settings`,
      "/claim/alpha",
    ]) {
      await call(page, { headers: { cookie, authorization: `Bearer ${MARK.repeat(4)}` } });
    }
  }
  expect(calls).toBeGreaterThan(20);
  const log = JSON.stringify(server.logLines());
  // The failures are in the log, without what they were told.
  expect(log).toMatch(/Error/);
  const dump = await dumpDatabase(server.dataDir);
  expect(dump).toContain("Cards");
  for (const text of [log, server.output(), dump, ...answers]) expect(text).not.toContain(secret);
  // The database has what an operator entered: the receiver's address.
  const entered = dump.replaceAll(`${MARK}-hook`, "");
  for (const text of [log, server.output(), entered, ...answers]) {
    expect(
      text.slice(Math.max(0, text.indexOf(MARK) - 300), text.indexOf(MARK) + 20),
    ).not.toContain(MARK);
  }
});

test("no password of the database and no score service's address is told, when they are away or refuse", async () => {
  const dataDir = await createDataDir();
  const cluster = await holdEmbeddedCluster({ dataDir });
  const { host, port } = cluster.connection;
  const admin = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  await admin.unsafe(`create role marked login password '${MARK}'`);
  await admin.unsafe("create database marked owner marked");
  await admin.end();
  const toUrl = (password: string, database: string) =>
    `postgres://marked:${password}@localhost:${port}/${database}?host=${encodeURIComponent(String(host))}`;
  const wrong = startServerProcess({
    dataDir,
    env: { DATABASE_URL: toUrl(`${MARK}-wrong`, "marked"), GIFT_CARD_KEYS: KEYS },
  });
  const refusal = await wrong.then(
    () => "It started",
    (error: Error) => error.message,
  );
  expect(refusal).toMatch(/password authentication failed/);
  expect(refusal).not.toContain(MARK);

  const address = { DATABASE_URL: toUrl(MARK, "marked"), DATA_DIR: dataDir };
  const close = await openMigratedDatabase(commandDatabase(address, () => {}));
  await loadFixture(JSON.parse(JSON.stringify(SMALL_FIXTURE.file)));
  await close();
  const callsBefore = calls;
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/${MARK}`;
  const external = await startServerProcess({
    dataDir,
    env: {
      LOG_LEVEL: "trace",
      DATABASE_URL: toUrl(MARK, "marked"),
      DATABASE_REPLICA_URLS: `${toUrl(MARK, "marked")},${toUrl(`${MARK}-wrong`, "marked")}`,
      GIFT_CARD_KEYS: KEYS,
      SCORE_SERVICE_URL: url,
    },
  });
  const told: string[] = [];
  const ask = async (path: string) => {
    const answer = await fetch(external.url + path, {
      headers: { authorization: `Bearer ${token}` },
    });
    told.push(JSON.stringify([...answer.headers]), await answer.text());
    return answer.status;
  };
  const paths = [
    `/wallet?address=${wallet}&pointSystemId=${pointSystemId}`,
    `/score?address=${wallet}&force=true`,
    "/readyz",
    "/",
  ];
  for (const path of paths) await ask(path);
  expect(calls).toBeGreaterThan(callsBefore);
  await cluster.release();
  for (const path of paths) await ask(path);
  await waitUntil(async () => (await ask("/readyz")) === 503, 20_000);
  await external.end("SIGTERM");
  const log = JSON.stringify(external.logLines());
  expect(log).toMatch(/Error/);
  // Its role has made the tables, and the log says so.
  expect(log).toContain("owns the ledger's tables and could rewrite them");
  for (const text of [log, external.output(), ...told]) expect(text).not.toContain(MARK);
  await fs.rm(dataDir, { recursive: true, force: true });
});
