import { and, count, eq, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { rewards } from "../../db/schema/rewards";
import { type Campaign, type CampaignTerms, isSplit } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { generateCampaignId } from "../../domain/random-id";
import { formatTokenAmount } from "../../domain/rewards/token-amount";
import { recordAudit } from "../access/audit-log";
import type { Editor, Member } from "../access/members";
import { type Step, takeStep } from "../access/take-step";
import { requireFrozenBoard } from "../rewards/points-choice";
import { deriveDraftId } from "../rewards/terms-digest";
import { sayEvent } from "../webhooks/outbox/say-event";
import { digestTerms, getCampaign, isReward, lockCampaign } from "./campaigns";
import { type CampaignDraft, checkDeadline, describeTerms, settleTerms } from "./terms";

/** The most drafts in a point system. */
const DRAFTS_MAX = 100;
/**
 * The most attempts to find a free id. With a campaign for every human, every second code would
 * still be free.
 */
const ID_ATTEMPTS_MAX = 20;

/**
 * Creates a draft of a campaign. Only the point system's members see it.
 * @param options.token the token of the form, which drafts the same terms once; a new one when left out
 * @throws {Failure} `too_many_campaign_drafts`, and the failures of `settleTerms`
 */
export async function createDraft(
  { actor, pointSystemId }: Editor,
  draft: CampaignDraft,
  { token = createEventId(), generateId = generateCampaignId } = {},
): Promise<{ id: string; campaignId: string }> {
  const terms = await settleTerms(pointSystemId, draft);
  const id = deriveDraftId(token, pointSystemId, digestTerms(terms));
  return inTransaction(async (tx) => {
    const [drafts] = await tx
      .select({ count: count() })
      .from(rewards)
      .where(and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.status, "draft")));
    const { campaignId, isNew } = await insertDraft(
      tx,
      { ...terms, pointSystemId, id },
      generateId,
    );
    if (!isNew) return { id, campaignId };
    if ((drafts?.count ?? 0) >= DRAFTS_MAX) throw new Failure("too_many_campaign_drafts");
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "campaign.create",
      subject: campaignId,
      after: { id, ...describeTerms(terms) },
    });
    return { id, campaignId };
  });
}

/**
 * Changes a draft. The terms of a published campaign stay as they are.
 * @throws {Failure} `not_found`, `campaign_moved_on`, and the failures of `settleTerms`
 */
export async function updateDraft(
  member: Editor,
  rewardId: string,
  draft: CampaignDraft,
): Promise<void> {
  // The chain is read before any row is locked.
  const terms = await settleTerms(member.pointSystemId, draft);
  await takeCampaignStep(member, rewardId, ["draft"], async (tx, before, audit) => {
    await tx.update(rewards).set(terms).where(isReward(member, rewardId));
    await audit({
      action: "campaign.update",
      subject: before.campaignId,
      before: describeTerms(before),
      after: describeTerms(terms),
    });
  });
}

/**
 * Deletes a draft.
 * @throws {Failure} `not_found`, `campaign_moved_on`
 */
export async function deleteDraft(
  member: Editor,
  rewardId: string,
): Promise<{ campaignName: string }> {
  return takeCampaignStep(member, rewardId, ["draft"], async (tx, before, audit) => {
    await tx.delete(rewards).where(isReward(member, rewardId));
    await audit({
      action: "campaign.delete",
      subject: before.campaignId,
      before: { id: before.id, ...describeTerms(before) },
    });
    return { campaignName: before.campaignName };
  });
}

/**
 * Publishes a draft. From then on its terms are fixed and the API lists it.
 * @param seenTerms `digestTerms` of the terms that the operator saw
 * @throws {Failure} `not_found`, `campaign_moved_on`, `campaign_changed`, `deadline_passed`, `board_not_found`,
 *   `points_board_open`
 */
export async function publish(
  member: Editor,
  rewardId: string,
  seenTerms: string,
): Promise<{ campaignName: string }> {
  // The ledger is locked before the campaign. Terms that change meanwhile have another digest.
  await requireFrozenBoard(member.pointSystemId, await getCampaign(member, rewardId));
  return takeCampaignStep(member, rewardId, ["draft"], async (tx, before, audit) => {
    if (digestTerms(before) !== seenTerms) throw new Failure("campaign_changed");
    checkDeadline(before.claimDeadline);
    await tx
      .update(rewards)
      .set({ status: "active", publishedAt: sql`now()` })
      .where(isReward(member, rewardId));
    await audit({
      action: "campaign.publish",
      subject: before.campaignId,
      after: { id: before.id, ...describeTerms(before) },
    });
    await sayCampaign(tx, member, "campaign.published", before);
    return { campaignName: before.campaignName };
  });
}

