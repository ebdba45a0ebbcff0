import { and, asc, eq, gt, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import type { Campaign, Eligibility } from "../../domain/campaigns/campaign";
import { explainShare, getPointsNeeded } from "../../domain/rewards/allocation";
import type { Member } from "../access/members";
import { findBlacklistEntry } from "../ledger/blacklist-entries";
import { findPrimary } from "../ledger/primaries";
import { findPointsSource, selectCountedPoints } from "../rewards/counted-points";
import { selectServedByMoves } from "../rewards/given";
import { isBucketOfShare, isShareOf } from "../trees/proofs";

/** A wallet's share of a campaign as the list shows it. */
export interface CampaignWallet {
  readonly address: Address;
  readonly points: number | null;
  readonly amountWei: bigint;
  readonly round: number;
  readonly claimedAt: Date | null;
  /** The reference of a payout by hand. */
  readonly payoutReference: string | null;
}

/** The figures from which a wallet's amount was computed. */
type WalletExplanation = ReturnType<typeof explainShare> & {
  readonly points: number;
  readonly totalWei: bigint;
  readonly totalWeight: bigint;
};

/** A wallet's share of a campaign with its explanation. */
export interface WalletShare extends CampaignWallet {
  readonly id: string;
  /** Null for an amount that was not computed here. */
  readonly explanation: WalletExplanation | null;
  readonly snapshotAt: Date | null;
  readonly bucket: number | null;
  readonly leafIndex: number | null;
  readonly hasProof: boolean;
  readonly distributedAt: Date;
  readonly claimTxHash: string | null;
}

const WALLETS_PAGE_SIZE = 50;

/**
 * Lists the wallets with a share of a campaign, by address.
 * @param after the last wallet of the previous page; null for the first page
 */
export async function listCampaignWallets(
  member: Member,
  campaign: Campaign,
  after: Address | null,
): Promise<{ wallets: CampaignWallet[]; hasMore: boolean }> {
  const rows = await withDatabase((db) =>
    db
      .select({
        address: distributions.address,
        points: distributions.points,
        amountWei: distributions.amountWei,
        round: distributions.round,
        claimedAt: distributions.claimedAt,
        payoutReference: distributions.payoutReference,
      })
      .from(distributions)
      .where(
        and(
          isOfCampaign(member, campaign),
          after === null ? undefined : gt(distributions.address, after),
        ),
      )
      .orderBy(asc(distributions.address))
      .limit(WALLETS_PAGE_SIZE + 1),
  );
  return { wallets: rows.slice(0, WALLETS_PAGE_SIZE), hasMore: rows.length > WALLETS_PAGE_SIZE };
}

/** Finds a wallet's share with the figures behind it; null when the wallet has none. */
export async function findWalletShare(
  member: Member,
  campaign: Campaign,
  address: Address,
): Promise<WalletShare | null> {
  const [row] = await withDatabase((db) =>
    db
      .select({
        id: distributions.id,
        address: distributions.address,
        points: distributions.points,
        amountWei: distributions.amountWei,
        round: distributions.round,
        bucket: distributions.bucket,
        leafIndex: distributions.leafIndex,
        distributedAt: distributions.distributedAt,
        claimedAt: distributions.claimedAt,
        payoutReference: distributions.payoutReference,
        claimTxHash: distributions.claimTxHash,
        root: merkleBuckets.root,
      })
      .from(distributions)
      .leftJoin(merkleBuckets, isBucketOfShare())
      .where(
        isShareOf(
          sql.param(member.pointSystemId),
          sql.param(campaign.id),
          sql.param(address, distributions.address),
        ),
      ),
  );
  if (!row) return null;
  const { root, claimTxHash, ...share } = row;
  const round = campaign.rounds.find((one) => one.round === row.round);
  return {
    ...share,
    explanation: explain(share, campaign, round),
    snapshotAt: round?.snapshotAt ?? null,
    hasProof: root !== null,
    claimTxHash: claimTxHash && `0x${Buffer.from(claimTxHash).toString("hex")}`,
  };
}

/** Computes a wallet's standing by a campaign's terms at this moment. */
export async function getEligibility(
  member: Member,
  {
    id,
    minPoints,
    maxPoints,
  }: Pick<Campaign, "minPoints" | "maxPoints"> & { readonly id?: string },
  address: Address,
): Promise<Eligibility> {
  const primary = await findPrimary(member.pointSystemId, address);
  const [entry, blacklisted] = await Promise.all([
    findCountedPoints(member.pointSystemId, id ?? null, address),
    findBlacklistEntry(member, primary ?? address),
  ]);
  if (blacklisted) return { kind: "blacklisted", since: blacklisted.date };
  if (!entry) return primary ? { kind: "linked", primary } : { kind: "unknown" };
  const { points } = entry;
  const needed = getPointsNeeded(minPoints);
  if (points < needed) return { kind: "below", points, needed };
  if (entry.former !== null) return { kind: "served", former: entry.former };
  return {
    kind: "eligible",
    points,
    weight: maxPoints === null ? points : Math.min(points, maxPoints),
  };
}

async function findCountedPoints(pointSystemId: string, rewardId: string | null, address: Address) {
  const source = await findPointsSource(pointSystemId, rewardId);
  const wallet = sql`${sql.param(address, distributions.address)}::bytea`;
  const served = selectServedByMoves(source, "distributions", { wallet });
  const former =
    rewardId === null
      ? sql`null`
      : sql`(select '0x' || encode(m.former, 'hex') from ${served} m where m.address = c.address limit 1)`;
  const [row] = await withDatabase((db) =>
    db.execute<{ points: number; former: Address | null }>(sql`
      select c.points::float8 as points, ${former} as former
      from ${selectCountedPoints(source, address)} c`),
  );
  return row;
}

function explain(
  { points, amountWei }: CampaignWallet,
  { maxPoints }: Campaign,
  round: Campaign["rounds"][number] | undefined,
): WalletExplanation | null {
  if (points === null || !round || round.totalWeight === null) return null;
  const { totalAmountWei: totalWei, totalWeight } = round;
  const shares = explainShare({ points, amountWei }, { totalWei, maxPoints, totalWeight });
  return { ...shares, points, totalWei, totalWeight };
}

function isOfCampaign({ pointSystemId }: Member, { id }: Campaign) {
  return and(eq(distributions.pointSystemId, pointSystemId), eq(distributions.rewardId, id));
}
