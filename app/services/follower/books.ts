import { sql } from "drizzle-orm";
import { type Hex, type PublicClient, toHex } from "viem";
import { readViews } from "../../chain/campaigns/views";
import { findBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { toArrayLiteral } from "../../db/array-literal";
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
 * Reads the amounts that should be unclaimed in the next trees whose books are open, those of the
 * newest airdrops first.
 * @returns null while logs are being read, since the amounts are not known then
 */
export function readBuckets(
  chainId: number,
  after: Bucket | null,
  limit: number,
): Promise<Page | null> {
  const isNext =
    after === null
      ? sql`true`
      : sql`(-a.creation_block, a.reward_id, b.bucket)
          > (${-after.creationBlock}::bigint, ${after.rewardId}::uuid, ${after.bucket}::int)`;
  return withDatabase((db) =>
    db.transaction(
      async (tx) => {
        const [row] = await tx.execute<{ block: number; hash: Uint8Array; agreed: number }>(sql`
          select head_block::float8 as block, head_hash as hash,
            coalesce(agreed_block, -1)::float8 as agreed
          from chain_followers
          where chain_id = ${chainId} and head_block is not null
            and final_block >= coalesce(agreed_block, final_block)`);
        if (!row) return null;
        const buckets = await tx.execute<{ [Key in keyof Bucket]: Bucket[Key] }>(sql`
          with page as materialized (
            select a.*, b.bucket, b.root, b.total_amount_wei
            from airdrops a
            join merkle_buckets b on b.point_system_id = a.point_system_id
              and b.reward_id = a.reward_id and b.root is not null and b.funded_at is not null
            where a.chain_id = ${chainId} and a.onchain_id is not null
              and a.creation_block is not null and a.books_closed_at is null and ${isNext}
            order by -a.creation_block, a.reward_id, b.bucket limit ${limit}
          )
          select p.point_system_id as "pointSystemId", p.reward_id as "rewardId",
            '0x' || encode(p.contract_address, 'hex') as contract,
            p.onchain_id::text as "onchainId", p.creation_block::float8 as "creationBlock",
            p.refunded_wei > 0 or p.cancelled_onchain_at is not null as "hasRefunds",
            p.status = 'ended' and not exists (
              select 1 from chain_logs l
              where l.chain_id = p.chain_id and l.contract = p.contract_address
                and l.onchain_id = p.onchain_id and l.kind <> 'claim'
                and l.block_number > ${row.agreed}::bigint
            ) as "isSettled",
            p.bucket, p.root, p.total_amount_wei::text as "totalWei",
            (p.total_amount_wei - coalesce((
              select sum(d.amount_wei) from distributions d
              where d.point_system_id = p.point_system_id and d.reward_id = p.reward_id
                and d.bucket = p.bucket and d.claimed_at is not null
            ), 0))::text as "unclaimedWei"
          from page p
          order by -p.creation_block, p.reward_id, p.bucket`);
        return { moment: { block: row.block, hash: toHex(row.hash) }, buckets };
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
}

/**
 * Lists the trees for which the contract reports other amounts or marks, by one endpoint.
 * @throws {ChainError} when the endpoint gives no consistent answer
 */
export async function listDiffering(
  client: PublicClient,
  { moment, buckets }: Page,
): Promise<Bucket[]> {
  const block = BigInt(moment.block);
  const books = await readViews(
    client,
    buckets.map(({ contract, onchainId, root }) => ({
      address: contract,
      functionName: "bucket" as const,
      args: [BigInt(onchainId), toHex(root)],
    })),
    block,
  );
  const differing = new Set<Bucket>();
  const refunded: Bucket[] = [];
  for (const [i, bucket] of buckets.entries()) {
    const [exists, unclaimed] = books[i] as [boolean, bigint];
    if (exists && unclaimed === BigInt(bucket.unclaimedWei)) continue;
    // After a refund the amount is no evidence, but the marks are.
    if (exists && bucket.hasRefunds && unclaimed === 0n) refunded.push(bucket);
    else if (exists || bucket.unclaimedWei !== bucket.totalWei) differing.add(bucket);
  }
  for (const bucket of refunded) {
    if (await hasOtherMarks(client, bucket, block)) differing.add(bucket);
  }
  // The state that was read at a height belongs to the expected block if that block is still there.
  const stands = await findBlock(client, moment.block);
  if (stands?.hash !== moment.hash) throw new ChainError("moved");
  return buckets.filter((bucket) => differing.has(bucket));
}

/** Compares which leaves of a tree are claimed. A leaf's marker is its index. */
async function hasOtherMarks(
  client: PublicClient,
  { pointSystemId, rewardId, bucket, contract, onchainId, root }: Bucket,
  block: bigint,
): Promise<boolean> {
  const leaves = await withDatabase((db) =>
    db.execute<{ leafIndex: number; isClaimed: boolean }>(sql`
      select leaf_index as "leafIndex", claimed_at is not null as "isClaimed"
      from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and bucket = ${bucket}`),
  );
  const last = leaves.reduce((max, { leafIndex }) => Math.max(max, leafIndex), 0);
  const words = Array.from({ length: Math.floor(last / MARKS_A_WORD) + 1 }, (_, i) => BigInt(i));
  const [answer] = await readViews(
    client,
    [{ address: contract, functionName: "marksOf", args: [BigInt(onchainId), toHex(root), words] }],
    block,
  );
  const marks = answer as readonly bigint[];
  return leaves.some(({ leafIndex, isClaimed }) => {
    const word = marks[Math.floor(leafIndex / MARKS_A_WORD)] ?? 0n;
    return ((word >> BigInt(leafIndex % MARKS_A_WORD)) & 1n) !== (isClaimed ? 1n : 0n);
  });
}

/** Lists the contracts that have one of these airdrops. */
export async function listExistingAirdrops(
  client: PublicClient,
  airdrops: readonly { contract: Address; onchainId: string }[],
): Promise<Address[]> {
  const found = new Set<Address>();
  for (const contract of new Set(airdrops.map((airdrop) => airdrop.contract))) {
    if ((await client.getCode({ address: contract })) === undefined) continue;
    const states = await readViews(
      client,
      airdrops
        .filter((airdrop) => airdrop.contract === contract)
        .map(({ onchainId }) => ({
          address: contract,
          functionName: "airdrop" as const,
          args: [BigInt(onchainId)],
        })),
    ).catch(() => []);
    if (states.some((state) => (state as [unknown, unknown, number])[2] !== 0)) found.add(contract);
  }
  return [...found];
}

/**
 * Closes the books of ended airdrops that were found equal to the contract's after their last log
 * was final: nothing can be claimed from them any more.
 */
export async function closeBooks(chainId: number, rewardIds: readonly string[]): Promise<void> {
  if (rewardIds.length === 0) return;
  await withDatabase((db) =>
    db.execute(sql`
      update airdrops set books_closed_at = now()
      where chain_id = ${chainId} and status = 'ended' and books_closed_at is null
        and reward_id = any(${toArrayLiteral(rewardIds)}::uuid[])`),
  );
}
