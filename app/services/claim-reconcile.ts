import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import { askChain, findBlock } from "../chain/campaign-events";
import { getCampaignContract, getChainSettings, listConfiguredChainIds } from "../chain/chains";
import { withDatabase } from "../db/client";
import { claimIndexers } from "../db/schema/claim-indexer";
import { campaignAbi } from "../domain/campaign-contract";
import { type ChainContract, isContract } from "./claim-store";

// Compares the claims that are stored with the contract's own books, which no log can falsify.

/** Buckets that are read at one block: its state is there for a short while only. */
const BUCKETS_AT_ONCE = 20;
/** Of a bucket whose sum says nothing, since the rest of it was refunded. */
const MARKS_READ_MAX = 500;
const MARKS_AT_ONCE = 20;
const AIRDROPS_MAX = 1_000;

type Airdrop = {
  pointSystemId: string;
  rewardId: string;
  onchainId: string;
  creationBlock: number;
  hasRefunds: boolean;
};
type Bucket = { bucket: number; root: Uint8Array; unclaimedWei: string };
/** The moment that the database's rows are of. */
type Moment = { block: number; hash: Hex };

/**
 * Compares every airdrop on every chain with the contract. Where they differ, the chain is read anew from
 * that airdrop's creation on, through the next endpoint if there is one.
 * @throws when a chain could not be asked, after all others were
 */
export async function reconcileClaims(signal: AbortSignal): Promise<void> {
  let failure: unknown;
  for (const chainId of listConfiguredChainIds()) {
    // Not done: another process takes it up.
    signal.throwIfAborted();
    await reconcileChain({ chainId, contract: getCampaignContract(chainId) }, signal).catch(
      (error: unknown) => {
        failure ??= error;
      },
    );
  }
  if (failure !== undefined) throw failure;
}

async function reconcileChain(of: ChainContract, signal: AbortSignal): Promise<void> {
  let compared = 0;
  const differing: Airdrop[] = [];
  for (const airdrop of await listAirdrops(of)) {
    for (let afterBucket = -1; ; ) {
      signal.throwIfAborted();
      const page = await readBuckets(of, airdrop, afterBucket);
      // There is nothing to compare with while the claims are still being read.
      if (!page) return;
      const last = page.buckets.at(-1);
      if (!last) break;
      const differ = await compare(of, airdrop, page);
      for (let n = 0; n < differ; n += 1) differing.push(airdrop);
      compared += page.buckets.length;
      afterBucket = last.bucket;
    }
  }
  if (compared > 0) await conclude(of, compared, differing);
}

function listAirdrops(of: ChainContract): Promise<readonly Airdrop[]> {
  return withDatabase((db) =>
    db.execute<Airdrop>(sql`
      select point_system_id as "pointSystemId", reward_id as "rewardId",
        onchain_id::text as "onchainId", creation_block::float8 as "creationBlock",
        refunded_wei > 0 or cancelled_onchain_at is not null as "hasRefunds"
      from airdrops
      where chain_id = ${of.chainId} and contract_address = ${hexToBytes(of.contract)}
        and onchain_id is not null and creation_block is not null
      order by creation_block desc limit ${AIRDROPS_MAX}`),
  );
}

