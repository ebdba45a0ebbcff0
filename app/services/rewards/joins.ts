import { and, eq, type SQL, sql } from "drizzle-orm";
import { giftCards } from "../../db/schema/gift-cards";
import { airdrops, distributions, rewards } from "../../db/schema/rewards";
import { isShareOf, isShareSettled } from "../trees/proofs";

/** Matches a reward's airdrop. */
export function isAirdropOfReward(): SQL | undefined {
  return and(eq(airdrops.pointSystemId, rewards.pointSystemId), eq(airdrops.rewardId, rewards.id));
}

/** Matches the reward of a share in `distributions`. */
export function isRewardOfShare(): SQL | undefined {
  return and(
    eq(rewards.pointSystemId, distributions.pointSystemId),
    eq(rewards.id, distributions.rewardId),
  );
}

/** Matches the reward of a gift card. */
export function isRewardOfCard(): SQL | undefined {
  return and(
    eq(rewards.pointSystemId, giftCards.pointSystemId),
    eq(rewards.id, giftCards.rewardId),
  );
}

/** Matches the share in a reward, if it is settled, of the wallet that the placeholder `address` names. */
export function isSettledShareOfReward(): SQL | undefined {
  const address = sql.param(sql.placeholder("address"), distributions.address);
  return and(isShareOf(rewards.pointSystemId, rewards.id, address), isShareSettled());
}
