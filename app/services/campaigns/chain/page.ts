import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { type Hex, toHex } from "viem";
import { type Deployment, findDeployment } from "../../../chain/campaigns/deployment";
import { getBrowserEndpoints, getChainSettings } from "../../../chain/rpc/chains";
import { type Executor, withDatabase } from "../../../db/client";
import { airdrops, allocations, merkleBuckets, rewards } from "../../../db/schema/rewards";
import type { Address } from "../../../domain/address";
import { cutIntoTransactions, estimateCreationGas } from "../../../domain/campaigns/cost";
import { NATIVE_COIN } from "../../../domain/campaigns/native-coin";
import { Failure } from "../../../domain/failure";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { requireUuid } from "../../../domain/uuid";
import type { Member } from "../../access/members";
import { selectAdmin } from "../../rewards/active-airdrop";
import { countClaims } from "../../rewards/claim-progress";
import { isAirdropOfReward } from "../../rewards/joins";
import type { RewardKey } from "../../trees/buckets";
import { listCampaignTransactions, listStrays, ROOTS_A_REFUND } from "./logs";

/** A tree in the form that the contract takes. */
export interface ChainBucket {
  readonly root: Hex;
  readonly totalWei: bigint;
}

/** A campaign with the state of its escrow. */
export type ChainCampaign = Awaited<ReturnType<typeof selectChainCampaign>>;

/** A bound above the trees of any campaign: a million wallets in the smallest trees make 7,813. */
const BUCKETS_MAX = 10_000;

const isOf = (
  { pointSystemId, rewardId }: RewardKey,
  table: typeof airdrops | typeof merkleBuckets,
) => and(eq(table.pointSystemId, pointSystemId), eq(table.rewardId, rewardId));

/**
 * Selects a campaign with the state of its escrow.
 * @throws {Failure} `not_found` unless it is a token reward on a chain, of this point system
 */
export async function selectChainCampaign(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
) {
  const [row] = await executor
    .select({
      rewardId: rewards.id,
      campaignId: rewards.campaignId,
      name: rewards.campaignName,
      status: rewards.status,
      chainId: rewards.chainId,
      tokenType: rewards.tokenType,
      tokenAddress: rewards.tokenAddress,
      tokenSymbol: rewards.tokenSymbol,
      tokenDecimals: rewards.tokenDecimals,
      totalAmountWei: rewards.totalAmountWei,
      claimDeadline: rewards.claimDeadline,
      deadlineTimeZone: rewards.deadlineTimeZone,
      tokenReadAt: rewards.tokenReadAt,
      airdropStatus: airdrops.status,
      contractAddress: airdrops.contractAddress,
      onchainId: airdrops.onchainId,
      adminAddress: selectAdmin(),
      formerAdminAddress: airdrops.formerAdminAddress,
      adminNamedAt: airdrops.adminNamedAt,
      creationTxHash: airdrops.creationTxHash,
      createdOnchainAt: airdrops.createdOnchainAt,
      cancelledOnchainAt: airdrops.cancelledOnchainAt,
      refundedWei: airdrops.refundedWei,
    })
    .from(rewards)
    .leftJoin(airdrops, isAirdropOfReward())
    .where(
      and(
        eq(rewards.pointSystemId, pointSystemId),
        eq(rewards.id, rewardId),
        eq(rewards.kind, "token"),
      ),
    );
  const { chainId, tokenSymbol, tokenDecimals, totalAmountWei } = row ?? {};
  const isWhole =
    tokenSymbol != null && tokenDecimals != null && totalAmountWei != null && chainId != null;
  if (!row || !isWhole || !isRewardChainId(chainId)) throw new Failure("not_found");
  return { ...row, chainId, tokenSymbol, tokenDecimals, totalAmountWei };
}

/**
 * Makes the key of a reward from the id in a page's path.
 * @throws {Failure} `not_found` when the id is malformed
 */
export function toRewardKey({ pointSystemId }: Member, rewardId: string): RewardKey {
  return { pointSystemId, rewardId: requireUuid(rewardId) };
}

/**
 * Returns the token's address for the contract: the zero address stands for the chain's own coin.
 */
export function toTokenAddress({ tokenType, tokenAddress }: ChainCampaign): Address {
  return tokenType === "ethereum" || tokenAddress === null ? NATIVE_COIN : tokenAddress;
}

