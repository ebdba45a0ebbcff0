import { z } from "zod";
import {
  type GiftCardClaim,
  listGiftCardClaims,
  listTokenClaims,
  type TokenClaim,
} from "../../services/rewards/claim-status";
import { parameters, parseQuery } from "../input";
import { publicEndpoint } from "../public-endpoint";
import {
  AddressReply,
  BaseUnitsReply,
  RewardChainReply,
  TransactionHashReply,
  toIso,
} from "../replies";

const ClaimStatusQuery = z.object({
  address: parameters.address,
  pointSystemId: parameters.pointSystemUuid,
});

const TokenReply = z.strictObject({
  kind: z.literal("token"),
  distributionId: z.uuid(),
  rewardId: z.uuid(),
  campaignName: z.string(),
  chainId: RewardChainReply,
  contractAddress: AddressReply,
  onchainId: BaseUnitsReply,
  tokenAddress: AddressReply.nullable(),
  tokenDecimals: z.int().min(0).max(255),
  tokenSymbol: z.string(),
  claimDeadline: z.iso.datetime().nullable(),
  amountWei: BaseUnitsReply,
  claimedAt: z.iso.datetime().nullable(),
  claimTxHash: TransactionHashReply.nullable(),
  hasProof: z.boolean(),
  distributedAt: z.iso.datetime(),
});

const GiftCardReply = z.strictObject({
  kind: z.literal("giftcard"),
  distributionId: z.uuid(),
  rewardId: z.uuid(),
  campaignName: z.string(),
  tierLabel: z.string(),
  revealed: z.boolean(),
  claimedAt: z.iso.datetime().nullable(),
  distributedAt: z.iso.datetime(),
});

/**
 * GET /rewards/claim-status lists a wallet's shares of a point system's rewards, and which it can
 * claim.
 */
export const loader = publicEndpoint("rewards/claim-status", {
  parse: (request) => parseQuery(ClaimStatusQuery, request.url),
  reply: z.strictObject({
    distributions: z.array(z.discriminatedUnion("kind", [TokenReply, GiftCardReply])),
  }),
  async handle({ address, pointSystemId }) {
    const [tokens, giftCards] = await Promise.all([
      listTokenClaims(pointSystemId, address),
      listGiftCardClaims(pointSystemId, address),
    ]);
    return { distributions: [...tokens.map(toTokenEntry), ...giftCards.map(toGiftCardEntry)] };
  },
});
export const action = loader;

function toTokenEntry(claim: TokenClaim) {
  return {
    kind: "token" as const,
    ...claim,
    onchainId: claim.onchainId.toString(),
    claimDeadline: toIso(claim.claimDeadline),
    amountWei: claim.amountWei.toString(),
    claimedAt: toIso(claim.claimedAt),
    distributedAt: claim.distributedAt.toISOString(),
  };
}

function toGiftCardEntry({ isRevealed, ...claim }: GiftCardClaim) {
  return {
    kind: "giftcard" as const,
    ...claim,
    revealed: isRevealed,
    claimedAt: toIso(claim.claimedAt),
    distributedAt: claim.distributedAt.toISOString(),
  };
}
