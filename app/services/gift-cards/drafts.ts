import { and, eq, isNotNull, notInArray, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { giftCards, giftCardTiers } from "../../db/schema/gift-cards";
import { rewards } from "../../db/schema/rewards";
import { Failure } from "../../domain/failure";
import type { GiftCardTier } from "../../domain/gift-cards/gift-card";
import { createEventId } from "../../domain/ledger/event-id";
import { describeCountedPoints } from "../../domain/rewards/counted-points";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { settlePoints } from "../rewards/points-choice";
import { deriveDraftId } from "../rewards/terms-digest";
import {
  changeReward,
  digestGiftCardTerms,
  isGiftCardReward,
  listTiers,
  requireFrozenPoints,
  requireSamePoints,
} from "./gift-cards";

/** The terms of a gift card reward that an operator sets. Labels and thresholds are unique. */
export interface GiftCardTerms {
  readonly name: string;
  /** The tiers, in the order in which they are shown. */
  readonly tiers: readonly GiftCardTier[];
  /** The points that count, as `settlePoints` reads them; empty, or absent, for all. */
  readonly pointsCounted?: string;
}

/**
 * Creates a draft without codes.
 * @param token the token of the form, which drafts the same terms once; a new one when left out
 * @throws {Failure} `board_not_found`, `points_campaign_unknown`
 */
export async function createGiftCardReward(
  { actor, pointSystemId }: Editor,
  { name, tiers, pointsCounted = "" }: GiftCardTerms,
  token = createEventId(),
): Promise<{ id: string }> {
  const points = await settlePoints(pointSystemId, "giftcard", pointsCounted);
  const terms = digestGiftCardTerms({ name, ...points }, tiers);
  const id = deriveDraftId(token, pointSystemId, terms);
  return inTransaction(async (tx) => {
    const draft = { ...points, pointSystemId, id, campaignName: name, status: "draft" } as const;
    const created = await tx
      .insert(rewards)
      .values({ ...draft, kind: "giftcard" })
      .onConflictDoNothing()
      .returning({ id: rewards.id });
    if (created.length === 0) return { id };
    await insertTiers(tx, pointSystemId, id, tiers);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "gift_cards.create",
      subject: name,
      after: { id, name, tiers, ...describeCountedPoints(points) },
    });
    return { id };
  });
}

/**
 * Changes a draft. Tiers with codes cannot be removed; their thresholds can change.
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`,
 *   `gift_card_tier_in_use`, `board_not_found`, `points_campaign_unknown`
 */
export async function updateGiftCardReward(
  member: Editor,
  rewardId: string,
  { name, tiers, pointsCounted = "" }: GiftCardTerms,
): Promise<void> {
  const { pointSystemId } = member;
  const points = await settlePoints(pointSystemId, "giftcard", pointsCounted);
  return changeReward(member, rewardId, ["draft"], async (tx, reward, audit) => {
    const before = await listTiers(tx, pointSystemId, reward.id);
    const labels = tiers.map(({ label }) => label);
    const ofReward = and(
      eq(giftCardTiers.pointSystemId, pointSystemId),
      eq(giftCardTiers.rewardId, reward.id),
    );
    const [used] = await tx
      .select({ label: giftCards.tierLabel })
      .from(giftCards)
      .where(
        and(
          eq(giftCards.pointSystemId, pointSystemId),
          eq(giftCards.rewardId, reward.id),
          notInArray(giftCards.tierLabel, labels),
        ),
      )
      .limit(1);
    if (used) throw new Failure("gift_card_tier_in_use", { name: used.label, field: "labels" });
    await tx.delete(giftCardTiers).where(and(ofReward, notInArray(giftCardTiers.label, labels)));
    // Two tiers may swap thresholds, so all thresholds are cleared first.
    await tx.update(giftCardTiers).set({ minPoints: null }).where(ofReward);
    await insertTiers(tx, pointSystemId, reward.id, tiers);
    await tx
      .update(rewards)
      .set({ campaignName: name, ...points })
      .where(isGiftCardReward(member, reward.id));
    await audit({
      action: "gift_cards.update",
      subject: name,
      before: { id: reward.id, name: reward.name, tiers: before },
      after: { name, tiers, ...describeCountedPoints(points) },
    });
  });
}

/**
 * Publishes a draft: its name, its tiers and the points that it counts are fixed from now on.
 * @param seenTerms the digest of the terms that the operator saw
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`, `points_board_open`,
 *   `board_not_found` when the board of its points was deleted
 */
export async function publishGiftCardReward(
  member: Editor,
  rewardId: string,
  seenTerms: string,
): Promise<{ name: string }> {
  const { pointSystemId } = member;
  const frozen = await requireFrozenPoints(member, rewardId);
  return changeReward(member, rewardId, ["draft"], async (tx, reward, audit) => {
    requireSamePoints(reward, frozen);
    const { id, name } = reward;
    const tiers = await listTiers(tx, pointSystemId, id);
    if (digestGiftCardTerms(reward, tiers) !== seenTerms) {
      throw new Failure("gift_card_reward_moved_on");
    }
    await tx
      .update(rewards)
      .set({ status: "active", publishedAt: sql`now()` })
      .where(isGiftCardReward(member, id));
    await audit({
      action: "gift_cards.publish",
      subject: name,
      after: { id, tiers },
    });
    return { name };
  });
}

/**
 * Cancels a reward without assigned cards.
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`, `gift_cards_given`
 */
export function cancelGiftCardReward(member: Editor, rewardId: string): Promise<{ name: string }> {
  return changeReward(
    member,
    rewardId,
    ["draft", "active"],
    async (tx, { id, name, status }, audit) => {
      const [given] = await tx
        .select({ id: giftCards.id })
        .from(giftCards)
        .where(
          and(
            eq(giftCards.pointSystemId, member.pointSystemId),
            eq(giftCards.rewardId, id),
            isNotNull(giftCards.address),
          ),
        )
        .limit(1);
      if (given) throw new Failure("gift_cards_given");
      await tx
        .update(rewards)
        .set({ status: "cancelled", cancelledAt: sql`now()` })
        .where(isGiftCardReward(member, id));
      await audit({
        action: "gift_cards.cancel",
        subject: name,
        before: { id, status },
      });
      return { name };
    },
  );
}

/** Stores new tiers and changed ones. */
async function insertTiers(
  tx: Transaction,
  pointSystemId: string,
  rewardId: string,
  tiers: readonly GiftCardTier[],
): Promise<void> {
  await tx
    .insert(giftCardTiers)
    .values(tiers.map((tier, position) => ({ ...tier, pointSystemId, rewardId, position })))
    .onConflictDoUpdate({
      target: [giftCardTiers.pointSystemId, giftCardTiers.rewardId, giftCardTiers.label],
      set: { position: sql`excluded.position`, minPoints: sql`excluded.min_points` },
    });
}