/**
 * Cancels a campaign that is not on chain. A split that is under way is abandoned.
 * @param confirmation the campaign's `CMP-` id, as the operator typed it
 * @throws {Failure} `not_found`, `confirmation_wrong`, `campaign_moved_on`, `campaign_on_chain`
 */
export async function cancelCampaign(
  member: Editor,
  rewardId: string,
  confirmation: string,
): Promise<{ campaignName: string }> {
  return takeCampaignStep(member, rewardId, ["draft", "active"], async (tx, before, audit) => {
    if (before.airdrop?.onchainId != null) throw new Failure("campaign_on_chain");
    if (confirmation.trim().toUpperCase() !== before.campaignId.toUpperCase()) {
      throw new Failure("confirmation_wrong", { field: "confirmation" });
    }
    await tx
      .update(rewards)
      .set({ status: "cancelled", cancelledAt: sql`now()` })
      .where(isReward(member, rewardId));
    await audit({
      action: "campaign.cancel",
      subject: before.campaignId,
      before: { id: before.id, status: before.status, ...describeTerms(before) },
    });
    if (before.status === "draft") return { campaignName: before.campaignName };
    await sayCampaign(tx, member, "campaign.cancelled", before);
    return { campaignName: before.campaignName };
  });
}

/**
 * Opens the payouts of a campaign whose coin has no campaign contract: an operator pays them by hand.
 * From then on the API answers every wallet's amount, and wallets can be marked as paid.
 * @throws {Failure} `not_found`, `campaign_moved_on`, `campaign_not_split`
 */
export async function openPayouts(
  member: Editor,
  rewardId: string,
): Promise<{ campaignName: string }> {
  return takeCampaignStep(member, rewardId, ["active"], async (tx, before, audit) => {
    if (before.chainId !== null) throw new Failure("campaign_moved_on");
    if (!isSplit(before)) throw new Failure("campaign_not_split");
    await tx
      .update(rewards)
      .set({ status: "distributed", distributedAt: sql`now()` })
      .where(isReward(member, rewardId));
    await audit({
      action: "campaign.hand_out",
      subject: before.campaignId,
      after: {
        id: before.id,
        totalAmount: formatTokenAmount(before.totalAmountWei, before.tokenDecimals),
      },
    });
    return { campaignName: before.campaignName };
  });
}

/**
 * Runs a step of a campaign in one transaction, during which no other step runs.
 * @param allowed the statuses in which the step is allowed
 * @throws {Failure} `not_found`, `campaign_moved_on`
 */
export function takeCampaignStep<Answer>(
  member: Editor,
  rewardId: string,
  allowed: readonly Campaign["status"][],
  step: Step<Campaign, Answer>,
): Promise<Answer> {
  const lock = (tx: Transaction) => lockCampaign(tx, member, rewardId);
  return takeStep(member, { lock, allowed, movedOn: "campaign_moved_on" }, step);
}

/** Says a published campaign's change to the webhooks, with its terms. */
function sayCampaign(
  tx: Transaction,
  { pointSystemId, actor }: Member,
  type: "campaign.published" | "campaign.cancelled",
  campaign: Campaign,
): Promise<void> {
  const { id: rewardId, campaignId } = campaign;
  const data = { rewardId, campaignId, ...describeTerms(campaign) };
  return sayEvent(tx, pointSystemId, type, data, actor);
}

/** Inserts a draft, or finds the one that is there with its id. */
async function insertDraft(
  tx: Transaction,
  draft: CampaignTerms & { pointSystemId: string; id: string },
  generateId: () => string,
): Promise<{ campaignId: string; isNew: boolean }> {
  const isDraft = and(eq(rewards.pointSystemId, draft.pointSystemId), eq(rewards.id, draft.id));
  for (let attempt = 0; attempt < ID_ATTEMPTS_MAX; attempt += 1) {
    const campaignId = generateId();
    const created = await tx
      .insert(rewards)
      .values({ ...draft, campaignId, kind: "token", status: "draft" })
      .onConflictDoNothing()
      .returning({ id: rewards.id });
    if (created.length > 0) return { campaignId, isNew: true };
    const [found] = await tx
      .select({ campaignId: sql<string>`${rewards.campaignId}` })
      .from(rewards)
      .where(isDraft);
    if (found) return { ...found, isNew: false };
  }
  throw new Error("No free campaign id was found");
}
