import { and, desc, eq, sql } from "drizzle-orm";
import { getDatabaseOptions, type Transaction, withDatabase } from "../db/client";
import { allocations, rewards } from "../db/schema/rewards";
import { Failure } from "../domain/failure";
import { enqueueJob } from "./job-queue";
import type { RewardKey } from "./merkle-buckets";
import { runInThread } from "./threads";

/** Names one split of a reward: its key in the database, and what its job is about. */
export interface AllocationKey extends RewardKey {
  readonly round: number;
}

/** What is split, and how. */
export interface AllocationOrder {
  readonly totalAmountWei: bigint;
  /** Wallets a merkle tree; null for the service's choice. */
  readonly bucketSizeChosen: number | null;
}

const GIVEN_UP = "The build was tried several times and did not end. Start it again.";

/**
 * Orders the next split of a reward, in the caller's transaction; a worker builds it. Round 0 is the
 * reward's own. One that failed is ordered again under its number.
 * @param order checked by the caller, as is that the reward's status lets it be split
 * @throws {Failure} `not_found`, `allocation_under_way`
 */
export async function queueAllocation(
  tx: Transaction,
  { pointSystemId, rewardId }: RewardKey,
  order: AllocationOrder,
): Promise<{ round: number }> {
  // Held, so that two orders at once are two rounds or one refusal.
  const [reward] = await tx
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, rewardId)))
    .for("no key update");
  if (!reward) throw new Failure("not_found");
  const [latest] = await tx
    .select({ round: allocations.round, status: allocations.status })
    .from(allocations)
    .where(isOf({ pointSystemId, rewardId }))
    .orderBy(desc(allocations.round))
    .limit(1);
  if (latest && latest.status !== "built" && latest.status !== "failed") {
    throw new Failure("allocation_under_way");
  }
  const isAgain = latest?.status === "failed";
  const round = latest ? latest.round + (isAgain ? 0 : 1) : 0;
  const key = { pointSystemId, rewardId, round };
  if (isAgain) {
    await tx
      .update(allocations)
      .set({ ...order, status: "queued", failure: null, walletsDone: 0 })
      .where(and(isOf(key), eq(allocations.round, round)));
  } else {
    await tx.insert(allocations).values({ ...key, ...order, status: "queued" });
  }
  await enqueueJob(tx, "build-allocation", key, `${rewardId}/${round}`);
  return { round };
}

function isOf({ pointSystemId, rewardId }: RewardKey) {
  return and(eq(allocations.pointSystemId, pointSystemId), eq(allocations.rewardId, rewardId));
}

/**
 * Builds what was ordered, from wherever an earlier try has ended. Takes a thread of its own: a
 * million wallets are a minute's work.
 */
export async function buildAllocationInThread(
  key: AllocationKey,
  signal: AbortSignal,
): Promise<void> {
  await runInThread(
    "campaign-build-thread",
    { key, databaseOptions: getDatabaseOptions() },
    signal,
  );
}

/** Says so of splits for which no job is left: they were tried too often. */
export async function failAbandonedAllocations(): Promise<boolean> {
  await withDatabase((db) =>
    db.execute(sql`
      update allocations a set status = 'failed', failure = ${GIVEN_UP}
      where a.status in ('queued', 'allocating', 'building', 'checking')
        and not exists (
          select from pgboss.job j
          where j.name = 'build-allocation' and j.singleton_key = a.reward_id || '/' || a.round
            and j.state in ('created', 'retry', 'active')
        )`),
  );
  return false;
}
