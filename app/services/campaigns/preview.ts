import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";
import type { CampaignTerms } from "../../domain/campaigns/campaign";
import {
  chooseBucketSize,
  estimateClaimGas,
  estimateCreationGas,
  listBucketSizes,
} from "../../domain/campaigns/cost";
import { getPointsNeeded } from "../../domain/rewards/allocation";
import type { Member } from "../access/members";
import { listLeaderboard } from "../board/leaderboard";
import { findTotals } from "../point-systems/totals";
import {
  findPointsSource,
  type PointsSource,
  selectCountedPoints,
} from "../rewards/counted-points";

/**
 * The result of a split if it were made now. Amounts are rounded down; the split itself may add one
 * unit.
 */
export interface SplitPreview {
  readonly wallets: number;
  readonly totalWeight: bigint;
  /** Wallets whose points count only up to the cap. */
  readonly cappedWallets: number;
  /** The wallets without a share, counted by reason. */
  readonly excluded: {
    readonly belowMinimum: number;
    readonly withoutPoints: number;
    readonly blacklisted: number;
  };
  readonly medianWei: bigint;
  readonly smallestWei: bigint;
  readonly largest: readonly PreviewShare[];
  /**
   * The wallets counted by amount: ascending bins that do not overlap and together hold all
   * wallets.
   */
  readonly bins: readonly PreviewBin[];
}

interface PreviewShare {
  readonly address: Address;
  readonly points: number;
  readonly amountWei: bigint;
}

interface PreviewBin {
  /** The weight of the bin's smallest wallet, and its amount. */
  readonly fromWeight: number;
  readonly fromWei: bigint;
  /** The amount of the bin's largest wallet. */
  readonly toWei: bigint;
  readonly wallets: number;
}

/** The cost of one size of the merkle trees on chain, in gas. */
export interface BucketCost {
  readonly bucketSize: number;
  readonly isDefault: boolean;
  readonly buckets: number;
  readonly creationGas: number;
  readonly transactions: number;
  readonly newHolderGas: number;
  readonly holderGas: number;
}

interface SplitTerms extends Pick<CampaignTerms, "totalAmountWei" | "minPoints" | "maxPoints"> {
  /** The campaign, whose terms say which points count. Without one, all do. */
  readonly id?: string;
}

const LARGEST_SHOWN = 10;
const BINS_MAX = 10;

/** Computes a split without writing it. Only the largest wallets are read one by one. */
export async function previewSplit(
  { pointSystemId }: Member,
  { id, totalAmountWei, minPoints, maxPoints }: SplitTerms,
): Promise<SplitPreview> {
  const needed = getPointsNeeded(minPoints);
  const source = await findPointsSource(pointSystemId, id ?? null);
  const [sums, totals] = await Promise.all([
    readSums(source, needed, maxPoints),
    findWalletTotals(source),
  ]);
  const { wallets, totalWeight, leastPoints, mostPoints, cappedWallets, withoutPoints } = sums;
  const toWeight = (points: number) => (maxPoints === null ? points : Math.min(points, maxPoints));
  const toAmount = (points: number) =>
    totalWeight === 0n ? 0n : (totalAmountWei * BigInt(toWeight(points))) / totalWeight;
  const onBoard = totals.wallets - totals.blacklistedWallets;
  const [top, middle, bins] = await Promise.all([
    listByPoints(source, { page: 1, limit: LARGEST_SHOWN }),
    listByPoints(source, { page: Math.max(1, Math.ceil(wallets / 2)), limit: 1 }),
    readBins(source, needed, maxPoints, [toWeight(leastPoints), toWeight(mostPoints)]),
  ]);
  return {
    wallets,
    totalWeight,
    cappedWallets,
    excluded: {
      belowMinimum: Math.max(0, onBoard - wallets - withoutPoints),
      withoutPoints,
      blacklisted: totals.blacklistedWallets,
    },
    medianWei: wallets === 0 ? 0n : toAmount(middle[0]?.points ?? 0),
    smallestWei: toAmount(leastPoints),
    largest: top
      .filter(({ points }) => points >= needed)
      .map(({ address, points }) => ({ address, points, amountWei: toAmount(points) })),
    bins: bins.map(({ least, most, wallets: count }) => ({
      fromWeight: least,
      fromWei: toAmount(least),
      toWei: toAmount(most),
      wallets: count,
    })),
  };
}

