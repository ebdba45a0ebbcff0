import { sql } from "drizzle-orm";
import type { Hex } from "viem";
import { type Executor, inTransaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { requireUuid } from "../../domain/uuid";
import type { Member } from "../access/members";
import type { RewardKey } from "../trees/buckets";

/** How far the claims or payouts of a campaign have come. */
export interface ClaimCounts {
  /** The wallets and the amount of all built splits. */
  readonly wallets: number;
  readonly totalWei: bigint;
  readonly claimed: number;
  readonly claimedWei: bigint;
}

export interface ClaimProgress extends ClaimCounts {
  /** The claims of each of the last days (UTC), the oldest first. */
  readonly days: readonly { readonly day: string; readonly claims: number }[];
  /** The newest claims first. */
  readonly latest: readonly LatestClaim[];
}

interface LatestClaim {
  readonly address: Address;
  readonly amountWei: bigint;
  readonly claimedAt: Date;
  readonly txHash: Hex | null;
  /** The operator's reference of a payout by hand. */
  readonly reference: string | null;
}

const CLAIM_DAYS = 30;
const LATEST_CLAIMS = 8;

/** Counts a campaign's wallets and claims. A campaign that was split elsewhere has only shares. */
export async function countClaims(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
): Promise<ClaimCounts> {
  const [counted] = await executor.execute<{
    wallets: number;
    totalWei: string;
    claimed: number;
    claimedWei: string;
  }>(sql`
    with split as (
      select sum(wallets)::float8 as wallets, sum(total_amount_wei) as total from allocations
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and status = 'built'
    ), share as (
      select count(*)::float8 as wallets, sum(amount_wei) as total from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
        and (select wallets from split) is null
    ), claim as (
      select count(*)::float8 as wallets, sum(amount_wei) as total from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
        and claimed_at is not null
    )
    select coalesce(split.wallets, share.wallets) as wallets,
      coalesce(split.total, share.total, 0)::text as "totalWei",
      claim.wallets as claimed, coalesce(claim.total, 0)::text as "claimedWei"
    from split, share, claim`);
  if (!counted) throw new Error("An aggregate without groups has one row");
  const { wallets, claimed } = counted;
  return {
    wallets,
    claimed,
    totalWei: BigInt(counted.totalWei),
    claimedWei: BigInt(counted.claimedWei),
  };
}

/**
 * Reads the claims of a campaign: how many, per day, and the newest. They are read at one moment.
 * @param rewardId the id as the browser sent it
 * @throws {Failure} `not_found` when the id is malformed
 */
export function getClaimProgress(
  { pointSystemId }: Member,
  rewardId: string,
): Promise<ClaimProgress> {
  const key = { pointSystemId, rewardId: requireUuid(rewardId) };
  return inTransaction(
    async (tx) => ({
      ...(await countClaims(tx, key)),
      days: await countClaimsByDay(tx, key),
      latest: await listLatestClaims(tx, key),
    }),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

async function countClaimsByDay(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
): Promise<ClaimProgress["days"]> {
  return executor.execute<{ day: string; claims: number }>(sql`
    with today as (select (now() at time zone 'UTC')::date as day), counted as (
      select (claimed_at at time zone 'UTC')::date as day, count(*)::float8 as claims
      from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
        and claimed_at is not null
        and claimed_at >= ((select day from today) - ${CLAIM_DAYS - 1}::int) at time zone 'UTC'
      group by 1
    )
    select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(counted.claims, 0) as claims
    from today, lateral (
      select today.day - back as day from generate_series(0, ${CLAIM_DAYS - 1}::int) back
    ) d
    left join counted using (day)
    order by d.day`);
}

async function listLatestClaims(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
): Promise<LatestClaim[]> {
  const rows = await executor.execute<{
    address: Address;
    amountWei: string;
    claimedMs: number;
    txHash: Hex | null;
    reference: string | null;
  }>(sql`
    select '0x' || encode(address, 'hex') as address, amount_wei::text as "amountWei",
      (extract(epoch from claimed_at) * 1000)::float8 as "claimedMs",
      '0x' || encode(claim_tx_hash, 'hex') as "txHash", payout_reference as reference
    from distributions
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and claimed_at is not null
    order by claimed_at desc, address limit ${LATEST_CLAIMS}`);
  return rows.map(({ amountWei, claimedMs, ...claim }) => ({
    ...claim,
    amountWei: BigInt(amountWei),
    claimedAt: new Date(claimedMs),
  }));
}
