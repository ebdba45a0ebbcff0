import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { generateShortId } from "../../../app/domain/random-id";
import { getBotPenalty } from "../../../app/domain/scores/score";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { runQueuedJob } from "../../../app/services/runtime/job-queue";
import { findScoreSignals, makeScoreSignals } from "../../../app/services/scores/signals";
import { createAddress } from "../../support/scene";

// Signals about a wallet from this installation's own rewards and blacklists.

beforeEach(() =>
  withDatabase((db) =>
    db.execute(sql`truncate distributions, blacklist, wallets, score_signals, score_signal_runs`),
  ),
);

interface SystemOptions {
  readonly email?: string;
  readonly wallets?: readonly string[];
  readonly blacklist?: readonly { address: string; reason?: string | undefined }[];
  readonly rewards?: readonly object[];
  readonly ageDays?: number;
}

/** Adds a point system with 30 wallets of its own, whose operator is old enough to count. */
async function addSystem({
  email = `${randomUUID()}@example.com`,
  wallets = Array.from({ length: 30 }, createAddress),
  blacklist = [],
  rewards = [],
  ageDays = 40,
}: SystemOptions = {}): Promise<string> {
  await loadFixture({
    operators: [{ email, password: "a long passphrase", name: "Ops" }],
    pointSystems: [
      { operator: email, id: randomUUID(), name: "Alpha", slug: null, wallets, blacklist, rewards },
    ],
  });
  await withDatabase((db) =>
    db.execute(sql`
      update operators set created_at = now() - make_interval(days => ${ageDays})
      where email = ${email}`),
  );
  return email;
}

const others = (count = 30) => Array.from({ length: count }, createAddress);

async function penaltyOf(address: Address): Promise<number> {
  await makeScoreSignals();
  const signals = await findScoreSignals(address);
  if (!signals) throw new Error("no signals");
  return getBotPenalty(signals.operators, signals.reasonWeight);
}

describe("blacklists", () => {
  test.each([
    [1, 1, 10],
    [2, 2, 20],
    [3, 3, 30],
    [3, 6, 15],
    [4, 5, 24],
    [2, 10, 4],
    [1, 5, 2],
  ])("%s of %s operators: %s", async (listing, total, penalty) => {
    const address = createAddress();
    for (let i = 0; i < total; i += 1) {
      const blacklist = i < listing ? [{ address, reason: "bot" }] : [];
      await addSystem({ wallets: [...others(), address], blacklist });
    }
    expect(await penaltyOf(address)).toBe(penalty);
  });

  test("an operator is one, however many point systems; its gravest reason counts", async () => {
    const address = createAddress();
    const email = await addSystem({ blacklist: [{ address, reason: "staff" }] });
    await addSystem({ email, blacklist: [{ address, reason: "sybil" }] });
    await addSystem({ email, wallets: [address] });
    expect(await penaltyOf(address)).toBe(10);
  });

  test.each<[string, SystemOptions]>([
    ["operators younger than 30 days", { ageDays: 29 }],
    ["operators with fewer than 25 wallets", { wallets: others(24) }],
    [
      "operators that blacklist over half of theirs",
      { blacklist: others(31).map((address) => ({ address })) },
    ],
  ])("%s are left out", async (_, options) => {
    const address = createAddress();
    await addSystem({
      ...options,
      blacklist: [...(options.blacklist ?? []), { address, reason: "bot" }],
    });
    expect(await penaltyOf(address)).toBe(0);
    // They do not count among the operators who do not list it, either.
    await addSystem({ blacklist: [{ address, reason: "bot" }] });
    expect(await penaltyOf(address)).toBe(10);
  });

  test("30 days and 25 wallets are enough", async () => {
    const address = createAddress();
    const blacklist = [{ address, reason: "fraud" }];
    await addSystem({ ageDays: 30, wallets: others(25), blacklist });
    expect(await penaltyOf(address)).toBe(10);
  });

  test("deleted point systems say nothing", async () => {
    const address = createAddress();
    const email = await addSystem({ blacklist: [{ address, reason: "bot" }] });
    await withDatabase((db) =>
      db.execute(sql`
        update point_systems set deleted_at = now()
        where operator_id = (select id from operators where email = ${email})`),
    );
    expect(await penaltyOf(address)).toBe(0);
  });

  test("sandboxes say nothing", async () => {
    const address = createAddress();
    const email = await addSystem();
    await withDatabase((db) =>
      db.execute(sql`
        with made as (
          insert into point_systems (operator_id, name, short_id, is_sandbox)
          select id, 'Try', ${generateShortId()}, true from operators where email = ${email}
          returning id
        )
        insert into blacklist (point_system_id, address, reason)
        select id, decode(${address.slice(2)}, 'hex'), 'bot' from made`),
    );
    expect(await penaltyOf(address)).toBe(0);
    await addSystem({ email, blacklist: [{ address, reason: "bot" }] });
    expect(await penaltyOf(address)).toBe(10);
  });

  test("a reason weighs by its words", async () => {
    const weights = [
      ["bot", 1],
      ["Sybil", 1],
      ["fraud", 1],
      ["a farm of bots, seen twice", 1],
      [undefined, 0.6],
      ["manual", 0.6],
      ["robotics fan", 0.6],
      ["staff", 0],
      ["TEST", 0],
      ["test bot", 0.6],
    ] as const;
    const listed = weights.map(([reason]) => ({ address: createAddress(), reason }));
    await addSystem({ blacklist: listed });
    await makeScoreSignals();
    const signals = await Promise.all(listed.map(({ address }) => findScoreSignals(address)));
    expect(listed.map(({ reason }, i) => [reason, signals[i]?.reasonWeight])).toEqual(weights);
  });
});