/** What should be unclaimed in the next buckets, and as of which block. Null while that is not known. */
function readBuckets(of: ChainContract, { pointSystemId, rewardId }: Airdrop, after: number) {
  return withDatabase((db) =>
    db.transaction(
      async (tx): Promise<{ moment: Moment; buckets: readonly Bucket[] } | null> => {
        const [row] = await tx.select().from(claimIndexers).where(isContract(of));
        const { headBlock = null, headHash = null, finalBlock = 0, chainFinalBlock } = row ?? {};
        if (headBlock === null || headHash === null) return null;
        if (finalBlock < (chainFinalBlock ?? 0)) return null;
        const buckets = await tx.execute<Bucket>(sql`
          select b.bucket, b.root, (b.total_amount_wei - coalesce((
            select sum(d.amount_wei) from distributions d
            where d.point_system_id = b.point_system_id and d.reward_id = b.reward_id
              and d.bucket = b.bucket and d.claimed_at is not null
          ), 0))::text as "unclaimedWei"
          from merkle_buckets b
          where b.point_system_id = ${pointSystemId} and b.reward_id = ${rewardId}
            and b.bucket > ${after} and b.root is not null and b.funded_at is not null
          order by b.bucket limit ${BUCKETS_AT_ONCE}`);
        return { moment: { block: headBlock, hash: toHex(headHash) }, buckets };
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
}

/** @returns how many buckets differ */
function compare(
  of: ChainContract,
  airdrop: Airdrop,
  { moment, buckets }: { moment: Moment; buckets: readonly Bucket[] },
): Promise<number> {
  return askChain(of.chainId, async (client) => {
    const differ = await Promise.all(
      buckets.map((bucket) => isDifferent(client, of, airdrop, bucket, moment)),
    );
    // What was read at a height is of the block that is meant if it stands there still.
    const stands = await findBlock(client, moment.block);
    if (stands?.hash !== moment.hash) throw new Error("The chain changed while it was compared");
    return differ.filter(Boolean).length;
  });
}

async function isDifferent(
  client: PublicClient,
  of: ChainContract,
  airdrop: Airdrop,
  { bucket, root, unclaimedWei }: Bucket,
  { block }: Moment,
): Promise<boolean> {
  const call = { address: of.contract, abi: campaignAbi, blockNumber: BigInt(block) } as const;
  const id = BigInt(airdrop.onchainId);
  const [, unclaimed] = await client.readContract({
    ...call,
    functionName: "bucket",
    args: [id, toHex(root)],
  });
  if (unclaimed === BigInt(unclaimedWei)) return false;
  if (!airdrop.hasRefunds || unclaimed !== 0n) return true;
  const leaves = await listLeaves(airdrop, bucket);
  for (let next = 0; next < leaves.length; next += MARKS_AT_ONCE) {
    const some = leaves.slice(next, next + MARKS_AT_ONCE);
    const marks = await Promise.all(
      some.map(({ leafIndex }) =>
        client.readContract({
          ...call,
          functionName: "isClaimed",
          args: [id, toHex(root), BigInt(leafIndex)],
        }),
      ),
    );
    if (some.some(({ isClaimed }, i) => isClaimed !== marks[i])) return true;
  }
  return false;
}

function listLeaves({ pointSystemId, rewardId }: Airdrop, bucket: number) {
  return withDatabase((db) =>
    db.execute<{ leafIndex: number; isClaimed: boolean }>(sql`
      select leaf_index as "leafIndex", claimed_at is not null as "isClaimed"
      from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and bucket = ${bucket}
      order by leaf_index limit ${MARKS_READ_MAX}`),
  );
}

/** Writes down how it ended, and has the chain read anew where that may help. */
async function conclude(
  of: ChainContract,
  compared: number,
  differing: readonly Airdrop[],
): Promise<void> {
  const hasOthers = getChainSettings(of.chainId).rpcUrls.length > 1;
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const [row] = await tx
        .select()
        .from(claimIndexers)
        .where(isContract(of))
        .for("no key update");
      if (!row) return;
      // The only endpoint said the same the last time.
      const isKnown = row.bucketsDiffering === differing.length && !hasOthers;
      const firstBlock = Math.min(...differing.map(({ creationBlock }) => creationBlock));
      await tx
        .update(claimIndexers)
        .set({
          reconciledAt: sql`now()`,
          bucketsCompared: compared,
          bucketsDiffering: differing.length,
          ...(differing.length > 0 &&
            !isKnown && {
              finalBlock: Math.min(row.finalBlock, firstBlock - 1),
              provider: row.provider + 1,
              rescans: row.rescans + 1,
            }),
        })
        .where(isContract(of));
    }),
  );
}
