import { and, desc, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { giftCards } from "../../db/schema/gift-cards";
import { distributions, rewards } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import type { Member } from "../access/members";
import { selectSharesOfWallet } from "../trees/proofs";
import { isRewardOfCard, isRewardOfShare } from "./joins";

/** A wallet's share of a reward. */
export interface WalletReward {
  readonly id: string;
  readonly rewardId: string;
  readonly name: string;
  readonly date: Date | null;
  readonly claimedAt: Date | null;
  readonly what:
    | {
        readonly kind: "token";
        readonly amountWei: bigint;
        readonly tokenDecimals: number;
        readonly tokenSymbol: string;
      }
    | { readonly kind: "giftcard"; readonly tier: string; readonly isRevealed: boolean };
}

/** The most rewards that are shown; a wallet has a handful. */
const REWARDS_MAX = 200;

/**
 * Lists a wallet's shares of this point system's rewards, newest first, without the codes of gift
 * cards.
 */
export async function listWalletRewards(
  { pointSystemId }: Member,
  address: Address,
): Promise<WalletReward[]> {
  const [tokens, cards] = await Promise.all([
    listTokens(pointSystemId, address),
    listGiftCards(pointSystemId, address),
  ]);
  const toTime = ({ date }: WalletReward) => date?.getTime() ?? 0;
  return [...tokens, ...cards].sort((a, b) => toTime(b) - toTime(a)).slice(0, REWARDS_MAX);
}

async function listTokens(pointSystemId: string, address: Address): Promise<WalletReward[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: distributions.id,
        rewardId: distributions.rewardId,
        name: rewards.campaignName,
        date: distributions.distributedAt,
        claimedAt: distributions.claimedAt,
        amountWei: distributions.amountWei,
        decimals: rewards.tokenDecimals,
        symbol: rewards.tokenSymbol,
      })
      .from(
        selectSharesOfWallet(
          db,
          sql.param(pointSystemId),
          sql.param(address, distributions.address),
        ),
      )
      .innerJoin(rewards, isRewardOfShare())
      .orderBy(desc(distributions.distributedAt))
      .limit(REWARDS_MAX),
  );
  return rows.map(({ amountWei, decimals, symbol, ...row }) => ({
    ...row,
    what: { kind: "token", amountWei, tokenDecimals: decimals ?? 0, tokenSymbol: symbol ?? "" },
  }));
}

async function listGiftCards(pointSystemId: string, address: Address): Promise<WalletReward[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: giftCards.id,
        rewardId: giftCards.rewardId,
        name: rewards.campaignName,
        date: giftCards.distributedAt,
        claimedAt: giftCards.claimedAt,
        tier: giftCards.tierLabel,
        isRevealed: giftCards.isRevealed,
      })
      .from(giftCards)
      .innerJoin(rewards, isRewardOfCard())
      .where(and(eq(giftCards.pointSystemId, pointSystemId), eq(giftCards.address, address)))
      .orderBy(desc(giftCards.distributedAt))
      .limit(REWARDS_MAX),
  );
  return rows.map(({ tier, isRevealed, ...row }) => ({
    ...row,
    what: { kind: "giftcard", tier, isRevealed },
  }));
}
