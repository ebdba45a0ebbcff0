import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openEns } from "../../../app/chain/ens/ens";
import { BASE_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../../app/chain/ens/protocol";
import { withDatabase } from "../../../app/db/client";
import { scores, scoreWallets } from "../../../app/db/schema/scores";
import type { Address } from "../../../app/domain/address";
import { SCORE_RULES } from "../../../app/domain/scores/rules";
import { ensNames } from "../../../app/services/ens/names";
import { removeOldScores } from "../../../app/services/scores/rows";
import { getScore } from "../../../app/services/scores/scores";
import {
  getScoreSettings,
  listEnsEndpoints,
  openScore,
  type ScoreEnvironment,
} from "../../../app/services/scores/settings";
import { startFakeEns } from "../../support/fakes/ens-rpc";
import { failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { startScoreWorld } from "../../support/score-world";

// The storage of scores: its content, its duration, and when scores are recomputed.

let world: Awaited<ReturnType<typeof startScoreWorld>>;
beforeAll(async () => {
  world = await startScoreWorld([1, 137]);
});
afterAll(() => world.stop());
beforeEach(() => world.open());
afterEach(() => world.heal());

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Adds a computation of the past; the engine's own answers are newer. */
async function addScore(
  address: Address,
  ageMs: number,
  changes: Partial<typeof scores.$inferInsert> = {},
): Promise<string> {
  const id = randomUUID();
  const { result } = await getScore(createAddress(), "kept", async () => "somebody");
  await withDatabase((db) =>
    db.insert(scores).values({
      id,
      address,
      computedAt: new Date(Date.now() - ageMs),
      algorithmVersion: SCORE_RULES.algorithmVersion,
      source: "engine",
      isComplete: true,
      finalScore: result.finalScore,
      result,
      ...changes,
    }),
  );
  return id;
}

test("a complete score is good for 30 days, and not a day longer", async () => {
  const [young, old] = [createAddress(), createAddress()];
  const id = await addScore(young, 29.9 * DAY_MS);
  expect(await getScore(young, "kept", async () => "somebody")).toMatchObject({
    id,
    cachedAt: expect.any(Date),
  });
  await addScore(old, 30.1 * DAY_MS);
  expect((await getScore(old, "kept", async () => "somebody")).cachedAt).toBeNull();
});

test("one of other rules, or of another engine, is not good", async () => {
  for (const changes of [{ algorithmVersion: 0 }, { source: "remote" as const }]) {
    const address = createAddress();
    await addScore(address, DAY_MS, changes);
    expect((await getScore(address, "kept", async () => "somebody")).cachedAt).toBeNull();
  }
});

test("a lower bound is good for 15 minutes", async () => {
  const [young, old] = [createAddress(), createAddress()];
  const id = await addScore(young, 14 * MINUTE_MS, { isComplete: false });
  expect((await getScore(young, "kept", async () => "somebody")).id).toBe(id);
  await addScore(old, 16 * MINUTE_MS, { isComplete: false });
  expect((await getScore(old, "kept", async () => "somebody")).cachedAt).toBeNull();
});

test("a lower bound takes no complete score's place, forced or not", async () => {
  const address = createAddress();
  const id = await addScore(address, 31 * DAY_MS);
  world.getChain(0).node.mode = "fails";
  for (const mode of ["kept", "forced", "kept"] as const) {
    expect(await getScore(address, mode, async () => "somebody")).toMatchObject({
      id,
      cachedAt: expect.any(Date),
    });
  }
  const rows = await withDatabase((db) =>
    db.select().from(scores).where(eq(scores.address, address)),
  );
  expect(rows.map(({ isComplete }) => isComplete).sort()).toEqual([false, true]);
});

test("when nothing answers, an expired score does, under force too", async () => {
  const address = createAddress();
  const id = await addScore(address, 300 * DAY_MS);
  world.setNodes("fails");
  expect((await getScore(address, "kept", async () => "somebody")).id).toBe(id);
  expect(await getScore(address, "forced", async () => "somebody")).toMatchObject({
    id,
    cachedAt: expect.any(Date),
  });
});

test("one whose scores are computed slowly leaves half of the places to others", async () => {
  world.setNodes("hangs");
  let refused = 0;
  const asked = Array.from({ length: 60 }, () =>
    getScore(createAddress(), "kept", async () => "slow").catch(() => {
      refused += 1;
    }),
  );
  // Those without a place are refused at once.
  await vi.waitUntil(() => refused === 35);
  world.heal();
  expect(await getScore(createAddress(), "kept", async () => "other")).toMatchObject({
    cachedAt: null,
  });
  await Promise.all(asked);
});

test("force computes anew a minute after the last computation", async () => {
  const address = createAddress();
  const id = await addScore(address, 59_000);
  expect((await getScore(address, "forced", async () => "somebody")).id).toBe(id);
  const other = createAddress();
  await addScore(other, 61_000);
  expect((await getScore(other, "forced", async () => "somebody")).cachedAt).toBeNull();
});

test("force reads a history again that the nonce says is the same: blocks are reorganized", async () => {
  const address = createAddress();
  const sent = world.addAccount(address, 0, [100]);
  await getScore(address, "kept", async () => "somebody");
  await withDatabase((db) => db.delete(scores).where(eq(scores.address, address)));
  const moved = sent.map((one) => ({ ...one, time: one.time - 86_400 }));
  world.putHistory(address, 0, moved, 1);
  expect(
    (await getScore(address, "forced", async () => "somebody")).result.breakdown.wallet_age_days,
  ).toBe(101);
});

test("a chain that was good within 30 days is known, and one that was not is missing", async () => {
  const address = createAddress();
  world.addAccount(address, 0, [100, 90]);
  await getScore(address, "kept", async () => "somebody");
  const forget = (days: number) =>
    withDatabase(async (db) => {
      await db.delete(scores).where(eq(scores.address, address));
      await db.execute(sql`
        update score_facts set fetched_at = now() - make_interval(days => ${days})
        where chain_id = 1`);
    });
  await forget(29);
  world.getChain(0).node.mode = "fails";
  expect((await getScore(address, "kept", async () => "somebody")).result).toMatchObject({
    breakdown: { total_txs: 2 },
  });
  await forget(31);
  expect((await getScore(address, "kept", async () => "somebody")).result).toMatchObject({
    breakdown: { total_txs: 0 },
    dataSources: { explorer: true, missingChains: [1] },
  });
});

test("a row is never changed", async () => {
  await addScore(createAddress(), 0);
  await expect(
    withDatabase((db) => db.execute(sql`update scores set final_score = 1`)),
  ).rejects.toThrow();
});

test("another process that computes is waited for, and what it found is answered", async () => {
  const address = createAddress();
  await withDatabase((db) =>
    db.insert(scoreWallets).values({
      address,
      askedAt: new Date(),
      refreshAt: new Date(),
      leaseId: randomUUID(),
      leasedUntil: new Date(Date.now() + 10_000),
    }),
  );
  const answer = getScore(address, "kept", async () => "somebody");
  const id = await addScore(address, 0);
  expect(await answer).toMatchObject({ id, cachedAt: expect.any(Date) });
});

test("a primary name is remembered while names cannot be looked up", async () => {
  const address = createAddress();
  world.open({}, async () => "alice.eth");
  expect((await getScore(address, "kept", async () => "somebody")).result.bonuses.ens).toBe(5);
  const ageAll = () => withDatabase((db) => db.delete(scores).where(eq(scores.address, address)));
  await ageAll();
  world.open({}, () => Promise.reject(new Error("down")));
  expect((await getScore(address, "kept", async () => "somebody")).result.bonuses.ens).toBe(5);
  // For a wallet whose name was never known, the score is stored as a lower bound.
  const other = createAddress();
  expect((await getScore(other, "kept", async () => "somebody")).result.bonuses.ens).toBe(0);
  const [row] = await withDatabase((db) =>
    db.select().from(scores).where(eq(scores.address, other)),
  );
  expect(row?.isComplete).toBe(false);
});

test("calls to a provider are a rate apart, whoever makes them", async () => {
  const [chain] = world.settings({ callsPerSecond: 10 });
  if (!chain) throw new Error("no chain");
  world.open({ SCORE_CHAINS: [chain] });
  await withDatabase((db) => db.execute(sql`delete from score_provider_budgets`));
  const addresses = Array.from({ length: 6 }, createAddress);
  for (const address of addresses) world.addAccount(address, 0, [100]);
  const startedAt = performance.now();
  await Promise.all(addresses.map((address) => getScore(address, "kept", async () => "somebody")));
  // Six calls at ten a second wait five times. This is a lower bound: a slow machine only takes
  // longer.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(500);
  expect(world.getChain(0).etherscan.calls).toHaveLength(6);
});

test("old computations go, but not the last complete one", async () => {
  const address = createAddress();
  await addScore(address, 500 * DAY_MS);
  const complete = await addScore(address, 450 * DAY_MS);
  const bound = await addScore(address, 420 * DAY_MS, { isComplete: false });
  await removeOldScores();
  const rows = await withDatabase((db) =>
    db.select().from(scores).where(eq(scores.address, address)),
  );
  expect(rows.map(({ id }) => id).sort()).toEqual([complete, bound].sort());
});

test("a name that was known is good for 30 days; then look-ups that fail keep no old score alive", async () => {
  const address = createAddress();
  world.open({}, async () => "alice.eth");
  await getScore(address, "kept", async () => "somebody");
  world.open({}, () => Promise.reject(new Error("down")));
  const passDays = (days: number) =>
    withDatabase(async (db) => {
      await db.delete(scores).where(eq(scores.address, address));
      await db
        .update(scoreWallets)
        .set({ nameCheckedAt: new Date(Date.now() - days * DAY_MS) })
        .where(eq(scoreWallets.address, address));
    });
  await passDays(29);
  expect((await getScore(address, "kept", async () => "somebody")).result.bonuses.ens).toBe(5);
  await passDays(31);
  const old = await addScore(address, 31 * DAY_MS);
  const { id, result } = await getScore(address, "kept", async () => "somebody");
  expect(id).not.toBe(old);
  expect(result.bonuses.ens).toBe(0);
});

test.each([
  ["on Ethereum", ETHEREUM_COIN_TYPE, 5],
  ["on Base", BASE_COIN_TYPE, 5],
  ["on another chain", 2_147_483_658n, 0],
])("a primary name %s: %s gives %i", async (_, where, bonus) => {
  world.open({}, async (_address, coinType) => (coinType === where ? "alice.eth" : null));
  expect((await getScore(createAddress(), "kept", async () => "somebody")).result.bonuses.ens).toBe(
    bonus,
  );
});

test("names are looked up by this process' ENS: at RPC_URL_1, else at the score's own node of Ethereum", async () => {
  const ens = await startFakeEns({});
  const address = createAddress();
  ens.names.set("alice.eth", address);
  ens.primaryNames.set(address, "alice.eth");
  const [chain] = world.settings();
  if (!chain) throw new Error("no chain");
  const open = (env: ScoreEnvironment) => {
    openEns({ rpcUrls: listEnsEndpoints(env) });
    openScore(env);
  };
  try {
    open({ SCORE_CHAINS: [chain], RPC_URL_1: [ens.url] });
    expect((await getScore(address, "kept", async () => "somebody")).result.bonuses.ens).toBe(5);
    const asked = ens.calls.length;
    await withDatabase((db) => db.delete(scores));
    // The result is stored for both GET /points and the score.
    expect((await ensNames.findPrimaryName(address, "a key")).value).toBe("alice.eth");
    expect(ens.calls).toHaveLength(asked);
    const other = createAddress();
    ens.names.set("bob.eth", other);
    ens.primaryNames.set(other, "bob.eth");
    open({ SCORE_CHAINS: [{ ...chain, rpcUrls: [ens.url] }] });
    const { findPrimaryName } = getScoreSettings();
    expect(await findPrimaryName(other, ETHEREUM_COIN_TYPE)).toBe("bob.eth");
    expect((await ensNames.findAddress("bob.eth", "a key")).value).toBe(other);
    open({ SCORE_CHAINS: [{ ...chain, rpcUrls: [ens.url] }], RPC_URL_1: [] });
    expect(await getScoreSettings().findPrimaryName(other, ETHEREUM_COIN_TYPE)).toBeNull();
  } finally {
    openEns({ rpcUrls: [] });
    await ens.stop();
  }
});

test("too many addresses at once are turned away, not queued", async () => {
  world.setNodes("hangs");
  const answers = Array.from({ length: 51 }, (_, n) =>
    getScore(createAddress(), "kept", async () => `asker ${n % 3}`),
  );
  const failures = await Promise.all(answers.map((answer) => failureOf(answer)));
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(["score_unavailable"]));
});
