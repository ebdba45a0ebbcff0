import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { withDatabase } from "../../app/db/client";
import { airdrops } from "../../app/db/schema/rewards";
import { allocate } from "../../app/domain/rewards/allocation";
import { buildMerkleTree } from "../../app/domain/trees/merkle";
import type { AllocationKey } from "../../app/services/campaigns/build/order";
import {
  createCampaign,
  fillWallets,
  getAllocation,
  listBuckets,
  listDistributions,
  orderAllocation,
} from "./campaigns";
import { createOwner } from "./operators";

export const TOTAL = 10n ** 21n + 7n;

/** Points of which many are equal, some exceed the cap and some are below the threshold. */
export const POINTS = Array.from({ length: 700 }, (_, n) => 1 + ((n * 7_919) % 97) ** 2);
export const TERMS = { minPoints: 50, maxPoints: 4_000 };

/** Creates a point system with wallets and a campaign, and orders a split. */
export async function createOrder(points: readonly number[] = POINTS, terms: object = TERMS) {
  const { pointSystemId } = await createOwner();
  await fillWallets(pointSystemId, points);
  const reward = await createCampaign(pointSystemId, { ...terms, totalAmountWei: TOTAL });
  return orderAllocation(reward, TOTAL, 128);
}

export const getAirdropStatus = async ({ rewardId }: AllocationKey) =>
  (
    await withDatabase((db) =>
      db.select({ status: airdrops.status }).from(airdrops).where(eq(airdrops.rewardId, rewardId)),
    )
  )[0]?.status;

/**
 * Checks that the stored rows equal an undisturbed build of these wallets, computed differently.
 */
export async function expectWhole(key: AllocationKey): Promise<void> {
  const allocation = await getAllocation(key);
  expect(allocation).toMatchObject({ status: "built", failure: null, bucketSize: 128 });
  const rows = (await listDistributions(key)).filter(({ round }) => round === key.round);
  const entrants = rows.map(({ address, points }) => ({ address, points: points ?? 0 }));
  expect(new Map(rows.map((row) => [row.address, row.amountWei]))).toEqual(
    allocate(entrants, { totalWei: TOTAL, ...TERMS }),
  );
  for (const bucket of await listBuckets(key)) {
    const leaves = rows.filter((row) => row.bucket === bucket.bucket);
    if (bucket.round !== key.round) continue;
    expect(`0x${Buffer.from(bucket.root ?? []).toString("hex")}`).toBe(
      buildMerkleTree(leaves).root,
    );
    expect(bucket.totalAmountWei).toBe(leaves.reduce((sum, leaf) => sum + leaf.amountWei, 0n));
  }
  expect(rows.reduce((sum, row) => sum + row.amountWei, 0n)).toBe(TOTAL);
  expect(allocation.wallets).toBe(rows.length);
  expect(allocation.walletsDone).toBe(rows.length);
}
