import { and, count, eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { rewards } from "../../db/schema/rewards";
import { type Campaign, type CampaignTerms, isSplit } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { generateCampaignId } from "../../domain/random-id";
import { formatTokenAmount } from "../../domain/rewards/token-amount";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";
import { type Step, takeStep } from "../access/take-step";
import { digestTerms, isReward, lockCampaign } from "./campaigns";
import { type CampaignDraft, checkDeadline, describeTerms, settleTerms } from "./terms";

type Editor = Member<"owner" | "editor">;

/** The most drafts in a point system. */
const DRAFTS_MAX = 100;
/**
 * The most attempts to find a free id. With a campaign for every human, every second code would
 * still be free.
 */
const ID_ATTEMPTS_MAX = 20;

/**
 * Creates a draft of a campaign. Only the point system's members see it.
 * @throws {Failure} `too_many_campaign_drafts`, and the failures of `settleTerms`
 */
export async function createDraft(
  { actor, pointSystemId }: Editor,
  draft: CampaignDraft,
  generateId: () => string = generateCampaignId,
): Promise<{ id: string; campaignId: string }> {
  const terms = await settleTerms(draft);
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const [drafts] = await tx
        .select({ count: count() })
        .from(rewards)
        .where(and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.status, "draft")));
      if ((drafts?.count ?? 0) >= DRAFTS_MAX) throw new Failure("too_many_campaign_drafts");
      const created = await insertDraft(tx, pointSystemId, terms, generateId);
      await recordAudit(tx, actor, {
        pointSystemId,
        action: "campaign.create",
        subject: created.campaignId,
        after: { id: created.id, ...describeTerms(terms) },
      });
      return created;
    }),
  );
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
  const terms = await settleTerms(draft);
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
 * @throws {Failure} `not_found`, `campaign_moved_on`, `campaign_changed`, `deadline_passed`
 */
export async function publish(
  member: Editor,
  rewardId: string,
  seenTerms: string,
): Promise<{ campaignName: string }> {
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
    return { campaignName: before.campaignName };
  });
}

/**
 * Marks a campaign as handed out. Its coin has no campaign contract and was paid by other means
 * according to the split. From then on the API answers every wallet's amount.
 * @throws {Failure} `not_found`, `campaign_moved_on`, `campaign_not_split`
 */
export async function markHandedOut(
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

async function insertDraft(
  tx: Transaction,
  pointSystemId: string,
  terms: CampaignTerms,
  generateId: () => string,
): Promise<{ id: string; campaignId: string }> {
  for (let attempt = 0; attempt < ID_ATTEMPTS_MAX; attempt += 1) {
    const campaignId = generateId();
    const [created] = await tx
      .insert(rewards)
      .values({ ...terms, pointSystemId, campaignId, kind: "token", status: "draft" })
      .onConflictDoNothing({ target: rewards.campaignId })
      .returning({ id: rewards.id });
    if (created) return { id: created.id, campaignId };
  }
  throw new Error("No free campaign id was found");
}
