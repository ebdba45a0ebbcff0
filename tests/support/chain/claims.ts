import { eq, sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, parseAbiItem } from "viem";
import { openChains } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import { chainFollowers } from "../../../app/db/schema/chain-follower";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import type { Member } from "../../../app/services/access/members";
import { getChainPage } from "../../../app/services/campaigns/chain/page";
import { nameAdmin } from "../../../app/services/campaigns/chain/reports";
import { reportTransaction } from "../../../app/services/campaigns/chain/transactions";
import type { ChainFollower } from "../../../app/services/follower/follower";
import { startRpcProxy } from "../fakes/rpc-proxy";
import { createOwner } from "../operators";
import { getTestAccount, startAnvil, TEST_CHAIN_ID } from "./anvil";
import { callContract, createOnChain, mint, storeBuiltCampaign } from "./campaigns";

// A chain with a campaign whose holders claim, and the expected rows of the claims.

const ONE = 10n ** 18n;
export const addressOf = (account: { address: string }) => account.address.toLowerCase() as Address;
const CLAIMED = parseAbiItem(
  "event Claimed(uint256 indexed id, address indexed account, uint256 amount, bytes32 root)",
);

/**
 * Starts a chain on which a block is final two blocks later, an endpoint in front of it, and an
 * owner.
 */
export async function startClaimScene() {
  const anvil = await startAnvil({ args: ["--slots-in-an-epoch", "1"] });
  const proxy = await startRpcProxy(anvil.rpcUrl);
  openChains({ RPC_URL_84532: [proxy.url] });
  const token = await anvil.deployToken();
  const admin = getTestAccount(0);
  await mint(anvil, token, admin, 1_000_000n * ONE);
  const owner = await createOwner();
  return {
    anvil,
    proxy,
    owner,
    admin,
    async stop() {
      openChains({});
      await proxy.stop();
      await anvil.stop();
    },
    /** Launches a campaign of four holders on chain, and accepts it. */
    async launch(options: { claimDeadline?: Date; accepted?: boolean } = {}) {
      const holders = [2, 3, 4, 5].map(getTestAccount);
      const { accepted = true, ...rest } = options;
      const campaign = await storeBuiltCampaign({
        pointSystemId: owner.pointSystemId,
        token,
        shares: holders.map((holder, i) => ({
          address: addressOf(holder),
          amountWei: ONE * BigInt(i + 1),
        })),
        bucketSize: 2,
        ...rest,
      });
      await nameAdmin(owner as Member<"owner">, campaign.rewardId, addressOf(admin));
      const creation = await createOnChain(anvil, admin, campaign);
      const accept = () => reportTransaction(owner, campaign.rewardId, creation);
      if (accepted) await accept();
      return {
        ...campaign,
        holders,
        accept,
        claim: async (holder: ReturnType<typeof getTestAccount>) => {
          const { amountWei, proof } = campaign.proofOf(addressOf(holder));
          const { onchainId } = (await getChainPage(owner, campaign.rewardId)).campaign;
          return callContract(anvil, holder, "claim", [onchainId, amountWei, proof]);
        },
      };
    },
    mine: (blocks: number) => anvil.client.mine({ blocks }),
    /** Reads the campaign as its page shows it. */
    chainOf: async (rewardId: string) => (await getChainPage(owner, rewardId)).campaign,
    /** Adds trees that no draft has to a campaign, and mints the token for them. */
    async addBuckets(rewardId: string, buckets: readonly { root: `0x${string}`; total: bigint }[]) {
      const { onchainId } = (await getChainPage(owner, rewardId)).campaign;
      const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0n);
      const args = [CAMPAIGN_CONTRACT_ADDRESS, total] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      await anvil.send(admin, { to: token, data });
      await callContract(anvil, admin, "addBuckets", [onchainId, buckets]);
    },
    /** Stores a campaign of a chain's own coin that waits for its creation. */
    plan: (options: { claimDeadline?: Date; chainId?: 84532 | 8453 | 5031 } = {}) =>
      storeBuiltCampaign({
        pointSystemId: owner.pointSystemId,
        token: null,
        shares: [2, 3].map((index) => ({
          address: addressOf(getTestAccount(index)),
          amountWei: ONE,
        })),
        bucketSize: 2,
        ...options,
      }),
    nameAdmin: (rewardId: string) => nameAdmin(owner, rewardId, addressOf(admin)),
    readPage: (rewardId: string) => getChainPage(owner, rewardId),
    /** Reverts the chain to a snapshot, and mines empty blocks from there. */
    async fork(snapshot: `0x${string}`, blocks: number) {
      await anvil.client.revert({ id: snapshot });
      await anvil.client.mine({ blocks, interval: 3 });
    },
  };
}

export type ClaimScene = Awaited<ReturnType<typeof startClaimScene>>;

/** Lets an indexer look until it has nothing more to do. */
export async function catchUp(indexer: ChainFollower): Promise<void> {
  while (await indexer.look(TEST_CHAIN_ID));
}

/** Lists the claims in the contract, as the chain reports them. */
export async function listChainClaims({ anvil }: ClaimScene): Promise<string[]> {
  const logs = await anvil.client.getLogs({
    address: CAMPAIGN_CONTRACT_ADDRESS,
    event: CLAIMED,
    fromBlock: 0n,
    strict: true,
  });
  const lines = logs.map(async ({ args, transactionHash, blockNumber }) => {
    const { timestamp } = await anvil.client.getBlock({ blockNumber });
    return `${args.account.toLowerCase()} ${args.id} ${transactionHash} ${timestamp}`;
  });
  return (await Promise.all(lines)).sort();
}

/** Lists the shares that are claimed in the database, in the same form. */
export async function listClaimedShares(): Promise<string[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ line: string }>(sql`
      select '0x' || encode(d.address, 'hex') || ' ' || a.onchain_id || ' 0x'
        || encode(d.claim_tx_hash, 'hex') || ' ' || floor(extract(epoch from d.claimed_at)) as line
      from distributions d
      join airdrops a on a.point_system_id = d.point_system_id and a.reward_id = d.reward_id
      where d.claimed_at is not null`),
  );
  return rows.map(({ line }) => line).sort();
}

/** Reads the stored state of the chain's indexer; undefined before its first look. */
export async function findIndexer() {
  const [row] = await withDatabase((db) =>
    db.select().from(chainFollowers).where(eq(chainFollowers.chainId, TEST_CHAIN_ID)),
  );
  return row;
}

export async function readIndexer() {
  const row = await findIndexer();
  if (!row) throw new Error("No indexer has looked yet");
  return row;
}

/** Restores the state before any indexer ran. */
export function forgetClaims() {
  return withDatabase(async (db) => {
    await db.execute(sql`delete from chain_logs`);
    await db.execute(sql`delete from chain_followers`);
    await db.execute(sql`update distributions set claimed_at = null, claim_tx_hash = null`);
  });
}

/** Makes the leader look as if it had been silent for a minute. */
export const ageLeader = () =>
  withDatabase((db) =>
    db.execute(sql`update chain_followers set lease_until = lease_until - interval '1 minute'`),
  );
