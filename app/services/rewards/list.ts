import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { airdrops, rewards } from "../../db/schema/rewards";
import type { Cursor } from "../../domain/cursor";
import type { AirdropStatus, RewardKind, RewardStatus } from "../../domain/rewards/reward";
import type { Member } from "../access/members";
import { type KeysetPage, readKeysetPage, type Slice } from "../runtime/keyset";
import { isAirdropOver } from "./active-airdrop";
import { isAirdropOfReward } from "./joins";

/** A reward of either kind as the list shows it. */
export interface RewardSummary {
  readonly id: string;
  readonly kind: RewardKind;
  /** The id of the campaign; null for gift card rewards. */
  readonly campaignId: string | null;
  readonly campaignName: string;
  readonly status: RewardStatus;
  readonly airdropStatus: AirdropStatus | null;
  readonly isSplit: boolean;
  readonly isOver: boolean;
  readonly chainId: number | null;
  readonly tokenSymbol: string | null;
  readonly tokenDecimals: number | null;
  readonly totalAmountWei: bigint | null;
  /** The number of wallets with a share or with a gift card; at most `WALLETS_COUNTED_MAX` + 1. */
  readonly wallets: number;
  readonly createdAt: Date;
}

/**
 * The most wallets that are counted for a reward whose split has not stored their number, since
 * counting is slow.
 */
export const WALLETS_COUNTED_MAX = 10_000;

/** Lists a point system's rewards of both kinds, newest first. */
export function listRewardEntries(
  { pointSystemId }: Member,
  cursor: Cursor | null = null,
): Promise<KeysetPage<RewardSummary>> {
  return readKeysetPage(
    {
      date: rewards.createdAt,
      id: rewards.id,
      keyOf: ({ createdAt, id }) => ({ date: createdAt, id }),
      select: (slice) => selectRewards(pointSystemId, slice),
    },
    cursor,
  );
}

/** Lists the newest published rewards of both kinds. */
export function listNewestRewards({ pointSystemId }: Member, limit: number) {
  const where = inArray(rewards.status, ["active", "distributed"]);
  const orderBy = [desc(rewards.createdAt), desc(rewards.id)];
  return selectRewards(pointSystemId, { where, orderBy, limit });
}

function selectRewards(
  pointSystemId: string,
  { where, orderBy, limit }: Omit<Slice, "cursor">,
): Promise<RewardSummary[]> {
  return withDatabase((db) =>
    db
      .select({
        id: rewards.id,
        kind: rewards.kind,
        campaignId: rewards.campaignId,
        campaignName: rewards.campaignName,
        status: rewards.status,
        airdropStatus: airdrops.status,
        isSplit: sql<boolean>`exists (
          select 1 from allocations a where a.point_system_id = ${rewards.pointSystemId}
            and a.reward_id = ${rewards.id} and a.status = 'built')`,
        isOver: isAirdropOver(),
        chainId: rewards.chainId,
        tokenSymbol: rewards.tokenSymbol,
        tokenDecimals: rewards.tokenDecimals,
        totalAmountWei: rewards.totalAmountWei,
        wallets: walletCount,
        createdAt: rewards.createdAt,
      })
      .from(rewards)
      .leftJoin(airdrops, isAirdropOfReward())
      .where(and(eq(rewards.pointSystemId, pointSystemId), where))
      .orderBy(...orderBy)
      .limit(limit),
  );
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