/**
 * Converts a deadline to the last second at which a claim is valid, in seconds since 1970; 0 for
 * none.
 */
export function toDeadlineSeconds(claimDeadline: Date | null): number {
  return claimDeadline ? Math.floor(claimDeadline.getTime() / 1_000) : 0;
}

/** Lists the trees that are built and not funded on chain, in their order. */
export function listUnfundedBuckets(executor: Executor, key: RewardKey): Promise<ChainBucket[]> {
  const isBuilt = sql`not exists (
    select 1 from ${allocations} a
    where a.point_system_id = ${merkleBuckets.pointSystemId}
      and a.reward_id = ${merkleBuckets.rewardId} and a.round = ${merkleBuckets.round}
      and a.status <> 'built')`;
  return listBuckets(executor, key, and(isNull(merkleBuckets.fundedAt), isBuilt));
}

/** Lists the trees that are funded on chain, in their order. */
export function listFundedBuckets(executor: Executor, key: RewardKey): Promise<ChainBucket[]> {
  return listBuckets(executor, key, isNotNull(merkleBuckets.fundedAt));
}

async function listBuckets(executor: Executor, key: RewardKey, which: ReturnType<typeof and>) {
  const rows = await executor
    .select({ root: merkleBuckets.root, totalWei: merkleBuckets.totalAmountWei })
    .from(merkleBuckets)
    .where(and(isOf(key, merkleBuckets), isNotNull(merkleBuckets.root), which))
    .orderBy(asc(merkleBuckets.bucket))
    .limit(BUCKETS_MAX);
  return rows.flatMap(({ root, totalWei }) => (root ? [{ root: toHex(root), totalWei }] : []));
}

const sumOf = (buckets: readonly ChainBucket[]) =>
  buckets.reduce((sum, { totalWei }) => sum + totalWei, 0n);

/**
 * Reads the data of a campaign's chain page: the state on chain, the next step, and the number of
 * claims. It reads the database only.
 * @throws {Failure} `not_found`
 */
export async function getChainPage(member: Member, rewardId: string) {
  const key = toRewardKey(member, rewardId);
  return withDatabase(async (db) => {
    const campaign = await selectChainCampaign(db, key);
    const { campaignContract, rpcUrls } = getChainSettings(campaign.chainId);
    const unfunded = await listUnfundedBuckets(db, key);
    const funded = await listFundedBuckets(db, key);
    const parts = cutIntoTransactions(unfunded, campaign.chainId);
    const [next = []] = parts;
    const claims = await countClaims(db, key);
    const roots = funded.map(({ root }) => root);
    const { creationTxHash } = campaign;
    return {
      campaign: {
        ...campaign,
        creationTxHash: creationTxHash && toHex(creationTxHash),
        contractAddress: campaign.contractAddress ?? campaignContract,
        token: toTokenAddress(campaign),
        deadlineSeconds: toDeadlineSeconds(campaign.claimDeadline),
      },
      chain: {
        ...REWARD_CHAINS[campaign.chainId],
        id: campaign.chainId,
        ...getBrowserEndpoints(campaign.chainId),
        isConfigured: rpcUrls.length > 0,
      },
      unfunded: {
        buckets: unfunded.length,
        totalWei: sumOf(unfunded),
        transactions: parts.length,
        gas: estimateCreationGas(unfunded.length, 1).gas,
        next,
        nextWei: sumOf(next),
      },
      funded: {
        buckets: funded.length,
        totalWei: sumOf(funded),
        /** The roots, in parts that each fit one refund. */
        parts: Array.from({ length: Math.ceil(roots.length / ROOTS_A_REFUND) }, (_, part) =>
          roots.slice(part * ROOTS_A_REFUND, (part + 1) * ROOTS_A_REFUND),
        ),
      },
      claims,
      transactions: await listCampaignTransactions(db, campaign),
      strays: await listStrays(db, campaign),
    };
  });
}

/**
 * Looks whether the contract is there, while a campaign has buckets to bring to it. Null when it has
 * none, and when the chain does not tell in time.
 */
export async function findContract({
  campaign,
  chain,
  unfunded,
}: Awaited<ReturnType<typeof getChainPage>>): Promise<Deployment | null> {
  const isNeeded = chain.isConfigured && unfunded.buckets > 0 && campaign.status !== "cancelled";
  return isNeeded ? findDeployment(campaign.chainId, campaign.contractAddress) : null;
}
