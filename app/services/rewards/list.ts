import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { airdrops, rewards } from "../../db/schema/rewards";
import type { AirdropStatus, RewardKind, RewardStatus } from "../../domain/rewards/reward";
import type { Member } from "../access/members";

/** A reward of either kind, as the list shows it. */
export interface RewardSummary {
  readonly id: string;
  readonly kind: RewardKind;
  /** Token rewards have one. */
  readonly campaignId: string | null;
  readonly campaignName: string;
  readonly status: RewardStatus;
  readonly airdropStatus: AirdropStatus | null;
  readonly chainId: number | null;
  readonly tokenSymbol: string | null;
  readonly tokenDecimals: number | null;
  readonly totalAmountWei: bigint | null;
  /** How many wallets it was split among, or how many have a gift card; at most `WALLETS_COUNTED_MAX` + 1. */
  readonly wallets: number;
  readonly createdAt: Date;
}

/** Where a reward stands among the others, for the page after it. */
export interface RewardCursor {
  readonly createdAt: Date;
  readonly id: string;
}

const REWARDS_PAGE_SIZE = 50;

/** Wallets are counted so far where no split has kept their number: counting takes its time. */
export const WALLETS_COUNTED_MAX = 10_000;

/** A point system's rewards of both kinds, newest first, and whether there are older ones. */
export async function listRewards(
  { pointSystemId }: Member,
  before: RewardCursor | null = null,
): Promise<{ rewards: RewardSummary[]; hasMore: boolean }> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: rewards.id,
        kind: rewards.kind,
        campaignId: rewards.campaignId,
        campaignName: rewards.campaignName,
        status: rewards.status,
        airdropStatus: airdrops.status,
        chainId: rewards.chainId,
        tokenSymbol: rewards.tokenSymbol,
        tokenDecimals: rewards.tokenDecimals,
        totalAmountWei: rewards.totalAmountWei,
        wallets: walletCount,
        createdAt: rewards.createdAt,
      })
      .from(rewards)
      .leftJoin(
        airdrops,
        and(eq(airdrops.pointSystemId, rewards.pointSystemId), eq(airdrops.rewardId, rewards.id)),
      )
      .where(
        and(
          eq(rewards.pointSystemId, pointSystemId),
          before === null
            ? undefined
            : or(
                lt(rewards.createdAt, before.createdAt),
                and(eq(rewards.createdAt, before.createdAt), lt(rewards.id, before.id)),
              ),
        ),
      )
      .orderBy(desc(rewards.createdAt), desc(rewards.id))
      .limit(REWARDS_PAGE_SIZE + 1),
  );
  return { rewards: rows.slice(0, REWARDS_PAGE_SIZE), hasMore: rows.length > REWARDS_PAGE_SIZE };
}

const countedMax = sql.raw(String(WALLETS_COUNTED_MAX + 1));

const walletCount = sql<number>`(case when ${rewards.kind} = 'giftcard' then (
  select count(*) from (
    select 1 from gift_cards c where c.point_system_id = ${rewards.pointSystemId}
      and c.reward_id = ${rewards.id} and c.address is not null limit ${countedMax}
  ) as given
) else coalesce(
  (
    select sum(a.wallets) from allocations a where a.point_system_id = ${rewards.pointSystemId}
      and a.reward_id = ${rewards.id} and a.status = 'built'
  ),
  (
    select count(*) from (
      select 1 from distributions d where d.point_system_id = ${rewards.pointSystemId}
        and d.reward_id = ${rewards.id} limit ${countedMax}
    ) as given
  )
) end)::float8`;
