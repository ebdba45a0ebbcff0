import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, type Hex, hexToBytes, parseEventLogs, toHex } from "viem";
import { withDatabase } from "../../../app/db/client";
import {
  airdrops,
  allocations,
  distributions,
  merkleBuckets,
  rewards,
} from "../../../app/db/schema/rewards";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { toCampaignRef } from "../../../app/domain/campaigns/ref";
import { buildMerkleTree, cutIntoBuckets } from "../../../app/domain/trees/merkle";
import { testTokenAbi } from "../../../contracts/test-tokens";
import { type getTestAccount, type startAnvil, TEST_CHAIN_ID } from "./anvil";

// Campaigns whose split is built, and the transactions of their operators.

type Anvil = Awaited<ReturnType<typeof startAnvil>>;
type Account = ReturnType<typeof getTestAccount>;

export interface BuiltCampaignOptions {
  pointSystemId: string;
  /** Null for the chain's native coin. */
  token: Address | null;
  shares: readonly { address: Address; amountWei: bigint }[];
  bucketSize?: number;
  claimDeadline?: Date | null;
  status?: "active" | "cancelled";
  chainId?: 84532 | 8453 | 5031;
  name?: string;
}

/** Stores a published campaign whose split is built, as the build job leaves it. */
export async function storeBuiltCampaign(options: BuiltCampaignOptions) {
  const { pointSystemId, token, shares, bucketSize = 128, claimDeadline = null } = options;
  const { chainId = TEST_CHAIN_ID } = options;
  const rewardId = randomUUID();
  const key = { pointSystemId, rewardId };
  const totalAmountWei = shares.reduce((sum, { amountWei }) => sum + amountWei, 0n);
  const buckets = cutIntoBuckets(shares, bucketSize).map((leaves) => ({
    leaves,
    tree: buildMerkleTree(leaves),
    totalWei: leaves.reduce((sum, { amountWei }) => sum + amountWei, 0n),
  }));
  await withDatabase(async (db) => {
    await db.insert(rewards).values({
      pointSystemId,
      id: rewardId,
      kind: "token",
      campaignId: `CMP-${rewardId.slice(0, 8)}`,
      campaignName: options.name ?? "Season one",
      tokenType: token === null ? "ethereum" : "custom",
      tokenAddress: token,
      tokenSymbol: token === null ? "ETH" : "TEST",
      tokenDecimals: 18,
      chainId,
      totalAmountWei,
      status: options.status ?? "active",
      claimDeadline,
      publishedAt: new Date(),
    });
    await db.insert(allocations).values({
      ...key,
      round: 0,
      status: "built",
      totalAmountWei,
      bucketSize,
      snapshotAt: new Date(),
      wallets: shares.length,
      builtAt: new Date(),
    });
    await db.insert(airdrops).values({ ...key, chainId, status: "ready" });
    await db.insert(merkleBuckets).values(
      buckets.map(({ tree, totalWei }, bucket) => ({
        ...key,
        bucket,
        root: hexToBytes(tree.root),
        totalAmountWei: totalWei,
      })),
    );
    await db.insert(distributions).values(
      buckets.flatMap(({ leaves }, bucket) =>
        leaves.map(({ address, amountWei }, leafIndex) => ({
          ...key,
          address,
          points: 10,
          amountWei,
          bucket,
          leafIndex,
        })),
      ),
    );
  });
  return {
    rewardId,
    token,
    totalAmountWei,
    deadline: claimDeadline ? Math.floor(claimDeadline.getTime() / 1_000) : 0,
    ref: toCampaignRef(rewardId),
    /** The buckets in the contract's form. */
    buckets: buckets.map(({ tree, totalWei }) => ({ root: tree.root, total: totalWei })),
    /** Finds the proof with which a wallet claims. */
    proofOf(address: Address) {
      for (const { leaves, tree } of buckets) {
        const index = leaves.findIndex((leaf) => leaf.address === address);
        const leaf = leaves[index];
        if (leaf) return { amountWei: leaf.amountWei, proof: tree.getProof(index) };
      }
      throw new Error(`${address} has no share`);
    },
  };
}