/** Lists the cost of each size of the merkle trees for a number of wallets. */
export function listBucketCosts(eligibleWallets: number): BucketCost[] {
  // Without eligible wallets, the costs are those for one wallet.
  const wallets = Math.max(1, eligibleWallets);
  const chosen = chooseBucketSize(wallets);
  return listBucketSizes(wallets).map((bucketSize) => {
    const { buckets, gas, transactions } = estimateCreationGas(wallets, bucketSize);
    const { newHolderGas, holderGas } = estimateClaimGas(bucketSize, wallets);
    return {
      bucketSize,
      isDefault: bucketSize === chosen,
      buckets,
      creationGas: gas,
      transactions,
      newHolderGas,
      holderGas,
    };
  });
}

const countsAll = ({ windowId, isBalance, familyId }: PointsSource) =>
  windowId === null && !isBalance && familyId === null;

async function findWalletTotals(source: PointsSource) {
  if (countsAll(source)) return findTotals(source.pointSystemId);
  const [row] = await withDatabase((db) =>
    db.execute<{ wallets: number; blacklistedWallets: number }>(sql`
      select count(*)::float8 as wallets,
        count(*) filter (where is_blacklisted)::float8 as "blacklistedWallets"
      from ${selectCountedPoints(source)} c`),
  );
  return row ?? { wallets: 0, blacklistedWallets: 0 };
}

/** Lists wallets that are not blacklisted by points, then by address. All points have an index and ranks. */
async function listByPoints(
  source: PointsSource,
  { page, limit }: { page: number; limit: number },
): Promise<readonly { address: Address; points: number }[]> {
  if (countsAll(source)) {
    return (await listLeaderboard(source.pointSystemId, { page, limit })).leaderboard;
  }
  return withDatabase((db) =>
    db.execute<{ address: Address; points: number }>(sql`
      select '0x' || encode(c.address, 'hex') as address, c.points::float8 as points
      from ${selectCountedPoints(source)} c where not c.is_blacklisted
      order by c.points desc, c.address
      limit ${limit}::int offset ${(page - 1) * limit}::bigint`),
  );
}

async function readSums(source: PointsSource, needed: number, maxPoints: number | null) {
  const [row] = await withDatabase((db) =>
    db.execute<{
      wallets: number;
      totalWeight: string;
      leastPoints: number;
      mostPoints: number;
      cappedWallets: number;
      withoutPoints: number;
    }>(sql`
      select count(*)::float8 as wallets,
        coalesce(sum(least(points, ${maxPoints}::bigint)), 0)::text as "totalWeight",
        coalesce(min(points), 0)::float8 as "leastPoints",
        coalesce(max(points), 0)::float8 as "mostPoints",
        count(*) filter (where points > ${maxPoints}::bigint)::float8 as "cappedWallets",
        (
          select count(*) from ${selectCountedPoints(source)} w where not is_blacklisted and points < 1
        )::float8 as "withoutPoints"
      from ${selectCountedPoints(source)} w
      where not is_blacklisted and points >= ${needed}::bigint`),
  );
  if (!row) throw new Error("An aggregate without groups has one row");
  return { ...row, totalWeight: BigInt(row.totalWeight) };
}

/**
 * Counts wallets by weight. Each bound is a constant multiple of the one before, since points
 * spread widely.
 */
async function readBins(
  source: PointsSource,
  needed: number,
  maxPoints: number | null,
  [least, most]: readonly [number, number],
): Promise<{ least: number; most: number; wallets: number }[]> {
  if (most === 0) return [];
  const ratio = most / least;
  const steps = Array.from({ length: BINS_MAX }, (_, i) =>
    Math.ceil(least * ratio ** (i / BINS_MAX)),
  );
  const edges = [...new Set(steps)].map(String);
  return withDatabase((db) =>
    db.execute<{ least: number; most: number; wallets: number }>(sql`
      select min(weight)::float8 as least, max(weight)::float8 as most, count(*)::float8 as wallets
      from (
        select least(points, ${maxPoints}::bigint) as weight from ${selectCountedPoints(source)} w
        where not is_blacklisted and points >= ${needed}::bigint
      ) as eligible
      group by width_bucket(weight, ${toArrayLiteral(edges)}::bigint[])
      order by 1`),
  );
}
