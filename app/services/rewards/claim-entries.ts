import type { Address } from "../../domain/address";
import {
  type GiftCardClaim,
  listGiftCardClaims,
  listTokenClaims,
  type TokenClaim,
} from "./claim-status";

// A wallet's shares in the form of GET /rewards/claim-status.

/** Lists a wallet's shares: tokens, then gift cards, each newest first. */
export async function listClaimEntries(pointSystemId: string, address: Address) {
  const [tokens, giftCards] = await Promise.all([
    listTokenClaims(pointSystemId, address),
    listGiftCardClaims(pointSystemId, address),
  ]);
  return [...tokens.map(toTokenEntry), ...giftCards.map(toGiftCardEntry)];
}

function toTokenEntry(claim: TokenClaim) {
  return {
    kind: "token" as const,
    ...claim,
    onchainId: claim.onchainId.toString(),
    claimDeadline: claim.claimDeadline?.toISOString() ?? null,
    amountWei: claim.amountWei.toString(),
    claimedAt: claim.claimedAt?.toISOString() ?? null,
    distributedAt: claim.distributedAt.toISOString(),
  };
}

function toGiftCardEntry({ isRevealed, ...claim }: GiftCardClaim) {
  return {
    kind: "giftcard" as const,
    ...claim,
    revealed: isRevealed,
    claimedAt: claim.claimedAt?.toISOString() ?? null,
    distributedAt: claim.distributedAt.toISOString(),
  };
}
