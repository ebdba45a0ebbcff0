import { and, eq, sql } from "drizzle-orm";
import { requireDeployment } from "../../../chain/campaigns/deployment";
import { askChain, getHeadBlockNumber } from "../../../chain/campaigns/events";
import { readToken } from "../../../chain/campaigns/token";
import { readViews } from "../../../chain/campaigns/views";
import { getCampaignContract } from "../../../chain/rpc/chains";
import { inTransaction, withDatabase } from "../../../db/client";
import { airdrops, rewards } from "../../../db/schema/rewards";
import type { Address } from "../../../domain/address";
import { isNativeCoin } from "../../../domain/campaigns/native-coin";
import { Failure } from "../../../domain/failure";
import { recordAudit } from "../../access/audit-log";
import type { Member } from "../../access/members";
import { settleAirdrop } from "../../follower/store";
import { lockAirdrop } from "../../rewards/lock-airdrop";
import {
  type ChainCampaign,
  listFundedBuckets,
  selectChainCampaign,
  toRewardKey,
  toTokenAddress,
} from "./page";

/** The buckets of one check, which is one call to the chain. */
const BUCKETS_CHECKED_MAX = 200;

/**
 * Sets the wallet or Safe that will be the campaign's admin on chain. It can cancel the campaign and
 * take the tokens back, so only the owner names it; the caller asks for the password. The contract must be there. The
 * creation is only accepted with this admin, and the chain is searched for it from now on. A token whose decimals were
 * typed is read now, because wrong decimals would change every amount.
 * @throws {Failure} `not_found`, `campaign_not_built`, `campaign_on_chain`, `invalid_address`,
 *   `chain_not_configured`, `chain_unavailable`, `contract_absent`, `contract_different`,
 *   `token_unreadable`, `token_decimals_wrong`
 */
export async function nameAdmin(
  member: Member<"owner">,
  rewardId: string,
  admin: Address,
): Promise<void> {
  const key = toRewardKey(member, rewardId);
  if (BigInt(admin) === 0n) throw new Failure("invalid_address", { field: "admin" });
  const planned = await withDatabase((db) => selectChainCampaign(db, key));
  const head = await getHeadBlockNumber(planned.chainId);
  await requireDeployment(planned.chainId, getCampaignContract(planned.chainId));
  const isTokenRead = await checkDecimals(planned);
  await inTransaction(async (tx) => {
    await lockAirdrop(tx, key);
    const campaign = await selectChainCampaign(tx, key);
    if (campaign.onchainId !== null) throw new Failure("campaign_on_chain");
    if (campaign.airdropStatus !== "ready") throw new Failure("campaign_not_built");
    if (isTokenRead) {
      await tx
        .update(rewards)
        .set({ tokenReadAt: sql`now()` })
        .where(and(eq(rewards.pointSystemId, key.pointSystemId), eq(rewards.id, key.rewardId)));
    }
    if (campaign.adminAddress === admin) return;
    await tx
      .update(airdrops)
      .set({
        adminAddress: admin,
        formerAdminAddress: campaign.adminAddress,
        adminNamedAt: sql`now()`,
        adminNamedBlock: sql`coalesce(${airdrops.adminNamedBlock}, ${Math.max(0, head - 1)}::bigint)`,
      })
      .where(
        and(eq(airdrops.pointSystemId, key.pointSystemId), eq(airdrops.rewardId, key.rewardId)),
      );
    await recordAudit(tx, member.actor, {
      pointSystemId: key.pointSystemId,
      action: "campaign.admin",
      subject: campaign.campaignId ?? campaign.name,
      before: { admin: campaign.adminAddress },
      after: { admin },
    });
    // Its creation may have been read before.
    await settleAirdrop(tx, campaign.chainId, key);
  });
}

/**
 * Checks typed decimals against the token's contract.
 * @returns whether the chain was read, which happens once
 */
async function checkDecimals(campaign: ChainCampaign): Promise<boolean> {
  const { chainId, tokenReadAt, tokenDecimals } = campaign;
  const token = toTokenAddress(campaign);
  if (tokenReadAt !== null || isNativeCoin(token)) return false;
  const { decimals } = await readToken(chainId, token);
  if (decimals !== tokenDecimals) {
    throw new Failure("token_decimals_wrong", { name: String(decimals) });
  }
  return true;
}

/**
 * Reads the unclaimed amounts of a campaign's first buckets from the contract.
 * @returns them beside what was funded in the buckets that were read
 * @throws {Failure} `not_found`, `chain_not_configured`, `chain_unavailable`
 */
export async function checkWithChain(member: Member, rewardId: string) {
  const key = toRewardKey(member, rewardId);
  const [campaign, buckets] = await withDatabase(async (db) => [
    await selectChainCampaign(db, key),
    await listFundedBuckets(db, key),
  ]);
  const { chainId, contractAddress: address, onchainId } = campaign;
  if (address === null || onchainId === null) throw new Failure("not_found");
  const asked = buckets.slice(0, BUCKETS_CHECKED_MAX);
  const [airdrop, ...books] = await askChain(chainId, (client) =>
    readViews(client, [
      { address, functionName: "airdrop", args: [onchainId] },
      ...asked.map(({ root }) => ({
        address,
        functionName: "bucket" as const,
        args: [onchainId, root],
      })),
    ]),
  );
  const [, , status] = airdrop as [unknown, unknown, number];
  return {
    isCancelled: status === 2,
    unclaimedWei: (books as [boolean, bigint][]).reduce((sum, [, amount]) => sum + amount, 0n),
    fundedWei: asked.reduce((sum, { totalWei }) => sum + totalWei, 0n),
    bucketsRead: asked.length,
    buckets: buckets.length,
  };
}