describe("rewards", () => {
  const reward = (
    distributions: readonly { address: string; claimed?: boolean }[],
    status = "distributed",
  ) => ({
    kind: "token",
    id: randomUUID(),
    campaignName: "Spring",
    tokenType: "ethereum",
    tokenAddress: null,
    tokenSymbol: "ETH",
    tokenDecimals: 18,
    chainId: 8453,
    totalAmount: "10",
    minPoints: 0,
    maxPoints: null,
    status,
    claimDeadline: null,
    createdAt: "2026-03-01T00:00:00.000Z",
    airdrop: null,
    distributions: distributions.map(({ address, claimed }) => ({
      id: randomUUID(),
      address,
      amount: "1",
      proof: "pending",
      distributedAt: "2026-03-02T00:00:00.000Z",
      claimedAt: claimed ? "2026-03-03T00:00:00.000Z" : null,
      claimTxHash: claimed ? `0x${"ab".repeat(32)}` : null,
    })),
  });

  test("the bonus is the mid-rank percentile of campaigns allocated and claimed", async () => {
    const [a, b, c, two, five] = Array.from({ length: 5 }, createAddress) as Address[];
    if (!a || !b || !c || !two || !five) throw new Error("five addresses");
    const claims = (address: Address) => ({ address, claimed: true });
    await addSystem({
      rewards: [
        reward([{ address: a }, { address: b }, claims(two), claims(five)]),
        reward([{ address: c }, claims(five)]),
        reward([{ address: five }]),
        reward([{ address: createAddress() }], "cancelled"),
        reward([{ address: five }], "cancelled"),
      ],
    });
    await makeScoreSignals();
    const bonuses = await Promise.all([a, b, c, two, five].map(findScoreSignals));
    expect(bonuses.map((signals) => signals?.rewardsBonus)).toEqual([3, 3, 3, 7, 9]);
    expect((await findScoreSignals(createAddress()))?.rewardsBonus).toBe(0);
  });
});

test("before they were ever made, and when they are long not made, they are not known", async () => {
  expect(await findScoreSignals(createAddress())).toBeNull();
  await makeScoreSignals();
  expect(await findScoreSignals(createAddress())).not.toBeNull();
  await withDatabase((db) =>
    db.execute(sql`update score_signal_runs set made_at = now() - interval '4 days'`),
  );
  expect(await findScoreSignals(createAddress())).toBeNull();
});

test("what a fixture file adds is looked at soon, and meanwhile the old ones are known", async () => {
  await makeScoreSignals();
  await withDatabase((db) => db.execute(sql`delete from jobs`));
  const address = createAddress();
  await addSystem({ blacklist: [{ address, reason: "bot" }] });
  expect((await findScoreSignals(address))?.reasonWeight).toBe(0);
  const context = { signal: new AbortController().signal, report: () => {} };
  expect(await runQueuedJob("make-score-signals", makeScoreSignals, context)).toBe(true);
  expect((await findScoreSignals(address))?.reasonWeight).toBe(1);
});

test("what is no longer so goes the next time that they are made", async () => {
  const address = createAddress();
  await addSystem({ blacklist: [{ address, reason: "bot" }] });
  await makeScoreSignals();
  await withDatabase((db) => db.execute(sql`delete from blacklist`));
  expect((await findScoreSignals(address))?.reasonWeight).toBe(1);
  await makeScoreSignals();
  expect((await findScoreSignals(address))?.reasonWeight).toBe(0);
});
