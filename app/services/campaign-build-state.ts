import type { Sql, TransactionSql } from "postgres";
import type { AllocationStatus } from "../domain/reward";
import type { AllocationKey } from "./campaign-build";

/** Where a build stands and what it needs to go on. */
export interface Build extends AllocationKey {
  readonly status: AllocationStatus;
  readonly totalAmountWei: bigint;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly bucketSizeChosen: number | null;
}

/** Why a build cannot go on, in words for the operator; null when it can. */
export type Refusal = string | null;

export const CANCELLED = "The reward was cancelled.";

/** @returns null when there is nothing to build: also when its point system was deleted */
export async function findBuild(connection: Sql, key: AllocationKey): Promise<Build | null> {
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

/** Whether the build still is where it was found, and nobody else does this step. */
export async function lockBuild(tx: TransactionSql, build: Build): Promise<boolean> {
  const { pointSystemId, rewardId, round, status } = build;
  const name = `allocation:${rewardId}/${round}`;
  // Ends with the transaction, so with the process too, however that ends.
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
 * Whether the reward still is to be built. It stays so until the transaction ends: call it before
 * the build's own row is changed, as whoever cancels a reward takes them in this order.
 */
export async function holdReward(
  tx: TransactionSql,
  { pointSystemId, rewardId }: Build,
): Promise<boolean> {
  const found = await tx`
    select from rewards r
    join point_systems p on p.id = r.point_system_id and p.deleted_at is null
    where r.point_system_id = ${pointSystemId} and r.id = ${rewardId} and r.status <> 'cancelled'
    for share of r`;
  return found.length === 1;
}

/** Begins the next step, whose wallets are counted from 0. */
export async function moveOn(
  sql: Sql | TransactionSql,
  { pointSystemId, rewardId, round, status }: Build,
  next: AllocationStatus,
): Promise<void> {
  await sql`
    update allocations set status = ${next}, wallets_done = 0
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
      and status = ${status}`;
}

/** Ends a build that cannot go on. */
export async function failBuild(
  sql: Sql | TransactionSql,
  { pointSystemId, rewardId, round, status }: Build,
  reason: string,
): Promise<void> {
  await sql`
    update allocations set status = 'failed', failure = ${reason}
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
      and status = ${status}`;
}
