import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { hotQuery } from "../../db/client";
import { airdrops, rewards } from "../../db/schema/rewards";
import { findRewardStage, isPaidByHand, type RewardStage } from "../../domain/rewards/stage";
import { createSingleFlightCache } from "../runtime/single-flight-cache";
import { isAirdropOver } from "./active-airdrop";
import { isAirdropOfReward } from "./joins";

// This module is public: every answer of it can be on a public page.

/** A reward as public pages announce it. */
export interface PublicReward {
  readonly id: string;
  readonly name: string;
  readonly stage: RewardStage;
  readonly isPaidByHand: boolean;
  /** Null for gift cards. */
  readonly amount: {
    readonly totalAmountWei: bigint;
    readonly tokenDecimals: number;
    readonly tokenSymbol: string;
  } | null;
}

const KEEP_MS = 1_000;
const KEPT_MAX = 500;
const REWARDS_SHOWN = 3;

const selectRewards = hotQuery((db) =>
  db
    .select({
      id: rewards.id,
      name: rewards.campaignName,
      kind: rewards.kind,
      status: rewards.status,
      chainId: rewards.chainId,
      totalAmountWei: rewards.totalAmountWei,
      tokenDecimals: rewards.tokenDecimals,
      tokenSymbol: rewards.tokenSymbol,
      isOver: isAirdropOver(),
    })
    .from(rewards)
    .leftJoin(airdrops, isAirdropOfReward())
    .where(
      and(
        eq(rewards.pointSystemId, sql.placeholder("pointSystemId")),
        inArray(rewards.status, ["active", "distributed"]),
      ),
    )
    .orderBy(desc(rewards.createdAt), desc(rewards.id))
    .limit(REWARDS_SHOWN)
    .prepare("list_public_rewards"),
);

const keep = createSingleFlightCache<readonly PublicReward[]>({
  keepMs: KEEP_MS,
  entriesMax: KEPT_MAX,
});

/** Lists the newest published rewards of a point system, at most a second old, without ended ones. */
export function listPublicRewards(pointSystemId: string): Promise<readonly PublicReward[]> {
  return keep(pointSystemId, async () => {
    const rows = await selectRewards({ pointSystemId });
    return rows
      .map(({ id, name, totalAmountWei, tokenDecimals, tokenSymbol, ...reward }) => ({
        ...{ id, name },
        stage: findRewardStage({ ...reward, isSplit: false }),
        isPaidByHand: isPaidByHand(reward),
        amount:
          totalAmountWei === null || tokenDecimals === null || tokenSymbol === null
            ? null
            : { totalAmountWei, tokenDecimals, tokenSymbol },
      }))
      .filter(({ stage }) => stage !== "ended");
  });
}
