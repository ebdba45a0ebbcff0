import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { scores, scoreWallets } from "../../../app/db/schema/scores";
import type { Address } from "../../../app/domain/address";
import { refreshScores } from "../../../app/services/scores/refresh";
import { getScore } from "../../../app/services/scores/scores";
import { takeDueWallets } from "../../../app/services/scores/wallets";
import { startQueue } from "../../../app/worker/queue";
import { createAddress } from "../../support/scene";
import { startScoreWorld } from "../../support/score-world";

// The daily refresh, as the queue runs it.

let world: Awaited<ReturnType<typeof startScoreWorld>>;
beforeAll(async () => {
  world = await startScoreWorld([1, 137]);
});
afterAll(() => world.stop());
beforeEach(() => world.open());
afterEach(() => world.heal());

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

/** Makes only these wallets due: their scores were requested, and not computed today. */
async function makeDue(addresses: readonly Address[], askedDaysAgo = 1): Promise<void> {
  await withDatabase(async (db) => {
    await db.delete(scoreWallets);
    await db.delete(scores);
    for (const address of addresses) {
      await db.insert(scoreWallets).values({
        address,
        askedAt: new Date(Date.now() - askedDaysAgo * DAY_MS),
        refreshAt: new Date(Date.now() - 60_000),
      });
    }
  });
}

const createDue = async (count: number) => {
  const addresses = Array.from({ length: count }, createAddress);
  await makeDue(addresses);
  return addresses;
};

/** Lists the addresses in the calls to the first chain's node, in order of address. */
const listAsked = () =>
  world
    .getChain(0)
    .node.calls.map((call) => call.split(" ")[1])
    .toSorted();

const countScores = (address: Address) =>
  withDatabase((db) => db.$count(scores, eq(scores.address, address)));

/** Lets this much time pass for the wallets that are due about then. */
const passMinutes = (minutes: number) =>
  withDatabase((db) =>
    db.execute(sql`
      update score_wallets set refresh_at = refresh_at - make_interval(secs => ${minutes * 60})
      where refresh_at < now() + make_interval(secs => ${minutes * 60 + 60})`),
  );

test("due scores are computed anew once a day; an unchanged nonce costs no explorer call", async () => {
  const address = createAddress();
  world.addAccount(address, 0, [100, 90]);
  world.addAccount(address, 1, [100]);
  await getScore(address, "kept", async () => "somebody");
  expect(world.countExplorerCalls()).toBe(2);
  await makeDue([address]);
  world.addAccount(address, 1, [100, 5]);
  world.heal();
  await refreshScores(never);
  // Only the chain whose nonce has changed is read again.
  expect(world.countExplorerCalls()).toBe(1);
  expect((await getScore(address, "kept", async () => "somebody")).result.breakdown.total_txs).toBe(
    4,
  );
  await refreshScores(never);
  expect(await countScores(address)).toBe(1);
});