export type BuiltCampaign = Awaited<ReturnType<typeof storeBuiltCampaign>>;

/** Moves a campaign's deadline into the past, to match a chain that a test has moved forward. */
export function passDeadline(rewardId: string) {
  return withDatabase((db) =>
    db
      .update(rewards)
      .set({ claimDeadline: new Date(Date.now() - 60_000) })
      .where(eq(rewards.id, rewardId)),
  );
}

/** Mints tokens for an account. */
export function mint(anvil: Anvil, token: Address, account: Account, amount: bigint) {
  const args = [account.address, amount] as const;
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "mint", args });
  return anvil.send(account, { to: token, data });
}

/** Calls the campaign contract as an account and returns the transaction's hash. */
export async function callContract<
  Name extends
    | "create"
    | "addBuckets"
    | "cancel"
    | "refund"
    | "claim"
    | "claimTo"
    | "claimMany"
    | "claimFor"
    | "distribute"
    | "extendDeadline"
    | "proposeAdmin"
    | "acceptAdmin",
>(
  anvil: Anvil,
  account: Account,
  functionName: Name,
  args: readonly unknown[],
  { value = 0n, to = CAMPAIGN_CONTRACT_ADDRESS as Address } = {},
): Promise<Hex> {
  const data = encodeFunctionData({ abi: campaignAbi, functionName, args } as never);
  return (await anvil.send(account, { to, data, value })).transactionHash;
}

/** Approves and creates a campaign as the page does; any of the terms can be changed. */
export async function createOnChain(
  anvil: Anvil,
  account: Account,
  campaign: BuiltCampaign,
  changes: {
    token?: Address;
    deadline?: number;
    admin?: Address;
    ref?: Hex;
    buckets?: BuiltCampaign["buckets"];
    contract?: Address;
  } = {},
): Promise<Hex> {
  const { contract = CAMPAIGN_CONTRACT_ADDRESS } = changes;
  const token = changes.token ?? campaign.token;
  const buckets = changes.buckets ?? campaign.buckets;
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0n);
  if (token) {
    const args = [contract, total] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await anvil.send(account, { to: token, data });
  }
  return callContract(
    anvil,
    account,
    "create",
    [
      token ?? toHex(0, { size: 20 }),
      changes.deadline ?? campaign.deadline,
      changes.admin ?? account.address,
      changes.ref ?? campaign.ref,
      buckets,
    ],
    { value: token ? 0n : total, to: contract },
  );
}

/** Creates a campaign on chain, and stores that it was found there. */
export async function putOnChain(
  anvil: Anvil,
  account: Account,
  campaign: BuiltCampaign,
): Promise<bigint> {
  const hash = await createOnChain(anvil, account, campaign);
  const { logs } = await anvil.client.getTransactionReceipt({ hash });
  const [created] = parseEventLogs({ abi: campaignAbi, eventName: "AirdropCreated", logs });
  if (!created) throw new Error("Nothing was created");
  const onchainId = created.args.id;
  await withDatabase(async (db) => {
    await db
      .update(airdrops)
      .set({
        status: "active",
        onchainId,
        contractAddress: CAMPAIGN_CONTRACT_ADDRESS,
        creationTxHash: hexToBytes(hash),
        createdOnchainAt: new Date(),
        adminAddress: account.address.toLowerCase() as Address,
      })
      .where(eq(airdrops.rewardId, campaign.rewardId));
    await db
      .update(merkleBuckets)
      .set({ fundedAt: new Date(), fundingTxHash: hexToBytes(hash) })
      .where(eq(merkleBuckets.rewardId, campaign.rewardId));
  });
  return onchainId;
}
