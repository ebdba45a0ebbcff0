import { z } from "zod";
import { PAYOUT_REFERENCE_LENGTH_MAX } from "../domain/campaigns/payout";
import { TOKEN_TYPES } from "../domain/rewards/reward";
import { listRewards, listRewardsOfWallet } from "../services/rewards/rewards";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply, BaseUnitsReply, RewardChainReply, toIso } from "./replies";

const RewardsQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address.optional(),
  include: z.literal("wei").optional().describe("With wei, amounts stand in base units too"),
});

const wei = (what: string) =>
  BaseUnitsReply.optional().describe(`With include=wei: ${what} in base units`);

const fields = {
  id: z.uuid().describe("The reward's UUID"),
  campaignName: z.string().describe("The name that holders see"),
  totalAmount: z.number().nonnegative().describe("Whole tokens for all wallets together"),
  totalAmountWei: wei("totalAmount"),
  minPoints: z.int().positive().describe("The fewest points that earn a share"),
  status: z
    .enum(["active", "distributed"])
    .describe("active until the shares are settled, then distributed"),
  claimDeadline: z.iso.datetime().nullable().describe("The end of claims; null when there is none"),
};

const RewardReply = z
  .strictObject({
    id: fields.id,
    campaignId: z.string().startsWith("CMP-").describe("A short id for people: CMP-…"),
    campaignName: fields.campaignName,
    tokenType: z
      .enum(TOKEN_TYPES)
      .describe("ethereum is a chain's own coin; an ERC-20 token is custom, usdc or usdt"),
    tokenAddress: AddressReply.nullable().describe("The token's contract; null for a coin"),
    chainId: RewardChainReply.nullable().describe(
      "The chain of claims: 5031, 50312, 8453 or 84532; null for a coin without a contract here",
    ),
    totalAmount: fields.totalAmount,
    totalAmountWei: fields.totalAmountWei,
    minPoints: fields.minPoints,
    maxPoints: z
      .int()
      .positive()
      .nullable()
      .describe("Points over it count as it; null when all points count"),
    allocationType: z.literal("proportional").describe("Shares grow with points"),
    status: fields.status,
    claimDeadline: fields.claimDeadline,
    createdAt: z.iso.datetime().describe("The time of its creation"),
  })
  .meta({ id: "Reward" });

const RewardsReply = z
  .strictObject({
    rewards: z.array(RewardReply).describe("Token rewards, newest first, at most 1,000"),
  })
  .describe("Without address");

const WalletRewardsReply = z
  .strictObject({
    address: AddressReply.describe("The wallet, lowercase"),
    totalPoints: z.int().nonnegative().describe("The wallet's points in the point system"),
    rewards: z
      .strictObject({
        eligible: z
          .array(
            z.strictObject({
              id: fields.id,
              campaignName: fields.campaignName,
              totalAmount: fields.totalAmount,
              totalAmountWei: fields.totalAmountWei,
              allocatedAmount: z
                .number()
                .nonnegative()
                .nullable()
                .describe("The wallet's whole tokens; null until the shares are settled"),
              allocatedAmountWei: BaseUnitsReply.nullable()
                .optional()
                .describe("With include=wei: allocatedAmount in base units, null like it"),
              status: fields.status,
              claimDeadline: fields.claimDeadline,
            }),
          )
          .describe("The wallet has a share, or has the points for one, and has not claimed"),
        claimed: z
          .array(
            z.strictObject({
              id: fields.id,
              campaignName: fields.campaignName,
              claimedAmount: z.number().nonnegative().describe("The tokens that it received"),
              claimedAmountWei: wei("claimedAmount"),
              claimedAt: z.iso.datetime().describe("The time of the claim"),
              claimTxHash: z
                .string()
                .min(1)
                .max(PAYOUT_REFERENCE_LENGTH_MAX)
                .nullable()
                .describe("The claim's transaction, or an operator's reference of a payout"),
            }),
          )
          .describe("The wallet has received its share"),
        unavailable: z
          .array(
            z.strictObject({
              id: fields.id,
              campaignName: fields.campaignName,
              minPoints: fields.minPoints,
              pointsNeeded: z.int().positive().describe("Points that the wallet lacks"),
              status: fields.status,
              reason: z
                .enum(["points_missing", "shares_settled"])
                .describe(
                  "points_missing: more points still earn a share. shares_settled: the wallet had too few when the shares were settled, and more points do not help",
                ),
            }),
          )
          .describe("The wallet has too few points"),
      })
      .describe("The rewards by the wallet's part in them"),
  })
  .describe("With address");

const input = { query: RewardsQuery };

/**
 * GET /rewards lists the token rewards of a point system, or one wallet's standing in them; with
 * `include=wei`, with exact amounts as well.
 */
export const loader = endpoint("rewards", {
  scope: "point-system",
  isReplicated: true,
  input,
  failures: [],
  parse: (request) => parseQuery(input, request.url),
  reply: z.union([RewardsReply, WalletRewardsReply]),
  async handle({ input: { pointSystemId, address, include } }) {
    const show = <Amounts extends object>(amounts: Amounts) => (include === "wei" ? amounts : {});
    if (address === undefined) {
      const rewards = await listRewards(pointSystemId);
      return {
        body: {
          rewards: rewards.map(({ totalAmountWei, ...reward }) => ({
            ...reward,
            ...show({ totalAmountWei: String(totalAmountWei) }),
            allocationType: "proportional" as const,
            claimDeadline: toIso(reward.claimDeadline),
            createdAt: reward.createdAt.toISOString(),
          })),
        },
      };
    }
    const { totalPoints, eligible, claimed, unavailable } = await listRewardsOfWallet(
      pointSystemId,
      address,
    );
    return {
      body: {
        address,
        totalPoints,
        rewards: {
          eligible: eligible.map(({ totalAmountWei, allocatedAmountWei, ...reward }) => ({
            ...reward,
            ...show({
              totalAmountWei: String(totalAmountWei),
              allocatedAmountWei: allocatedAmountWei?.toString() ?? null,
            }),
            claimDeadline: toIso(reward.claimDeadline),
          })),
          claimed: claimed.map(({ claimedAmountWei, ...reward }) => ({
            ...reward,
            ...show({ claimedAmountWei: String(claimedAmountWei) }),
            claimedAt: reward.claimedAt.toISOString(),
          })),
          unavailable,
        },
      },
    };
  },
});
export const action = loader;
