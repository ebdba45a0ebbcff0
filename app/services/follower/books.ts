import { sql } from "drizzle-orm";
import type { Hex, PublicClient } from "viem";
import { readViews } from "../../chain/campaigns/views";
import { findBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";

// Compares what is stored with the contracts' own books, which a wrong answer to a query for logs
// cannot change. One call reads many trees.

/** The claim marks in a word of the contract. */
const MARKS_A_WORD = 256;

/** A tree in a contract, and the amount that should be unclaimed in it. */
export interface Bucket {
  readonly pointSystemId: string;
  readonly rewardId: string;
  readonly contract: Address;
  readonly onchainId: string;
  readonly creationBlock: number;
  readonly hasRefunds: boolean;
  /** Whether the airdrop has ended, and its last log but claims is final. */
  readonly isSettled: boolean;
  readonly bucket: number;
  readonly root: Hex;
  readonly totalWei: string;
  readonly unclaimedWei: string;
}

/** The next trees to compare, and the block to which the database's rows belong. */
export type Page = {
  readonly block: number;
  readonly hash: Hex;
  /** The index of the endpoint that answered last. */
  readonly endpoint: number;
  readonly buckets: readonly Bucket[];
};

/**
 * Reads the amounts that should be unclaimed in the next trees whose books are open, those of the
 * newest airdrops first.
 * @returns null while logs are being read, since the amounts are not known then
 */
export async function readBuckets(
  chainId: number,
  after: Bucket | null,
  limit: number,
): Promise<Page | null> {
  const isNext =
    after === null
      ? sql`true`
      : sql`(-a.creation_block, a.reward_id, b.bucket)
          > (${-after.creationBlock}::bigint, ${after.rewardId}::uuid, ${after.bucket}::int)`;
  // One statement, so that the block and the amounts are of one moment.
  const [page] = await withDatabase((db) =>
    db.execute<Page>(sql`
      with page as materialized (
        select a.*, b.bucket, b.root, b.total_amount_wei
        from airdrops a
        join merkle_buckets b on b.point_system_id = a.point_system_id
          and b.reward_id = a.reward_id and b.root is not null and b.funded_at is not null
        where a.chain_id = ${chainId} and a.onchain_id is not null
          and a.creation_block is not null and a.books_closed_at is null and ${isNext}
        order by -a.creation_block, a.reward_id, b.bucket limit ${limit}
      )
      select f.endpoint, f.head_block::float8 as block,
        '0x' || encode(f.head_hash, 'hex') as hash, coalesce((
          select json_agg(json_build_object(
            'pointSystemId', p.point_system_id, 'rewardId', p.reward_id,
            'contract', '0x' || encode(p.contract_address, 'hex'),
            'onchainId', p.onchain_id::text, 'creationBlock', p.creation_block,
            'hasRefunds', p.refunded_wei > 0 or p.cancelled_onchain_at is not null,
            'isSettled', p.status = 'ended' and not exists (
              select 1 from chain_logs l
              where l.chain_id = p.chain_id and l.contract = p.contract_address
                and l.onchain_id = p.onchain_id and l.kind <> 'claim'
                and l.block_number > coalesce(f.agreed_block, -1)
            ),
            'bucket', p.bucket, 'root', '0x' || encode(p.root, 'hex'),
            'totalWei', p.total_amount_wei::text,
            'unclaimedWei', (p.total_amount_wei - coalesce((
              select sum(d.amount_wei) from distributions d
              where d.point_system_id = p.point_system_id and d.reward_id = p.reward_id
                and d.bucket = p.bucket and d.claimed_at is not null
            ), 0))::text
          ) order by -p.creation_block, p.reward_id, p.bucket)
          from page p
        ), '[]') as buckets
      from chain_followers f
      where f.chain_id = ${chainId} and f.head_block is not null
        and f.final_block >= coalesce(f.agreed_block, f.final_block)`),
  );
  return page ?? null;
}

/**
 * Lists the trees for which the contract reports other amounts or marks, by one endpoint.
 * @throws {ChainError} when the endpoint gives no consistent answer
 */
export async function listDiffering(
  client: PublicClient,
  { block, hash, buckets }: Page,
): Promise<Bucket[]> {
  if (buckets.length === 0) return [];
  const books = await readViews(
    client,
    buckets.map(({ contract, onchainId, root }) => ({
      address: contract,
      functionName: "bucket",
      args: [BigInt(onchainId), root],
    })),
    BigInt(block),
  );
  const differing: Bucket[] = [];
  for (const [i, bucket] of buckets.entries()) {
    const [exists, unclaimed] = books[i] as [boolean, bigint];
    const isEqual = exists
      ? unclaimed === BigInt(bucket.unclaimedWei)
      : bucket.unclaimedWei === bucket.totalWei;
    // After a refund the amount is no evidence, but the marks are.
    const isRefunded = exists && bucket.hasRefunds && unclaimed === 0n;
    if (isEqual || (isRefunded && !(await hasOtherMarks(client, bucket, block)))) continue;
    differing.push(bucket);
  }
  // The state that was read at a height belongs to the expected block if that block is still there.
  if ((await findBlock(client, block))?.hash !== hash) throw new ChainError("moved");
  return differing;
}

/** Compares which leaves of a tree are claimed. A leaf's marker is its index. */
async function hasOtherMarks(
  client: PublicClient,
  { pointSystemId, rewardId, bucket, contract, onchainId, root }: Bucket,
  block: number,
): Promise<boolean> {
  const leaves = await withDatabase((db) =>
    db.execute<{ leafIndex: number; isClaimed: boolean }>(sql`
      select leaf_index as "leafIndex", claimed_at is not null as "isClaimed"
      from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and bucket = ${bucket}
      order by leaf_index`),
  );
  const words: bigint[] = [];
  for (const { leafIndex, isClaimed } of leaves) {
    const word = Math.floor(leafIndex / MARKS_A_WORD);
    words[word] = (words[word] ?? 0n) | (BigInt(isClaimed) << BigInt(leafIndex % MARKS_A_WORD));
  }
  const args = [BigInt(onchainId), root, words.map((_, word) => BigInt(word))];
  const calls = [{ address: contract, functionName: "marksOf", args }] as const;
  const [marks] = (await readViews(client, calls, BigInt(block))) as [readonly bigint[]];
  return words.some((word, i) => word !== marks[i]);
}
