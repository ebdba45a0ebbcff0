import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { API_PREFIXES } from "../../app/api/endpoints";
import { inTransaction } from "../../app/db/client";
import { openScore } from "../../app/services/scores/settings";
import { makeScoreSignals } from "../../app/services/scores/signals";
import { call } from "../support/call";
import { createAddress, scene } from "../support/scene";
import { startScoreWorld } from "../support/score-world";

let world: Awaited<ReturnType<typeof startScoreWorld>>;
let token: string;
let pointSystemId: string;
let addKey: Awaited<ReturnType<typeof scene>>["addKey"];

beforeAll(async () => {
  world = await startScoreWorld();
  ({ token, pointSystemId, addKey } = await scene());
  await makeScoreSignals();
});
afterAll(() => world.stop());
beforeEach(() => world.open());
afterEach(() => world.heal());

function get(query: string, key = token) {
  return call(`/score${query}`, { headers: { Authorization: `Bearer ${key}` } });
}

test("answers the documented body, fresh at first and then from the cache with the same id", async () => {
  const address = createAddress();
  world.addAccount(address, 0, [1_460, 400, 3]);
  world.addAccount(address, 1, [20]);
  const first = await get(`?address=${address}`);
  expect(first).toMatchObject({
    status: 200,
    body: {
      address,
      finalScore: 0.2,
      breakdown: {
        age_factor: 1,
        activity_factor: 0.002,
        wallet_age_days: 1_460,
        total_txs: 4,
        chains_active: 2,
        last_tx_days_ago: 3,
      },
      bonuses: { ens: 0, multichain: 0, rewards: 0 },
      penalties: { recency: 0, humanity: 0, bot: 0 },
      dataSources: { explorer: true, rewards: true },
      cached: false,
      cachedAt: null,
    },
  });
  const second = await get(`?address=${address.toUpperCase().replace("0X", "0x")}`);
  expect(second.body).toEqual({
    ...first.body,
    cached: true,
    cachedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

test("dataSources.explorer: on-chain data was available, though a chain of them did not answer", async () => {
  const address = createAddress();
  world.addAccount(address, 1, [20]);
  world.getChain(0).node.mode = "fails";
  const missing = world.settings()[0]?.chainId;
  expect((await get(`?address=${address}`)).body).toMatchObject({
    breakdown: { total_txs: 1, chains_active: 1 },
    dataSources: { explorer: true, rewards: true, missingChains: [missing] },
  });
});

test("the keys of a point system's owner together leave half of the new scores at once to others", async () => {
  const keys = [token, await addKey("all", [pointSystemId])];
  const stranger = await scene();
  world.setNodes("hangs");
  let refused = 0;
  const asked = Array.from({ length: 60 }, async (_, n) => {
    const { status } = await get(`?address=${createAddress()}`, keys[n % keys.length]);
    if (status === 503) refused += 1;
  });
  // Those without a place are refused at once.
  await vi.waitUntil(() => refused >= 35, { timeout: 5_000 });
  expect(refused).toBe(35);
  world.heal();
  expect(await get(`?address=${createAddress()}`, stranger.token)).toMatchObject({
    status: 200,
    body: { cached: false },
  });
  await Promise.all(asked);
});

test("a wallet without any activity scores 0, and no explorer is asked about it", async () => {
  const { body } = await get(`?address=${createAddress()}`);
  expect(body).toMatchObject({
    finalScore: 0,
    breakdown: { age_factor: 0, wallet_age_days: null, total_txs: 0, last_tx_days_ago: null },
    penalties: { recency: -5 },
    dataSources: { explorer: true },
  });
  expect(world.countExplorerCalls()).toBe(0);
});

test("a primary name and three active chains are bonuses", async () => {
  world.open({}, async () => "alice.eth");
  const address = createAddress();
  for (const index of [0, 1, 2]) world.addAccount(address, index, [10]);
  const { body } = await get(`?address=${address}`);
  expect(body.bonuses).toEqual({ ens: 5, multichain: 3, rewards: 0 });
});

test.each([
  ["", 400, "Missing address"],
  ["?address=", 400, "Missing address"],
  ["?force=true", 400, "Missing address"],
  ["?address=abc", 400, "Invalid address"],
  ["?address=vitalik.eth", 400, "Invalid address"],
  [`?address=0x${"0".repeat(39)}`, 400, "Invalid address"],
  ["?address=0x1&address=0x2", 400, "Duplicate parameter: address"],
  [`?address=0x${"0".repeat(40)}&force=true&force=true`, 400, "Duplicate parameter: force"],
])("%j answers %s %s", async (query, status, message) => {
  expect(await get(query)).toMatchObject({ status, body: { error: message, message } });
});

test("a key is checked before the input, its scope after it", async () => {
  const trigger = await addKey("trigger", []);
  expect(await get("", trigger)).toMatchObject({
    status: 403,
    body: { error: "This API key does not have read permissions" },
  });
  const empty = await addKey("read", []);
  expect(await get("", empty)).toMatchObject({ status: 400, body: { error: "Missing address" } });
  expect(await get(`?address=${createAddress()}`, empty)).toMatchObject({
    status: 403,
    body: { error: "This API key does not have access to the specified point system" },
  });
  expect(await get("?address=abc", `rw_${"0".repeat(32)}`)).toMatchObject({ status: 401 });
});

test("POST is refused before the key is looked at", async () => {
  expect(await call("/score", { method: "POST" })).toMatchObject({ status: 405 });
});

test.each(API_PREFIXES)("is served under %s", async (prefix) => {
  const headers = { Authorization: `Bearer ${token}` };
  const address = createAddress();
  expect((await call(`${prefix}score?address=${address}`, { headers })).body.address).toBe(address);
});

describe("force", () => {
  test.each(["TRUE", "1", "yes", ""])("%j is not the literal true", async (force) => {
    const address = createAddress();
    await get(`?address=${address}`);
    expect((await get(`?address=${address}&force=${force}`)).body.cached).toBe(true);
  });

  test("computes anew, but once a minute for an address", async () => {
    const address = createAddress();
    const first = await get(`?address=${address}&force=true`);
    expect(first.body.cached).toBe(false);
    const second = await get(`?address=${address}&force=true`);
    expect(second.body).toMatchObject({ cached: true, id: first.body.id });
  });
});

test("any number of calls at once cost one computation", async () => {
  const address = createAddress();
  world.addAccount(address, 0, [100, 50]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => get(`?address=${address}${i % 2 ? "&force=true" : ""}`)),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(world.getChain(0).etherscan.calls).toHaveLength(1);
});

test("nothing reachable and nothing kept answers 503", async () => {
  world.setNodes("fails");
  expect(await get(`?address=${createAddress()}`)).toMatchObject({
    status: 503,
    body: { error: "Score service unavailable", code: "score_unavailable" },
  });
});

test("a kept score beats 503", async () => {
  const address = createAddress();
  const { body } = await get(`?address=${address}`);
  world.setNodes("fails");
  expect((await get(`?address=${address}`)).body).toMatchObject({ id: body.id, cached: true });
});

describe("another engine at SCORE_SERVICE_URL", () => {
  const whole = {
    id: "x",
    finalScore: 61.5,
    breakdown: {
      age_factor: 0.9,
      activity_factor: 0.6,
      wallet_age_days: 1_314,
      total_txs: 1_200,
      chains_active: 4,
      last_tx_days_ago: 2,
    },
    bonuses: { ens: 5, multichain: 3, rewards: 0 },
    penalties: { recency: 0, humanity: 0, bot: 0 },
    dataSources: { explorer: true, rewards: true },
  };
  let answer: { status: number; body: string; headers?: Record<string, string> };
  let asked: string[];
  let engine: Awaited<ReturnType<typeof startEngine>>;

  async function startEngine() {
    const { startHttpFake } = await import("../support/fakes/http-fake");
    return startHttpFake((request, _body, response) => {
      asked.push(request.url ?? "");
      response.writeHead(answer.status, answer.headers ?? {}).end(answer.body);
    });
  }

  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine.stop());
  beforeEach(() => {
    asked = [];
    answer = { status: 200, body: JSON.stringify(whole) };
    openScore({ SCORE_SERVICE_URL: `${engine.url}/score?tenant=7` });
  });

  test("is asked by address, and its parts are answered as they are", async () => {
    const address = createAddress();
    const first = await get(`?address=${address}`);
    const { id, ...parts } = whole;
    expect(first.body).toMatchObject({ ...parts, address, cached: false, cachedAt: null });
    expect(first.body.id).not.toBe(id);
    expect(asked).toEqual([`/score?tenant=7&address=${address}`]);
    expect((await get(`?address=${address}`)).body).toMatchObject({
      id: first.body.id,
      cached: true,
    });
    expect(asked).toHaveLength(1);
  });

  test.each([
    [200, "{}"],
    [200, '{"finalScore":null}'],
    [200, '{"finalScore":"57"}'],
    [200, '{"finalScore":1e999}'],
    [200, '{"finalScore":101}'],
    [200, '{"finalScore":-1}'],
    [200, '{"finalScore":50,"breakdown":"none"}'],
    [200, "[]"],
    [200, "null"],
    [200, "<html>"],
    [200, ""],
    [200, '{"finalScore":NaN}'],
    [404, '{"error":"no such wallet"}'],
    [404, "Not found"],
  ])("%s %s is an answer without a score: 502", async (status, body) => {
    answer = { status, body };
    for (const force of ["", "&force=true"]) {
      expect(await get(`?address=${createAddress()}${force}`)).toMatchObject({
        status: 502,
        body: { error: "Score service returned no score", code: "score_missing" },
      });
    }
  });

  test.each([
    [500, "{}"],
    [503, '{"finalScore":50}'],
    [429, "{}"],
    [200, `{"finalScore":50,"padding":"${"x".repeat(70_000)}"}`],
    [302, ""],
  ])("%s %.20s is no answer: 503", async (status, body) => {
    answer = { status, body, headers: status === 302 ? { Location: "/score" } : {} };
    expect(await get(`?address=${createAddress()}`)).toMatchObject({
      status: 503,
      body: { error: "Score service unavailable" },
    });
    expect(asked).toHaveLength(1);
  });

  test("an expired score beats an answer without one, but not under force, joined or alone", async () => {
    const address = createAddress();
    const { body: kept } = await get(`?address=${address}`);
    await inTransaction(async (tx) => {
      // Simulates the passage of time: rows are never changed otherwise.
      await tx.execute(sql`alter table scores disable trigger scores_immutable`);
      await tx.execute(sql`
          update scores set computed_at = computed_at - interval '31 days' where id = ${kept.id}`);
      await tx.execute(sql`alter table scores enable trigger scores_immutable`);
    });
    answer = { status: 200, body: "{}" };
    const stale = { status: 200, body: { id: kept.id, cached: true } };
    expect(await get(`?address=${address}`)).toMatchObject(stale);
    const [forced, joined] = await Promise.all([
      get(`?address=${address}&force=true`),
      get(`?address=${address}`),
    ]);
    expect(forced.status).toBe(502);
    expect(joined).toMatchObject(stale);
    answer = { status: 500, body: "" };
    expect(await get(`?address=${address}&force=true`)).toMatchObject(stale);
  });

  test("one that is not there: 503", async () => {
    openScore({ SCORE_SERVICE_URL: "http://127.0.0.1:1" });
    expect(await get(`?address=${createAddress()}`)).toMatchObject({ status: 503 });
  });

  test("a score alone is a score: the parts that are not said are nothing", async () => {
    answer = { status: 200, body: '{"finalScore":42}' };
    expect((await get(`?address=${createAddress()}`)).body).toMatchObject({
      finalScore: 42,
      bonuses: { ens: 0, multichain: 0, rewards: 0 },
      dataSources: { explorer: false, rewards: false },
    });
  });
});
