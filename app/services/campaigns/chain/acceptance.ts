import { and, eq, sql } from "drizzle-orm";
import { type Hex, hexToBytes } from "viem";
import type { CampaignEvent, CampaignTransaction } from "../../../chain/campaigns/events";
import { getCampaignContract } from "../../../chain/rpc/chains";
import { toArrayLiteral } from "../../../db/array-literal";
import { type Transaction, withDatabase } from "../../../db/client";
import { airdrops, airdropTransactions, rewards } from "../../../db/schema/rewards";
import type { Address } from "../../../domain/address";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { Failure } from "../../../domain/failure";
import { recordAudit } from "../../access/audit-log";
import type { Actor } from "../../access/members";
import { applyClaimsOfAirdrop, type ChainContract } from "../../claims/store";
import { lockAirdrop } from "../../rewards/lock-airdrop";
import type { RewardKey } from "../../trees/buckets";
import { type ChainCampaign, selectChainCampaign, toDeadlineSeconds, toTokenAddress } from "./page";

type EventOf<Name extends CampaignEvent["eventName"]> = Extract<CampaignEvent, { eventName: Name }>;

const refuse = (name: string): never => {
  throw new Failure("transaction_unsuitable", { name });
};

/**
 * Applies a chain transaction to a campaign's record, once, in one database transaction with its
 * audit entry. The changes come from the contract's events; nothing changes unless all of them fit.
 * @returns whether the transaction was new
 * @throws {Failure} `not_found`, `campaign_not_built`, `transaction_reverted`;
 *   `transaction_unsuitable`, which names the difference
 */
export async function acceptTransaction(
  key: RewardKey,
  transaction: CampaignTransaction,
  actor: Actor | "background job",
): Promise<boolean> {
  if (transaction.isReverted) throw new Failure("transaction_reverted");
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      await lockAirdrop(tx, key);
      const campaign = await selectChainCampaign(tx, key);
      if (await isKnown(tx, key, transaction.hash)) return false;
      const isCreation = campaign.onchainId === null;
      const { contract, onchainId } = isCreation
        ? matchCreation(campaign, transaction.events)
        : { contract: campaign.contractAddress ?? "0x", onchainId: campaign.onchainId ?? 0n };
      const events = transaction.events.filter(
        (event) => event.contract === contract && event.args.id === onchainId,
      );
      if (isCreation) {
        const { chainId } = campaign;
        await storeCreation(tx, key, transaction, { chainId, contract, onchainId });
      }
      const changes = await applyEvents(tx, key, campaign, events, transaction);
      if (!isCreation && changes.length === 0) refuse("it does not change it");
      if (isCreation && !changes.includes("buckets")) refuse("it adds none of its buckets");
      await recordAudit(tx, actor, {
        pointSystemId: key.pointSystemId,
        action: "campaign.chain",
        subject: campaign.campaignId ?? campaign.name,
        after: {
          transaction: transaction.hash,
          chainId: campaign.chainId,
          onchainId: onchainId.toString(),
          did: [...(isCreation ? ["creation"] : []), ...changes].join(", "),
        },
      });
      return true;
    }),
  );
}

const isRewardOf = ({ pointSystemId, rewardId }: RewardKey) =>
  and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, rewardId));

const isOf = ({ pointSystemId, rewardId }: RewardKey) =>
  and(eq(airdrops.pointSystemId, pointSystemId), eq(airdrops.rewardId, rewardId));

async function isKnown(tx: Transaction, key: RewardKey, hash: Hex): Promise<boolean> {
  const [row] = await tx
    .select({ txHash: airdropTransactions.txHash })
    .from(airdropTransactions)
    .where(
      and(
        eq(airdropTransactions.pointSystemId, key.pointSystemId),
        eq(airdropTransactions.rewardId, key.rewardId),
        eq(airdropTransactions.txHash, hexToBytes(hash)),
      ),
    );
  return row !== undefined;
}

/**
 * Finds this campaign's creation among the events. Any account can cause such events, so the
 * creation is checked.
 */
function matchCreation(campaign: ChainCampaign, events: readonly CampaignEvent[]) {
  const { airdropStatus, status, adminAddress } = campaign;
  if (airdropStatus !== "ready") throw new Failure("campaign_not_built");
  if (status !== "active") refuse("the campaign is not active here");
  const contract = getCampaignContract(campaign.chainId);
  const all = events.filter((event): event is EventOf<"AirdropCreated"> => {
    return event.eventName === "AirdropCreated";
  });
  if (all.length === 0) refuse("it creates nothing");
  const ours = all.filter((event) => event.contract === contract);
  if (ours.length === 0) refuse("it went to another contract");
  const ref = toCampaignRef(campaign.rewardId);
  const created = ours.find(({ args }) => args.ref === ref);
  if (!created) return refuse("it creates another campaign");
  const { id, admin, token, deadline } = created.args;
  if (adminAddress === null) refuse("it has no admin here yet");
  if (admin.toLowerCase() !== adminAddress) refuse(`its admin is ${admin}`);
  if (token.toLowerCase() !== toTokenAddress(campaign)) refuse(`its token is ${token}`);
  if (deadline !== BigInt(toDeadlineSeconds(campaign.claimDeadline))) {
    refuse("its deadline differs");
  }
  return { contract, onchainId: id };
}

