import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import { findBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import { campaignAbi } from "../../domain/campaigns/contract";
import { type ChainContract, isContract } from "./store";

// Compares the stored claims with the contract's own state, which a wrong answer to a query for
// logs cannot change.

/**
 * The claim marks that are read of a bucket whose sum is no evidence, since its rest was refunded.
 */
const MARKS_READ_MAX = 500;
const MARKS_AT_ONCE = 20;

/** A tree in the contract, and the amount that should be unclaimed in it. */
export interface Bucket {
  readonly pointSystemId: string;
  readonly rewardId: string;
  readonly onchainId: string;
  readonly creationBlock: number;
  readonly hasRefunds: boolean;
  readonly bucket: number;
  readonly root: Uint8Array;
  readonly totalWei: string;
  readonly unclaimedWei: string;
}

/** The next trees to compare, and the block to which the database's rows belong. */
export interface Page {
  readonly moment: { readonly block: number; readonly hash: Hex };
  readonly buckets: readonly Bucket[];
}

/**
 * Reads the amounts that should be unclaimed in the next trees, those of the newest airdrops first.
 * @param options.isAll whether all airdrops are compared, not only those that can be claimed from
 *   or could be until an hour ago
 * @returns null while claims are being read, since the amounts are not known then
 */
export function readBuckets(
  of: ChainContract,
  after: Bucket | null,
  { isAll, limit }: { isAll: boolean; limit: number },
): Promise<Page | null> {
  const ofContract = sql`a.chain_id = ${of.chainId} and a.contract_address = ${hexToBytes(of.contract)}`;
  const isClaimable = sql`(a.status = 'active' or a.status = 'ended'
    and greatest(a.cancelled_onchain_at, r.claim_deadline) > now() - interval '1 hour')`;
  const isNext =
    after === null
      ? sql`true`
      : sql`(-a.creation_block, a.reward_id, b.bucket)
          > (${-after.creationBlock}::bigint, ${after.rewardId}::uuid, ${after.bucket}::int)`;
  return withDatabase((db) =>
    db.transaction(
      async (tx) => {
        const [row] = await tx.select().from(claimIndexers).where(isContract(of));
        const { headBlock = null, headHash = null, finalBlock = 0, chainFinalBlock } = row ?? {};
        if (headBlock === null || headHash === null) return null;
        if (finalBlock < (chainFinalBlock ?? 0)) return null;
        // A hint may have stored claims of blocks that the indexer has not seen.
        const [newer] = await tx.execute(sql`
          select from claims where chain_id = ${of.chainId}
            and contract = ${hexToBytes(of.contract)} and block_number > ${headBlock}::bigint
          limit 1`);
        if (newer) return null;
        const buckets = await tx.execute<{ [Key in keyof Bucket]: Bucket[Key] }>(sql`
          with page as materialized (
            select a.point_system_id, a.reward_id, a.onchain_id, a.creation_block,
              a.refunded_wei > 0 or a.cancelled_onchain_at is not null as has_refunds,
              b.bucket, b.root, b.total_amount_wei
            from airdrops a
            join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
            join merkle_buckets b on b.point_system_id = a.point_system_id
              and b.reward_id = a.reward_id and b.root is not null and b.funded_at is not null
            where ${ofContract} and a.onchain_id is not null and a.creation_block is not null
              and (${isAll} or ${isClaimable}) and ${isNext}
            order by -a.creation_block, a.reward_id, b.bucket limit ${limit}
          )
          select p.point_system_id as "pointSystemId", p.reward_id as "rewardId",
            p.onchain_id::text as "onchainId", p.creation_block::float8 as "creationBlock",
            p.has_refunds as "hasRefunds", p.bucket, p.root, p.total_amount_wei::text as "totalWei",
            (p.total_amount_wei - coalesce((
              select sum(d.amount_wei) from distributions d
              where d.point_system_id = p.point_system_id and d.reward_id = p.reward_id
                and d.bucket = p.bucket and d.claimed_at is not null
            ), 0))::text as "unclaimedWei"
          from page p
          order by -p.creation_block, p.reward_id, p.bucket`);
        return { moment: { block: headBlock, hash: toHex(headHash) }, buckets };
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
}

/**
 * Lists the trees for which the contract reports other amounts, by one endpoint.
 * @throws {ChainError} when the endpoint gives no consistent answer
 */
export async function listDiffering(
  client: PublicClient,
  of: ChainContract,
  { moment, buckets }: Page,
): Promise<Bucket[]> {
  const differs = await Promise.all(
    buckets.map((bucket) => isDifferent(client, of, bucket, moment.block)),
  );
  // The state that was read at a height belongs to the expected block if that block is still there.
  const stands = await findBlock(client, moment.block);
  if (stands?.hash !== moment.hash) throw new ChainError("moved");
  return buckets.filter((_, i) => differs[i]);
}

async function isDifferent(
  client: PublicClient,
  of: ChainContract,
  bucket: Bucket,
  block: number,
): Promise<boolean> {
  const call = { address: of.contract, abi: campaignAbi, blockNumber: BigInt(block) } as const;
  const id = BigInt(bucket.onchainId);
  const root = toHex(bucket.root);
  const [exists, unclaimed] = await client.readContract({
    ...call,
    functionName: "bucket",
    args: [id, root],
  });
  const expected = BigInt(bucket.unclaimedWei);
  if (!exists) return expected !== BigInt(bucket.totalWei);
  if (unclaimed === expected) return false;
  if (!bucket.hasRefunds || unclaimed !== 0n) return true;
  const leaves = await listLeaves(bucket);
  for (let next = 0; next < leaves.length; next += MARKS_AT_ONCE) {
    const some = leaves.slice(next, next + MARKS_AT_ONCE);
    const marks = await Promise.all(
      some.map(({ leafIndex }) =>
        client.readContract({
          ...call,
          functionName: "isClaimed",
          args: [id, root, BigInt(leafIndex)],
        }),
      ),
    );
    if (some.some(({ isClaimed }, i) => isClaimed !== marks[i])) return true;
  }
  return false;
}

function listLeaves({ pointSystemId, rewardId, bucket }: Bucket) {
  return withDatabase((db) =>
    db.execute<{ leafIndex: number; isClaimed: boolean }>(sql`
      select leaf_index as "leafIndex", claimed_at is not null as "isClaimed"
      from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and bucket = ${bucket}
      order by leaf_index limit ${MARKS_READ_MAX}`),
  );
}
