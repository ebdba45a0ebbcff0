import { and, desc, eq, sql } from "drizzle-orm";
import {
  type Connection,
  type ConnectionTransaction,
  type Transaction,
  withDatabase,
} from "../../../db/client";
import { allocations, rewards } from "../../../db/schema/rewards";
import { Failure } from "../../../domain/failure";
import type { AllocationStatus } from "../../../domain/rewards/reward";
import { enqueueJob, SMALL_JOB } from "../../runtime/job-queue";
import type { RewardKey } from "../../trees/buckets";

/** The key of one split of a reward, in the database and for its job. */
export interface AllocationKey extends RewardKey {
  readonly round: number;
}

/** The order for a split: the amount and the size of its trees. */
export interface AllocationOrder {
  readonly totalAmountWei: bigint;
  /** Wallets in one merkle tree; null for the service's choice. */
  readonly bucketSizeChosen: number | null;
}

/** The most wallets of a point system whose splits do not wait behind large ones: they take seconds, and little memory. */
const SMALL_WALLETS_MAX = 10_000;

const GIVEN_UP = "The build failed several times. Start it again.";

/**
 * Queues the next split of a reward in the caller's transaction; a worker builds it. Round 0 is the
 * reward's first split. A failed split is queued again under its number.
 * @param order the order, checked by the caller, who also checks that the reward's status allows a
 *   split
 * @throws {Failure} `not_found`, `allocation_under_way` while another split is being built
 */
export async function queueAllocation(
  tx: Transaction,
  { pointSystemId, rewardId }: RewardKey,
  order: AllocationOrder,
): Promise<{ round: number }> {
  // The row is locked, so that two orders at once become two rounds, or one is refused.
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
  const [small] = await tx.execute(sql`
    select from read_totals(${pointSystemId}::uuid) t where t.wallets <= ${SMALL_WALLETS_MAX}`);
  const job = small ? { ...key, ...SMALL_JOB } : key;
  await enqueueJob(tx, "build-allocation", job, `${rewardId}/${round}`);
  return { round };
}

function isOf({ pointSystemId, rewardId }: RewardKey) {
  return and(eq(allocations.pointSystemId, pointSystemId), eq(allocations.rewardId, rewardId));
}

/** Marks splits without a remaining job as failed: they were tried too often. */
export async function failAbandonedAllocations(): Promise<boolean> {
  await withDatabase((db) =>
    db.execute(sql`
      update allocations a set status = 'failed', failure = ${GIVEN_UP}
      where a.status in ('queued', 'allocating', 'building', 'checking')
        and not exists (
          select 1 from jobs j
          where j.queue = 'build-allocation' and j.key = a.reward_id || '/' || a.round
            and j.state in ('waiting', 'retry', 'active')
        )`),
  );
  return false;
}

/** The state of a build, with the terms that its steps need. */
export interface Build extends AllocationKey {
  readonly status: AllocationStatus;
  readonly totalAmountWei: bigint;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly bucketSizeChosen: number | null;
}

/** The reason why a build cannot continue, in words for the operator; null when it can. */
export type BuildProblem = string | null;

export const CANCELLED = "The reward was cancelled.";

/**
 * Reads the state of a build.
 * @returns null when there is nothing to build, also when the point system was deleted
 */
export async function findBuild(connection: Connection, key: AllocationKey): Promise<Build | null> {
  const { pointSystemId, rewardId, round } = key;
  const [row] = await connection<
    {
      status: AllocationStatus;
      totalAmountWei: string;
      minPoints: string;
      maxPoints: string | null;
      bucketSizeChosen: number | null;
    }[]
  >`
    select a.status, a.total_amount_wei as "totalAmountWei", r.min_points as "minPoints",
      r.max_points as "maxPoints", a.bucket_size_chosen as "bucketSizeChosen"
    from allocations a
    join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
    join point_systems p on p.id = a.point_system_id and p.deleted_at is null
    where a.point_system_id = ${pointSystemId} and a.reward_id = ${rewardId} and a.round = ${round}`;
  if (!row) return null;
  return {
    pointSystemId,
    rewardId,
    round,
    status: row.status,
    totalAmountWei: BigInt(row.totalAmountWei),
    minPoints: Number(row.minPoints),
    maxPoints: row.maxPoints === null ? null : Number(row.maxPoints),
    bucketSizeChosen: row.bucketSizeChosen,
  };
}

/**
 * Locks a build for one step, and checks that it is still in the status in which it was found.
 * False when it is not, or when another process does this step.
 */
export async function lockBuild(tx: ConnectionTransaction, build: Build): Promise<boolean> {
  const { pointSystemId, rewardId, round, status } = build;
  const name = `allocation:${rewardId}/${round}`;
  // The lock ends with the transaction, and so with the process too, even if the process is killed.
  const [lock] = await tx<{ isTaken: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as "isTaken"`;
  if (!lock?.isTaken) return false;
  const found = await tx`
    select from allocations
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
      and status = ${status}`;
  return found.length === 1;
}

/**
 * Checks that the reward is still to be built, and keeps it so until the transaction ends. Call it
 * before the build's own row is changed: a cancellation locks the rows in this order.
 */
export async function holdReward(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId }: Build,
): Promise<boolean> {
  const found = await tx`
    select from rewards r
    join point_systems p on p.id = r.point_system_id and p.deleted_at is null
    where r.point_system_id = ${pointSystemId} and r.id = ${rewardId} and r.status <> 'cancelled'
    for share of r`;
  return found.length === 1;
}

/**
 * Moves a build to its next step, whose progress is counted from 0, or completes it.
 * @returns a problem when the build is no longer in the status in which it was found: it was given up, or ordered again
 */
export async function moveOn(
  sql: Connection | ConnectionTransaction,
  { pointSystemId, rewardId, round, status }: Build,
  next: AllocationStatus,
): Promise<BuildProblem> {
  const isBuilt = next === "built";
  const { count } = await sql`
    update allocations set status = ${next}, wallets_done = case when ${isBuilt} then wallets else 0 end,
      built_at = case when ${isBuilt} then now() end
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
      and status = ${status}`;
  return count === 1 ? null : "The split was ordered again.";
}

/** Marks a build that cannot continue as failed. */
export async function failBuild(
  sql: Connection | ConnectionTransaction,
  { pointSystemId, rewardId, round, status }: Build,
  reason: string,
): Promise<void> {
  await sql`
    update allocations set status = 'failed', failure = ${reason}
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
      and status = ${status}`;
}
