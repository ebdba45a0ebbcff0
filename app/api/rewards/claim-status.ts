import { z } from "zod";
import { listClaimEntries } from "../../services/rewards/claim-entries";
import { parameters, parseQuery } from "../input";
import { publicEndpoint } from "../public-endpoint";
import { AddressReply, BaseUnitsReply, HashReply, RewardChainReply } from "../replies";

const ClaimStatusQuery = z.object({
  address: parameters.address,
  pointSystemId: parameters.pointSystemUuid,
});

const fields = {
  distributionId: z.uuid().describe("The share's UUID"),
  rewardId: z.uuid().describe("The reward's UUID"),
  campaignName: z.string().describe("The name that holders see"),
  distributedAt: z.iso.datetime().describe("The time at which the wallet got the share"),
};

const TokenReply = z
  .strictObject({
    kind: z.literal("token").describe("A share of a token reward"),
    distributionId: fields.distributionId,
    rewardId: fields.rewardId,
    campaignName: fields.campaignName,
    chainId: RewardChainReply,
    contractAddress: AddressReply.describe("The campaign contract, which pays the claim"),
    onchainId: BaseUnitsReply.describe("The airdrop's id in the contract"),
    tokenAddress: AddressReply.nullable().describe("The token's contract; null for a coin"),
    tokenDecimals: z.int().min(0).max(255).describe("Decimal places of a whole token"),
    tokenSymbol: z.string().describe("The token's symbol"),
    claimDeadline: z.iso.datetime().nullable().describe("The end of claims; null for none"),
    amountWei: BaseUnitsReply.describe("The share in base units of the token"),
    claimedAt: z.iso.datetime().nullable().describe("The time of the claim; null before it"),
    claimTxHash: HashReply.nullable().describe("The claim's transaction"),
    hasProof: z.boolean().describe("Whether GET /rewards/proof answers for this share"),
    distributedAt: fields.distributedAt,
  })
  .meta({ id: "TokenShare", description: "A share of a token reward" });

const GiftCardReply = z
  .strictObject({
    kind: z.literal("giftcard").describe("A gift card"),
    distributionId: fields.distributionId,
    rewardId: fields.rewardId,
    campaignName: fields.campaignName,
    tierLabel: z.string().describe("The card's tier"),
    revealed: z.boolean().describe("Whether the holder has seen the code on the claim page"),
    claimedAt: z.iso.datetime().nullable().describe("The time of the first look; null before"),
    distributedAt: fields.distributedAt,
  })
  .meta({ id: "GiftCardShare", description: "A gift card" });

const input = { query: ClaimStatusQuery };

/**
 * GET /rewards/claim-status lists a wallet's shares of a point system's rewards, and which it can
 * claim.
 */
export const loader = publicEndpoint("rewards/claim-status", {
  input,
  failures: [],
  parse: (request) => parseQuery(input, request.url),
  reply: z.strictObject({
    distributions: z
      .array(z.discriminatedUnion("kind", [TokenReply, GiftCardReply]))
      .describe("Tokens, then gift cards, each newest first, at most 1,000 of each"),
  }),
  async handle({ address, pointSystemId }) {
    return { distributions: await listClaimEntries(pointSystemId, address) };
  },
});
export const action = loader;