async function storeCreation(
  tx: Transaction,
  key: RewardKey,
  { hash, blockNumber, minedAt }: CampaignTransaction,
  { chainId, contract, onchainId }: ChainContract & { onchainId: bigint },
): Promise<void> {
  await tx
    .update(airdrops)
    .set({
      status: "active",
      contractAddress: contract,
      onchainId,
      creationTxHash: hexToBytes(hash),
      creationBlock: blockNumber,
      createdOnchainAt: minedAt,
      // Later transactions are searched from here on.
      scannedToBlock: blockNumber - 1,
    })
    .where(isOf(key));
  await tx
    .update(rewards)
    .set({ status: "distributed", distributedAt: sql`now()` })
    .where(isRewardOf(key));
  const of = { chainId, contract };
  await applyClaimsOfAirdrop(tx, of, { onchainId, creationBlock: blockNumber });
}

/**
 * Applies the events to the campaign's record.
 * @returns the changes, in words for the audit log
 */
async function applyEvents(
  tx: Transaction,
  key: RewardKey,
  campaign: ChainCampaign,
  events: readonly CampaignEvent[],
  transaction: CampaignTransaction,
): Promise<string[]> {
  const changes: string[] = [];
  let refundedWei = 0n;
  let adminBefore: Address | null = null;
  for (const event of events) {
    if (event.eventName === "BucketsAdded" && event.args.buckets.length > 0) {
      await fundBuckets(tx, key, transaction, event.args.buckets);
      changes.push("buckets");
    } else if (event.eventName === "AirdropCancelled") {
      const { minedAt } = transaction;
      await tx
        .update(airdrops)
        .set({ status: "ended", cancelledOnchainAt: minedAt })
        .where(isOf(key));
      changes.push("cancellation");
    } else if (event.eventName === "Refunded") {
      refundedWei += event.args.amount;
      changes.push("refund");
    } else if (event.eventName === "AdminChanged") {
      adminBefore ??= campaign.adminAddress;
      await changeAdmin(tx, key, transaction, event.args.admin.toLowerCase() as Address);
      changes.push("admin");
    }
  }
  if (refundedWei > 0n) {
    await tx
      .update(airdrops)
      .set({ refundedWei: sql`${airdrops.refundedWei} + ${refundedWei.toString()}::numeric` })
      .where(isOf(key));
  }
  await tx.insert(airdropTransactions).values({
    ...key,
    txHash: hexToBytes(transaction.hash),
    chainId: campaign.chainId,
    blockNumber: transaction.blockNumber,
    blockHash: hexToBytes(transaction.blockHash),
    isCreation: campaign.onchainId === null,
    isCancellation: changes.includes("cancellation"),
    refundedWei,
    adminBefore,
  });
  return changes;
}

/** Marks trees as funded; each must be one of the campaign's, with its total. */
async function fundBuckets(
  tx: Transaction,
  { pointSystemId, rewardId }: RewardKey,
  { hash, minedAt }: CampaignTransaction,
  buckets: readonly { readonly root: Hex; readonly total: bigint }[],
): Promise<void> {
  const roots = toArrayLiteral(buckets.map(({ root }) => Buffer.from(hexToBytes(root))));
  const totals = toArrayLiteral(buckets.map(({ total }) => total.toString()));
  const funded = await tx.execute<{ fits: boolean }>(sql`
    update merkle_buckets b
    set funded_at = ${minedAt.toISOString()}::timestamptz, funding_tx_hash = ${hexToBytes(hash)}
    from unnest(${roots}::bytea[], ${totals}::numeric[]) as added(root, total)
    where b.point_system_id = ${pointSystemId} and b.reward_id = ${rewardId}
      and b.root = added.root
    returning b.total_amount_wei = added.total as fits`);
  if (funded.some(({ fits }) => !fits)) refuse("the total of a bucket differs");
  if (funded.length !== buckets.length) refuse("it has a root that is not the campaign's");
}

/** Changes the admin, unless a later change has been applied already. */
async function changeAdmin(
  tx: Transaction,
  key: RewardKey,
  { blockNumber }: CampaignTransaction,
  admin: Address,
): Promise<void> {
  const isNewest = sql`not exists (
    select from ${airdropTransactions} t
    where t.point_system_id = ${key.pointSystemId} and t.reward_id = ${key.rewardId}
      and t.admin_before is not null and t.block_number > ${blockNumber}::bigint)`;
  await tx
    .update(airdrops)
    .set({ adminAddress: admin })
    .where(and(isOf(key), isNewest));
}
