import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { getCampaignContract } from "../../chain/rpc/chains";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import type { Database } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { airdrops, rewards } from "../../db/schema/rewards";
import { REWARD_CHAIN_IDS } from "../../domain/rewards/reward";

const chosen = alias(airdrops, "chosen");
const chosenReward = alias(rewards, "chosen_reward");
const chosenSystem = alias(pointSystems, "chosen_system");

/**
 * Selects the active airdrop of a chain with an on-chain id. Ids are unique in one contract only,
 * so an airdrop of this service's campaign contract comes first, otherwise the newest one. It takes
 * the parameters of `listContracts`.
 */
export function chooseAirdrop(db: Database, chainId: SQL, onchainId: SQL) {
  return db
    .select({ pointSystemId: chosen.pointSystemId, rewardId: chosen.rewardId })
    .from(chosen)
    .innerJoin(
      chosenReward,
      and(
        eq(chosenReward.pointSystemId, chosen.pointSystemId),
        eq(chosenReward.id, chosen.rewardId),
      ),
    )
    .innerJoin(
      chosenSystem,
      and(eq(chosenSystem.id, chosen.pointSystemId), isNull(chosenSystem.deletedAt)),
    )
    .where(
      and(
        sql`${chosen.chainId} = ${chainId}`,
        sql`${chosen.onchainId} = ${onchainId}`,
        eq(chosen.status, "active"),
      ),
    )
    .orderBy(
      sql`(${chosen.chainId}, ${chosen.contractAddress}) in (
        select * from unnest(
          ${sql.placeholder("chainIds")}::int[], ${sql.placeholder("contracts")}::bytea[]
        )) desc`,
      desc(chosenReward.createdAt),
      desc(chosenReward.id),
    )
    .limit(1);
}

/** Lists the campaign contracts of this service, for `chooseAirdrop`. */
export function listContracts() {
  return {
    chainIds: `{${REWARD_CHAIN_IDS.join(",")}}`,
    contracts: toArrayLiteral(REWARD_CHAIN_IDS.map((id) => toBytea(getCampaignContract(id)))),
  };
}
