import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { asc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { giftCards, giftCardTiers } from "../../app/db/schema/gift-cards";
import { allocations, distributions, merkleBuckets, rewards } from "../../app/db/schema/rewards";
import { allocate } from "../../app/domain/allocation";
import { buildMerkleTree } from "../../app/domain/merkle";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { decryptGiftCardCode } from "../../app/services/gift-card-codes";
import { listBucketLeaves } from "../../app/services/merkle-buckets";
import { addressOf, changeSystem, createFile, keyring, load } from "../fixture-file";

const TOKEN_REWARD = {
  kind: "token",
  campaignName: "Season one",
  tokenType: "usdc",
  tokenSymbol: "USDC",
  tokenDecimals: 6,
  chainId: 8453,
  totalAmount: "1000",
  status: "distributed",
};

const numbered = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;

/** Loads a point system with one reward, and reads the reward back. */
async function loadReward(reward: object, fields: Record<string, unknown> = {}) {
  const file = createFile({ rewards: [reward], ...fields });
  await load(file);
  const [row] = await withDatabase((db) =>
    db.select().from(rewards).where(eq(rewards.pointSystemId, file.pointSystems[0].id)),
  );
  return row as typeof rewards.$inferSelect;
}

const listDistributions = (rewardId: string) =>
  withDatabase((db) =>
    db
      .select()
      .from(distributions)
      .where(eq(distributions.rewardId, rewardId))
      .orderBy(asc(distributions.address)),
  );

const listBuckets = (rewardId: string) =>
  withDatabase((db) =>
    db
      .select()
      .from(merkleBuckets)
      .where(eq(merkleBuckets.rewardId, rewardId))
      .orderBy(asc(merkleBuckets.bucket)),
  );

/** Whether OpenZeppelin accepts the proof that the database's rows give for a distribution. */
async function hasGoodProof(row: typeof distributions.$inferSelect): Promise<boolean> {
  const { bucket, leafIndex } = row;
  if (bucket === null || leafIndex === null) return false;
  const root = (await listBuckets(row.rewardId))[bucket]?.root;
  const leaves = await withDatabase((db) => listBucketLeaves(db, row, bucket));
  return StandardMerkleTree.verify(
    root ?? "0x",
    ["address", "uint256"],
    [row.address, row.amountWei.toString()],
    buildMerkleTree(leaves).getProof(leafIndex),
  );
}

describe("distributions", () => {
  test("with proof built get trees of 128 leaves by address, which OpenZeppelin accepts", async () => {
    const entries = Array.from({ length: 150 }, (_, i) => ({
      address: numbered(((i * 37) % 150) + 1),
      amount: `${i}.5`,
      proof: i % 15 === 0 ? "pending" : "built",
    }));
    const reward = await loadReward({
      ...TOKEN_REWARD,
      totalAmount: "20000",
      distributions: entries,
    });
    const rows = await listDistributions(reward.id);
    const built = rows.filter(({ bucket }) => bucket !== null);
    const pending = entries.filter(({ proof }) => proof === "pending");
    expect(rows).toHaveLength(150);
    expect(built.map(({ bucket, leafIndex }) => [bucket, leafIndex])).toEqual(
      Array.from({ length: 140 }, (_, i) => [Math.floor(i / 128), i % 128]),
    );
    expect(rows.filter((row) => row.bucket === null).map((row) => row.address)).toEqual(
      pending.map(({ address }) => address).sort(),
    );
    for (const i of [0, 1, 127, 128, 139]) {
      expect(await hasGoodProof(built[i] as (typeof built)[number])).toBe(true);
    }
    const buckets = await listBuckets(reward.id);
    expect(buckets.every(({ fundedAt }) => fundedAt !== null)).toBe(true);
    const sum = (rows: { amountWei: bigint }[]) => rows.reduce((a, row) => a + row.amountWei, 0n);
    expect(buckets.map(({ totalAmountWei }) => totalAmountWei)).toEqual(
      [0, 1].map((bucket) => sum(built.filter((row) => row.bucket === bucket))),
    );
  });

  test("are pending unless they say built: no bucket, hence no proof", async () => {
    const { id } = await loadReward({
      ...TOKEN_REWARD,
      distributions: [{ address: addressOf("aa"), amount: "1000" }],
    });
    expect(await listDistributions(id)).toMatchObject([{ bucket: null, leafIndex: null }]);
    expect(await listBuckets(id)).toEqual([]);
  });

  test("keep what the file says of their claims", async () => {
    const { id } = await loadReward({
      ...TOKEN_REWARD,
      distributions: [
        {
          address: addressOf("aa"),
          amount: "0.000001",
          distributedAt: "2026-03-02T01:00:00+01:00",
          claimedAt: "2026-03-03",
          claimTxHash: `0x${"Ab".repeat(32)}`,
        },
      ],
    });
    const [row] = await listDistributions(id);
    expect(row).toMatchObject({
      amountWei: 1n,
      distributedAt: new Date("2026-03-02T00:00:00Z"),
      claimedAt: new Date("2026-03-03T00:00:00Z"),
    });
    expect(Buffer.from(row?.claimTxHash ?? []).toString("hex")).toBe("ab".repeat(32));
  });
});

describe('distributions "auto"', () => {
  const held = (n: number) => 1 + ((n * 7_919) % 700);
  const entrants = Array.from({ length: 200 }, (_, i) => ({
    address: numbered(i + 1),
    points: held(i),
  }));
  const blacklisted = new Set([numbered(3), numbered(150)]);
  const terms = { minPoints: 100, maxPoints: 500 };
  const file = {
    events: entrants.map(({ address, points }) => ({ address, points })),
    blacklist: [...blacklisted].map((address) => ({ address })),
  };

  test("are the allocation by the points above, without blacklisted wallets, to the last unit", async () => {
    const { id } = await loadReward({ ...TOKEN_REWARD, ...terms, distributions: "auto" }, file);
    const rows = await listDistributions(id);
    const shares = allocate(
      entrants.filter(({ address }) => !blacklisted.has(address)),
      { totalWei: 1_000_000_000n, ...terms },
    );
    expect(new Map(rows.map((row) => [row.address, row.amountWei]))).toEqual(shares);
    expect(rows.reduce((sum, row) => sum + row.amountWei, 0n)).toBe(1_000_000_000n);
    expect(rows.length).toBeGreaterThan(128);
    // As after a build of the service itself: with this every amount can be explained.
    const points = new Map(entrants.map((entrant) => [entrant.address, entrant.points]));
    expect(rows.every((row) => row.points === points.get(row.address))).toBe(true);
    const [allocation] = await withDatabase((db) =>
      db.select().from(allocations).where(eq(allocations.rewardId, id)),
    );
    expect(allocation).toMatchObject({
      round: 0,
      status: "built",
      wallets: rows.length,
      bucketSize: 128,
      totalWeight: rows.reduce((sum, row) => sum + BigInt(Math.min(row.points ?? 0, 500)), 0n),
    });
    for (const row of [rows[0], rows[128], rows.at(-1)]) {
      expect(row && (await hasGoodProof(row))).toBe(true);
    }
  });

  test("count what the wallets held before, too", async () => {
    const system = createFile({ events: [{ address: addressOf("aa"), points: 300 }] });
    await load(system);
    const events = [{ address: addressOf("bb"), points: 100 }];
    const later = [{ ...TOKEN_REWARD, distributions: "auto" }];
    await load(changeSystem(system, { events, rewards: later }));
    const rows = await withDatabase((db) =>
      db
        .select({ address: distributions.address, amountWei: distributions.amountWei })
        .from(distributions)
        .where(eq(distributions.pointSystemId, system.pointSystems[0].id))
        .orderBy(asc(distributions.address)),
    );
    expect(rows).toEqual([
      { address: addressOf("aa"), amountWei: 750_000_000n },
      { address: addressOf("bb"), amountWei: 250_000_000n },
    ]);
  });

  test("are none when nobody is eligible", async () => {
    const { id } = await loadReward(
      { ...TOKEN_REWARD, distributions: "auto" },
      { wallets: [addressOf("aa")] },
    );
    expect(await listDistributions(id)).toEqual([]);
  });
});

test("a token reward without a campaign id gets one of the documented shape", async () => {
  const first = await loadReward({ ...TOKEN_REWARD, status: "active" });
  const second = await loadReward({ ...TOKEN_REWARD, status: "active" });
  expect(first.campaignId).toMatch(/^CMP-[0-9A-Z]{8}$/);
  expect(second.campaignId).not.toBe(first.campaignId);
});

describe("gift cards", () => {
  const GIFT_CARDS = {
    kind: "giftcard",
    campaignName: "Thank you",
    status: "distributed",
    tiers: [
      { label: "Silver", cards: [{ code: "S-1", address: addressOf("Aa"), revealed: true }] },
      {
        label: "Gold",
        cards: [{ code: "G-1", distributedAt: "2026-01-01T00:00:00Z" }, { code: "G-2" }],
      },
    ],
  };

  const listCards = (rewardId: string) =>
    withDatabase((db) => db.select().from(giftCards).where(eq(giftCards.rewardId, rewardId)));

  test("keep their tiers' order; one without an address is in the pool", async () => {
    const { id } = await loadReward(GIFT_CARDS);
    const tiers = await withDatabase((db) =>
      db
        .select({ label: giftCardTiers.label })
        .from(giftCardTiers)
        .where(eq(giftCardTiers.rewardId, id))
        .orderBy(asc(giftCardTiers.position)),
    );
    expect(tiers.map(({ label }) => label)).toEqual(["Silver", "Gold"]);
    const byCode = new Map(
      (await listCards(id)).map((card) => [decryptGiftCardCode(keyring, card, card), card]),
    );
    expect(byCode.get("S-1")).toMatchObject({
      address: addressOf("aa"),
      isRevealed: true,
      distributedAt: expect.any(Date),
    });
    const inPool = { address: null, isRevealed: false, distributedAt: null, claimedAt: null };
    expect(byCode.get("G-1")).toMatchObject(inPool);
    expect(byCode.get("G-2")).toMatchObject(inPool);
  });

  test("whose rows are swapped in the database do not decrypt", async () => {
    const { id } = await loadReward(GIFT_CARDS);
    const [one, other] = await listCards(id);
    if (!one || !other) throw new Error("There are fewer cards than were loaded");
    expect(() => decryptGiftCardCode(keyring, one, other)).toThrow();
    expect(() => decryptGiftCardCode(keyring, other, one)).toThrow();
  });

  test("need a key, and without one nothing is loaded; the same file without them needs none", async () => {
    const file = createFile({ rewards: [GIFT_CARDS], triggers: [{ key: "login", points: 1 }] });
    const getGiftCardKeyring = () => {
      throw new Error("no key here");
    };
    await expect(loadFixture(file, { getGiftCardKeyring })).rejects.toThrow("no key here");
    const loaded = await loadFixture(changeSystem(file, { rewards: [] }), { getGiftCardKeyring });
    expect(loaded.pointSystems).toMatchObject([{ triggers: 1, rewards: 0 }]);
  });
});
