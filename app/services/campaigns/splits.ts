import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { isDatabaseUnavailable } from "../../db/errors";
import { airdrops, allocations, distributions } from "../../db/schema/rewards";
import { type Campaign, type CampaignRound, isRoundRunning } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { getPointsNeeded } from "../../domain/rewards/allocation";
import { formatTokenAmount } from "../../domain/rewards/token-amount";
import type { Editor } from "../access/members";
import { findPointsSource, selectCountedPoints } from "../rewards/counted-points";
import { selectServedByMoves } from "../rewards/given";
import { requireFrozenBoard } from "../rewards/points-choice";
import { queueAllocation } from "./build/order";
import { getCampaign } from "./campaigns";
import { takeCampaignStep } from "./steps";
import { checkDeadline, parseAmount } from "./terms";

/** The time limit of a search for an eligible wallet, which may find none among a million. */
const LOOK_FOR_WALLET_MS = 2_000;

/**
 * Queues the split of a published campaign among the wallets that are eligible when the worker
 * starts it. It may be called again after the split failed.
 * @param bucketSizeChosen wallets in one merkle tree; null for the service's choice
 * @throws {Failure} `not_found`, `campaign_moved_on`, `campaign_split_running`,
 *   `campaign_no_wallets`, `deadline_passed`, `board_not_found` when the board of its points was deleted
 */
export async function startSplit(
  member: Editor,
  rewardId: string,
  bucketSizeChosen: number | null,
): Promise<void> {
  await requireFrozenBoard(member.pointSystemId, await getCampaign(member, rewardId));
  await takeCampaignStep(member, rewardId, ["active"], async (tx, campaign, audit) => {
    const { pointSystemId } = member;
    const { id, airdrop, chainId, rounds, totalAmountWei, tokenDecimals } = campaign;
    // A reorganisation makes a campaign active again that has its split.
    if (airdrop && airdrop.status !== "building") throw new Failure("campaign_moved_on");
    checkDeadline(campaign.claimDeadline);
    const last = rounds.at(-1);
    if (last && last.status !== "failed") {
      throw new Failure(isRoundRunning(last) ? "campaign_split_running" : "campaign_moved_on");
    }
    await checkEligibleWallets(tx, pointSystemId, campaign, 0);
    if (last) await removeFailedRound(tx, member, campaign, last);
    if (chainId !== null) {
      await tx
        .insert(airdrops)
        .values({ pointSystemId, rewardId: id, chainId, status: "building" })
        .onConflictDoUpdate({
          target: [airdrops.pointSystemId, airdrops.rewardId],
          set: { status: "building" },
        });
    }
    await queueAllocation(
      tx,
      { pointSystemId, rewardId: id },
      { totalAmountWei, bucketSizeChosen },
    );
    await audit({
      action: "campaign.split",
      subject: campaign.campaignId,
      after: {
        id,
        totalAmount: formatTokenAmount(totalAmountWei, tokenDecimals),
        bucketSize: bucketSizeChosen,
      },
    });
  });
}

/**
 * Queues the split of a further amount among wallets that became eligible since the last split:
 * those without a share. It replaces such a round that failed.
 * @param totalAmount the amount in whole tokens, as it was typed
 * @throws {Failure} `not_found`, `campaign_moved_on` unless the airdrop is active,
 *   `campaign_split_running`, `campaign_no_wallets`, `deadline_passed`, `token_amount_invalid`,
 *   `token_amount_too_large`
 */
export async function startRound(
  member: Editor,
  rewardId: string,
  totalAmount: string,
): Promise<void> {
  await takeCampaignStep(member, rewardId, ["distributed"], async (tx, campaign, audit) => {
    const { pointSystemId } = member;
    const { id, rounds, tokenDecimals } = campaign;
    if (campaign.airdrop?.status !== "active") throw new Failure("campaign_moved_on");
    checkDeadline(campaign.claimDeadline);
    const totalAmountWei = parseAmount(totalAmount, { tokenDecimals, isOnChain: true });
    const last = rounds.at(-1);
    // A campaign that came from a file has no row for its first split, so there is no number to
    // continue from.
    if (!last || (last.round === 0 && last.status === "failed")) {
      throw new Failure("campaign_moved_on");
    }
    if (isRoundRunning(last)) throw new Failure("campaign_split_running");
    const round = last.round + (last.status === "failed" ? 0 : 1);
    await checkEligibleWallets(tx, pointSystemId, campaign, round);
    if (last.status === "failed") await removeFailedRound(tx, member, campaign, last);
    await queueAllocation(
      tx,
      { pointSystemId, rewardId: id },
      { totalAmountWei, bucketSizeChosen: null },
    );
    await audit({
      action: "campaign.round",
      subject: campaign.campaignId,
      after: { id, totalAmount: formatTokenAmount(totalAmountWei, tokenDecimals) },
    });
  });
}

/**
 * Queues the last split again with the same terms after it failed.
 * @throws {Failure} `not_found`, `campaign_moved_on`, `deadline_passed`
 */
export async function retrySplit(member: Editor, rewardId: string): Promise<void> {
  await takeCampaignStep(
    member,
    rewardId,
    ["active", "distributed"],
    async (tx, campaign, audit) => {
      const { pointSystemId } = member;
      const last = campaign.rounds.at(-1);
      if (last?.status !== "failed") throw new Failure("campaign_moved_on");
      checkDeadline(campaign.claimDeadline);
      await removeFailedRound(tx, member, campaign, last);
      const { totalAmountWei, bucketSizeChosen, round, failure } = last;
      const key = { pointSystemId, rewardId: campaign.id };
      await queueAllocation(tx, key, { totalAmountWei, bucketSizeChosen });
      await audit({
        action: "campaign.retry",
        subject: campaign.campaignId,
        before: { id: campaign.id, round, failure },
      });
    },
  );
}

/**
 * Deletes the row of a failed round. The next split continues from the last row, and so takes the
 * failed round's number.
 */
async function removeFailedRound(
  tx: Transaction,
  { pointSystemId }: Editor,
  { id }: Campaign,
  { round }: CampaignRound,
): Promise<void> {
  await tx
    .delete(allocations)
    .where(
      and(
        eq(allocations.pointSystemId, pointSystemId),
        eq(allocations.rewardId, id),
        eq(allocations.round, round),
        eq(allocations.status, "failed"),
      ),
    );
}

/**
 * Checks that at least one wallet is eligible, and neither has a share of an earlier split nor holds the points of a
 * wallet that has one.
 */
async function checkEligibleWallets(
  tx: Transaction,
  pointSystemId: string,
  { id, minPoints }: Campaign,
  round: number,
): Promise<void> {
  const source = await findPointsSource(pointSystemId, id, tx);
  // A failed round may have left shares, which are removed when it is built again.
  const hasShare = sql`exists (
    select 1 from ${distributions} d
    where d.point_system_id = ${pointSystemId} and d.reward_id = ${id}
      and d.address = c.address and d.round < ${round}
  ) or c.address in (
    select m.address from ${selectServedByMoves(source, "distributions", { before: round })} m
  )`;
  const found = await tx
    .transaction(async (look) => {
      await look.execute(sql.raw(`set local statement_timeout = ${LOOK_FOR_WALLET_MS}`));
      return look.execute(sql`
        select from ${selectCountedPoints(source)} c
        where not c.is_blacklisted and c.points >= ${getPointsNeeded(minPoints)}::bigint and not (${hasShare})
        limit 1`);
    })
    .catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) return null;
      throw error;
    });
  // With a million wallets that have a share, this may take too long. The build checks again.
  if (found?.length === 0) throw new Failure("campaign_no_wallets");
}
