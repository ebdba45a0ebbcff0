import { and, type Column, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { getCampaignContract } from "../../chain/rpc/chains";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import type { Database } from "../../db/pool";
import { pointSystems } from "../../db/schema/point-systems";
import { airdrops, rewards } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { REWARD_CHAIN_IDS } from "../../domain/rewards/reward";

/**
 * The time after a deadline during which its airdrop still counts as open. The contract compares
 * with the time of a block, which may be behind the database's clock.
 */
const DEADLINE_MARGIN = sql.raw("interval '5 minutes'");

/**
 * Matches an airdrop from which wallets can claim: it is active on chain, and its deadline has not
 * passed. The clock decides as well, since a process without an RPC endpoint learns nothing from the
 * chain.
 */
export function isAirdropOpen(airdrop: { status: Column }, reward: { claimDeadline: Column }): SQL {
  return sql`(${airdrop.status} = 'active' and ${isBeforeDeadline(reward)})`;
}

/**
 * Matches an airdrop that pays no more: ended on chain, or past its deadline. A reward without an
 * airdrop does not match.
 */
export function isAirdropOver(): SQL<boolean> {
  return sql<boolean>`coalesce(${airdrops.status} = 'ended'
    or ${airdrops.status} is not null and not ${isBeforeDeadline(rewards)}, false)`;
}

function isBeforeDeadline({ claimDeadline }: { claimDeadline: Column }): SQL {
  return sql`coalesce(${claimDeadline} > now() - ${DEADLINE_MARGIN}, true)`;
}

/** Selects an airdrop's admin: on chain, or as the operator named it before. */
export function selectAdmin(): SQL<Address | null> {
  const { chainAdminAddress, adminAddress } = airdrops;
  return sql<Address | null>`coalesce(${chainAdminAddress}, ${adminAddress})`.mapWith(adminAddress);
}

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
        isAirdropOpen(chosen, chosenReward),
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
