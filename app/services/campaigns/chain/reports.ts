import { and, eq, sql } from "drizzle-orm";
import type { Hex } from "viem";
import {
  askChain,
  findCampaignTransaction,
  getHeadBlockNumber,
} from "../../../chain/campaigns/events";
import { readToken } from "../../../chain/campaigns/token";
import { withDatabase } from "../../../db/client";
import { airdrops, rewards } from "../../../db/schema/rewards";
import type { Address } from "../../../domain/address";
import { campaignAbi } from "../../../domain/campaigns/contract";
import { isNativeCoin } from "../../../domain/campaigns/native-coin";
import { Failure } from "../../../domain/failure";
import { recordAudit } from "../../access/audit-log";
import type { Member } from "../../access/members";
import { lockAirdrop } from "../../rewards/lock-airdrop";
import { acceptTransaction } from "./acceptance";
import {
  type ChainBucket,
  type ChainCampaign,
  listFundedBuckets,
  selectChainCampaign,
  toRewardKey,
  toTokenAddress,
} from "./page";

type Editor = Member<"owner" | "editor">;

/** The buckets of one check; each needs a call to the chain. */
const BUCKETS_CHECKED_MAX = 200;
const CALLS_AT_ONCE = 10;
const CHECK_MS_MAX = 8_000;

/**
 * Sets the wallet or Safe that will be the campaign's admin on chain. The creation is only accepted
 * with this admin, and the chain is searched for it from now on. A token whose decimals were typed
 * is read now, because wrong decimals would change every amount.
 * @throws {Failure} `not_found`, `campaign_not_built`, `campaign_on_chain`, `invalid_address`,
 *   `chain_not_configured`, `chain_unavailable`, `token_unreadable`, `token_decimals_wrong`
 */
export async function nameAdmin(member: Editor, rewardId: string, admin: Address): Promise<void> {
  const key = toRewardKey(member, rewardId);
  if (BigInt(admin) === 0n) throw new Failure("invalid_address", { field: "admin" });
  const planned = await withDatabase((db) => selectChainCampaign(db, key));
  const head = await getHeadBlockNumber(planned.chainId);
  const isTokenRead = await checkDecimals(planned);
  await withDatabase((db) =>
    db.transaction(async (tx) => {
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
          scannedToBlock: sql`coalesce(${airdrops.scannedToBlock}, ${Math.max(0, head - 1)}::bigint)`,
          scannedAt: sql`now()`,
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
    }),
  );
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
 * Applies a transaction to a campaign's record, by its hash: its creation, more buckets, its end, a
 * refund, or another admin. The hash only locates the transaction; its effects are read from the
 * chain.
 * @returns whether the transaction was new
 * @throws {Failure} `transaction_unknown` while it is in no block, and as `acceptTransaction`
 */
export async function reportTransaction(
  member: Editor,
  rewardId: string,
  hash: Hex,
): Promise<boolean> {
  const key = toRewardKey(member, rewardId);
  const { chainId } = await withDatabase((db) => selectChainCampaign(db, key));
  const transaction = await findCampaignTransaction(chainId, hash);
  if (!transaction) throw new Failure("transaction_unknown");
  return acceptTransaction(key, transaction, member.actor);
}

/** The state of a campaign as the contract reports it. */
export interface ChainCheck {
  readonly isCancelled: boolean;
  readonly admin: string;
  readonly pendingAdmin: string;
  /** The unclaimed amount in the buckets that were read. */
  readonly unclaimedWei: bigint;
  readonly fundedWei: bigint;
  readonly bucketsRead: number;
  readonly buckets: number;
}

/**
 * Reads the unclaimed amounts from the contract, bucket by bucket, as far as a short time allows.
 * @throws {Failure} `not_found`, `chain_not_configured`, `chain_unavailable`
 */
export async function checkWithChain(member: Member, rewardId: string): Promise<ChainCheck> {
  const key = toRewardKey(member, rewardId);
  const [campaign, buckets] = await withDatabase(async (db) => [
    await selectChainCampaign(db, key),
    await listFundedBuckets(db, key),
  ]);
  const { chainId, contractAddress: address, onchainId } = campaign;
  if (address === null || onchainId === null) throw new Failure("not_found");
  return askChain(chainId, async (client) => {
    const contract = { address, abi: campaignAbi } as const;
    const [, , status, admin, pendingAdmin] = await client.readContract({
      ...contract,
      functionName: "airdrop",
      args: [onchainId],
    });
    const readUnclaimed = async ({ root }: ChainBucket) => {
      const args = [onchainId, root] as const;
      const [, unclaimed] = await client.readContract({
        ...contract,
        functionName: "bucket",
        args,
      });
      return unclaimed;
    };
    const givesUpAt = Date.now() + CHECK_MS_MAX;
    const asked = buckets.slice(0, BUCKETS_CHECKED_MAX);
    let unclaimedWei = 0n;
    let fundedWei = 0n;
    let bucketsRead = 0;
    while (bucketsRead < asked.length && Date.now() < givesUpAt) {
      const some = asked.slice(bucketsRead, bucketsRead + CALLS_AT_ONCE);
      for (const amount of await Promise.all(some.map(readUnclaimed))) unclaimedWei += amount;
      fundedWei += some.reduce((sum, { totalWei }) => sum + totalWei, 0n);
      bucketsRead += some.length;
    }
    return {
      isCancelled: status === 2,
      admin,
      pendingAdmin,
      unclaimedWei,
      fundedWei,
      bucketsRead,
      buckets: buckets.length,
    };
  });
}
