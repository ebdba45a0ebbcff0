import { z } from "zod";
import { TOKEN_TYPES } from "../domain/rewards/reward";
import { listRewards, listRewardsOfWallet } from "../services/rewards/rewards";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply, RewardChainReply, TransactionHashReply, toIso } from "./replies";

const RewardsQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address.optional(),
});

const RewardReply = z.strictObject({
  id: z.uuid(),
  campaignId: z.string().startsWith("CMP-"),
  campaignName: z.string(),
  tokenType: z.enum(TOKEN_TYPES),
  tokenAddress: AddressReply.nullable(),
  chainId: RewardChainReply.nullable(),
  totalAmount: z.number().nonnegative(),
  minPoints: z.int().nonnegative(),
  maxPoints: z.int().positive().nullable(),
  allocationType: z.literal("proportional"),
  status: z.enum(["active", "distributed"]),
  claimDeadline: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});

const RewardsReply = z.strictObject({ rewards: z.array(RewardReply) });

const WalletRewardsReply = z.strictObject({
  address: AddressReply,
  totalPoints: z.int().nonnegative(),
  rewards: z.strictObject({
    eligible: z.array(
      z.strictObject({
        id: z.uuid(),
        campaignName: z.string(),
        totalAmount: z.number().nonnegative(),
        allocatedAmount: z.number().nonnegative().nullable(),
        status: z.enum(["active", "distributed"]),
        claimDeadline: z.iso.datetime().nullable(),
      }),
    ),
    claimed: z.array(
      z.strictObject({
        id: z.uuid(),
        campaignName: z.string(),
        claimedAmount: z.number().nonnegative(),
        claimedAt: z.iso.datetime(),
        claimTxHash: TransactionHashReply.nullable(),
      }),
    ),
    unavailable: z.array(
      z.strictObject({
        id: z.uuid(),
        campaignName: z.string(),
        minPoints: z.int().positive(),
        pointsNeeded: z.int().positive(),
      }),
    ),
  }),
});

/** GET /rewards lists the token rewards of a point system, or one wallet's standing in them. */
export const loader = endpoint("rewards", {
  scope: "point-system",
  parse: (request) => parseQuery(RewardsQuery, request.url),
  reply: z.union([RewardsReply, WalletRewardsReply]),
  async handle({ input: { pointSystemId, address } }) {
    if (address === undefined) {
      const rewards = await listRewards(pointSystemId);
      return {
        body: {
          rewards: rewards.map((reward) => ({
            ...reward,
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
          eligible: eligible.map((reward) => ({
            ...reward,
            claimDeadline: toIso(reward.claimDeadline),
          })),
          claimed: claimed.map((reward) => ({
            ...reward,
            claimedAt: reward.claimedAt.toISOString(),
          })),
          unavailable,
        },
      },
    };
  },
});
export const action = loader;
