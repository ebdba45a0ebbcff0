import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";
import type { Member } from "../access/members";
import {
  findPointsSource,
  type PointsSource,
  selectCountedPoints,
} from "../rewards/counted-points";
import { selectServedByMoves } from "../rewards/given";
import { selectWalletsOfTiers, withTiers } from "./counted-tiers";
import { type GiftCardReward, getGiftCardReward } from "./gift-cards";

/** The result in one tier of a distribution made now. */
interface TierPreview {
  readonly label: string;
  readonly minPoints: number | null;
  /** Wallets that would get a card. */
  readonly eligible: number;
  /** Wallets of the tier that have a card of the reward already, or hold the points of a wallet that has one. */
  readonly served: number;
  readonly inPool: number;
  /** The number of codes that are missing for every wallet to get one. */
  readonly missing: number;
}

/** A wallet that is left out although it has enough points. */
interface ExcludedWallet {
  readonly address: Address;
  readonly points: number;
  /** The tier that it would be in. */
  readonly label: string;
}

export interface GiftCardPreview {
  readonly tiers: readonly TierPreview[];
  /** Blacklisted wallets that have enough points: their number, and those with the most points. */
  readonly excluded: { readonly count: number; readonly wallets: readonly ExcludedWallet[] };
}

const EXCLUDED_TOLD_MAX = 20;

/**
 * Computes the result of a distribution by the points that the reward counts, as they are now.
 * @param rewardId the id as the browser sent it
 * @throws {Failure} `not_found`
 */
export async function previewGiftCards(
  member: Member,
  rewardId: string,
): Promise<{ reward: GiftCardReward; preview: GiftCardPreview }> {
  const reward = await getGiftCardReward(member, rewardId);
  const source = await findPointsSource(member.pointSystemId, reward.id);
  const [counts, excluded] = await Promise.all([
    countWallets(source, reward.id),
    listExcluded(source, reward.tiers),
  ]);
  const tiers = reward.tiers.map(({ label, minPoints, inPool }) => {
    const { eligible, served } = counts.find((count) => count.label === label) ?? NOBODY;
    return {
      label,
      minPoints,
      eligible,
      served,
      inPool,
      missing: Math.max(0, eligible - inPool),
    };
  });
  return { reward, preview: { tiers, excluded } };
}

const NOBODY = { eligible: 0, served: 0 };

/** Counts the wallets by the same choice as `assignCards` in distribution.ts. */
function countWallets(source: PointsSource, rewardId: string) {
  const { pointSystemId } = source;
  return withDatabase((db) =>
    db.execute<{ label: string; eligible: number; served: number }>(sql`
      with ${withTiers(pointSystemId, rewardId)},
      reached as materialized (
        select place, count(*) as wallets from ${selectWalletsOfTiers(source)} w group by place
      ),
      served as materialized (
        select w.place, count(*) as wallets
        from (
          select address from gift_cards
          where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
            and address is not null
          union
          select address from ${selectServedByMoves(source, "gift_cards")} m
        ) c
        join ${selectWalletsOfTiers(source)} w on w.address = c.address
        group by w.place
      )
      select t.label, (coalesce(r.wallets, 0) - coalesce(s.wallets, 0))::float8 as eligible,
        coalesce(s.wallets, 0)::float8 as served
      from tiers t
      left join reached r on r.place = t.place
      left join served s on s.place = t.place`),
  );
}

async function listExcluded(
  source: PointsSource,
  tiers: readonly { label: string; minPoints: number | null }[],
): Promise<GiftCardPreview["excluded"]> {
  const thresholds = tiers
    .flatMap(({ label, minPoints }) => (minPoints === null ? [] : [{ label, minPoints }]))
    .sort((a, b) => b.minPoints - a.minPoints);
  const lowest = thresholds.at(-1);
  if (!lowest) return { count: 0, wallets: [] };
  const rows = await withDatabase((db) =>
    db.execute<{ address: Address; points: number; count: number }>(sql`
      select '0x' || encode(b.address, 'hex') as address, w.points::float8 as points,
        (count(*) over ())::float8 as count
      from list_blacklisted(${source.pointSystemId}::uuid) b
      join ${selectCountedPoints(source)} w on w.address = b.address
      where w.points >= ${lowest.minPoints}::bigint
      order by w.points desc, b.address
      limit ${EXCLUDED_TOLD_MAX}`),
  );
  return {
    count: rows[0]?.count ?? 0,
    wallets: rows.map(({ address, points }) => {
      const { label } = thresholds.find(({ minPoints }) => points >= minPoints) ?? lowest;
      return { address, points, label };
    }),
  };
}
