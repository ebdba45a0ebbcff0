import { and, eq, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { giftCardReveals, giftCards } from "../../db/schema/gift-cards";
import { rewards } from "../../db/schema/rewards";
import { describeUserAgent } from "../../domain/access/user-agent";
import type { Address } from "../../domain/address";
import { getClientNetwork } from "../../domain/client-network";
import { Failure } from "../../domain/failure";
import { getKeyring } from "../keyring/keyring";
import { findBlacklisted } from "../ledger/blacklist-look-up";
import { isRewardOfCard } from "../rewards/joins";
import { sayEvent } from "../webhooks/outbox/say-event";
import { hashNetwork } from "./fingerprints";
import { decryptForHolder } from "./seals";

/** A request to reveal a code. The owner of the address has just signed for this card. */
export interface RevealRequest {
  readonly pointSystemId: string;
  /** The `distributionId` of the API. */
  readonly cardId: string;
  readonly address: Address;
  readonly ip: string;
  readonly userAgent: string;
}

/**
 * The most reveals of one card in a day. A holder who lost the code may come back, but must not
 * fill the log.
 */
const REVEALS_A_DAY_MAX = 20;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * Reveals a gift card's code to its holder, and records the reveal. The caller has checked the
 * wallet's signature, sends the answer only to the holder and does not store it.
 * @throws {Failure} `not_found`, also when the card belongs to another wallet,
 *   `gift_card_unavailable` when it was cancelled or not assigned, `wallet_blacklisted`,
 *   `too_many_reveals`, `gift_card_keys_missing`
 */
export async function revealGiftCard(
  request: RevealRequest,
): Promise<{ code: string; claimedAt: Date }> {
  const { pointSystemId, cardId, address, ip, userAgent } = request;
  const keyring = getKeyring();
  return inTransaction(async (tx) => {
    const card = await holdCard(tx, request);
    const blacklisted = await findBlacklisted(tx, pointSystemId, [address]);
    if (blacklisted.size > 0) throw new Failure("wallet_blacklisted");
    await checkReveals(tx, request);
    if (!keyring.has(card.codeKeyId)) throw new Failure("gift_card_keys_missing");
    const code = decryptForHolder(keyring, card);
    const [revealed] = await tx
      .update(giftCards)
      .set({ isRevealed: true, claimedAt: sql`coalesce(${giftCards.claimedAt}, now())` })
      .where(and(eq(giftCards.pointSystemId, pointSystemId), eq(giftCards.id, card.id)))
      .returning({ claimedAt: giftCards.claimedAt });
    if (!revealed?.claimedAt) throw new Error("The reveal was not stored");
    await tx.insert(giftCardReveals).values({
      pointSystemId,
      rewardId: card.rewardId,
      cardId,
      address,
      networkHash: hashNetwork(keyring, getClientNetwork(ip)),
      userAgent: describeUserAgent(userAgent),
    });
    await sayEvent(tx, pointSystemId, "gift_card.revealed", {
      rewardId: card.rewardId,
      distributionId: card.id,
      address,
      firstRevealedAt: revealed.claimedAt,
    });
    return { code, claimedAt: revealed.claimedAt };
  });
}

/** Reads the holder's card and locks it, so that it is not re-encrypted meanwhile. */
async function holdCard(tx: Transaction, { pointSystemId, cardId, address }: RevealRequest) {
  const [card] = await tx
    .select({
      id: giftCards.id,
      rewardId: giftCards.rewardId,
      codeCiphertext: giftCards.codeCiphertext,
      codeNonce: giftCards.codeNonce,
      codeKeyId: giftCards.codeKeyId,
      needsSeal: giftCards.needsSeal,
      address: giftCards.address,
      holderSeal: giftCards.holderSeal,
      distributedAt: giftCards.distributedAt,
      status: rewards.status,
    })
    .from(giftCards)
    .innerJoin(rewards, isRewardOfCard())
    .where(
      and(
        eq(giftCards.pointSystemId, pointSystemId),
        eq(giftCards.id, cardId),
        eq(giftCards.address, address),
      ),
    )
    .for("update", { of: giftCards });
  if (!card) throw new Failure("not_found");
  const isGiven = card.status === "active" || card.status === "distributed";
  if (!isGiven || card.distributedAt === null) throw new Failure("gift_card_unavailable");
  return card;
}

/** Checks the limit of reveals. Reveals of one card are serialized, since its row is locked. */
async function checkReveals(tx: Transaction, { pointSystemId, cardId }: RevealRequest) {
  const [recent] = await tx.execute<{ count: number; retryAfterSeconds: number }>(sql`
    select count(*)::float8 as count, greatest(1, ceil(
      extract(epoch from min(revealed_at) - now()) + ${DAY_SECONDS}
    ))::float8 as "retryAfterSeconds"
    from (
      select revealed_at from gift_card_reveals
      where point_system_id = ${pointSystemId} and card_id = ${cardId}
        and revealed_at > now() - make_interval(secs => ${DAY_SECONDS})
      order by revealed_at desc
      limit ${REVEALS_A_DAY_MAX}
    ) r`);
  if (!recent || recent.count < REVEALS_A_DAY_MAX) return;
  throw new Failure("too_many_reveals", { retryAfterSeconds: recent.retryAfterSeconds });
}