test("one that was computed today is not computed again, and is due tomorrow", async () => {
  const [address] = await createDue(1);
  if (!address) throw new Error("no address");
  await getScore(address, "kept", async () => "somebody");
  await withDatabase((db) =>
    db.update(scoreWallets).set({ refreshAt: new Date(Date.now() - 1_000) }),
  );
  await refreshScores(never);
  expect(await countScores(address)).toBe(1);
  const [row] = await withDatabase((db) =>
    db.select({ refreshAt: scoreWallets.refreshAt }).from(scoreWallets),
  );
  expect(row?.refreshAt.getTime()).toBe((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS);
});

test("those that nobody asked for in 30 days are left, until somebody does", async () => {
  const address = createAddress();
  await makeDue([address], 31);
  await refreshScores(never);
  expect(listAsked()).toEqual([]);
  await getScore(address, "kept", async () => "somebody");
  world.heal();
  await withDatabase((db) => db.delete(scores));
  await passMinutes(24 * 60);
  await refreshScores(never);
  expect(listAsked()).toEqual([address]);
});

test("two processes at once take different wallets, and both end when all are done", async () => {
  const addresses = await createDue(60);
  await Promise.all([refreshScores(never), refreshScores(never)]);
  expect(listAsked()).toEqual(addresses.toSorted());
});

test("what a killed process took is waited for and done, not left for tomorrow", async () => {
  const addresses = await createDue(3);
  expect(await takeDueWallets(2)).toHaveLength(2);
  let isOver = false;
  const refreshing = refreshScores(never).then(() => {
    isOver = true;
  });
  await expect.poll(() => listAsked()).toHaveLength(1);
  expect(isOver).toBe(false);
  await passMinutes(9.99);
  await refreshing;
  expect(listAsked()).toEqual(addresses.toSorted());
});

test("a process that is told to stop gives back what it has not begun, and the job is not done", async () => {
  const addresses = await createDue(20);
  const stopping = new AbortController();
  world.getChain(0).node.onCall = () => stopping.abort();
  await expect(refreshScores(stopping.signal)).rejects.toThrow();
  const begun = new Set(listAsked()).size;
  expect(begun).toBeLessThanOrEqual(5);
  world.getChain(0).node.onCall = null;
  await refreshScores(never);
  expect(listAsked()).toEqual(addresses.toSorted());
});

test("nobody answering for a wallet keeps the others from nothing", async () => {
  const addresses = await createDue(3);
  world.setNodes("fails");
  await refreshScores(never);
  expect(await withDatabase((db) => db.$count(scores))).toBe(0);
  expect(new Set(listAsked())).toEqual(new Set(addresses));
});

test("it keeps to its share of a day's calls; those who wait have the rest", async () => {
  const [chain] = world.settings({ callsPerDay: 10 });
  if (!chain) throw new Error("no chain");
  world.open({ SCORE_CHAINS: [chain] });
  const addresses = await createDue(12);
  for (const address of addresses) world.addAccount(address, 0, [100]);
  world.getChain(0).blockscout.always = { kind: "5xx" };
  await withDatabase((db) => db.execute(sql`delete from score_provider_budgets`));
  await refreshScores(never);
  const { etherscan } = world.getChain(0);
  expect(etherscan.calls).toHaveLength(7);
  for (let i = 0; i < 4; i += 1) {
    const address = createAddress();
    world.addAccount(address, 0, [100]);
    await getScore(address, "kept", async () => "somebody");
  }
  expect(etherscan.calls).toHaveLength(10);
});

test("it waits for its turn at a provider, and takes nobody's", async () => {
  const [chain] = world.settings({ callsPerSecond: 1 });
  if (!chain) throw new Error("no chain");
  world.open({ SCORE_CHAINS: [chain] });
  const addresses = await createDue(4);
  for (const address of addresses) world.addAccount(address, 0, [100]);
  world.getChain(0).blockscout.always = { kind: "5xx" };
  await withDatabase((db) => db.execute(sql`delete from score_provider_budgets`));
  await refreshScores(never);
  const complete = await withDatabase((db) => db.$count(scores, eq(scores.isComplete, true)));
  expect(complete).toBe(4);
});

test("the queue has it done by itself, and the signals made, once in a day", async () => {
  const addresses = await createDue(2);
  await withDatabase((db) => db.execute(sql`truncate score_signal_runs`));
  await withDatabase((db) => db.execute(sql`delete from jobs`));
  const failures: unknown[] = [];
  const start = () => startQueue((job, error) => failures.push(job, error));
  const listStates = () =>
    withDatabase((db) =>
      db.execute<{ name: string; state: string }>(
        sql`select queue as name, state from jobs where queue like '%score%' order by queue`,
      ),
    );
  const done = [
    { name: "make-score-signals", state: "completed" },
    { name: "refresh-scores", state: "completed" },
  ];
  const queues = [start(), start()];
  await expect.poll(async () => [...(await listStates())], { timeout: 20_000 }).toEqual(done);
  expect(new Set(listAsked())).toEqual(new Set(addresses));
  expect(await withDatabase((db) => db.execute(sql`select from score_signal_runs`))).toHaveLength(
    1,
  );
  await Promise.all(queues.map((queue) => queue.stop()));
  const again = start();
  await again.stop();
  expect([...(await listStates())]).toEqual(done);
  expect(failures).toEqual([]);
});
