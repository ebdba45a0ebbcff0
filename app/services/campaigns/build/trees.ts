import { toArrayLiteral } from "../../../db/array-literal";
import type { ConnectionTransaction } from "../../../db/client";
import type { Address } from "../../../domain/address";
import { buildMerkleTree, type MerkleLeaf } from "../../../domain/trees/merkle";
import { type Build, type BuildProblem, CANCELLED, holdReward, moveOn } from "./order";

/**
 * The leaves of one transaction, unless a single tree has more. They take a fraction of a second.
 */
const BATCH_LEAVES = 16_384;

/**
 * Builds the next trees that have no root yet and stores their roots. When no such tree is left, it
 * ends the step.
 */
export async function buildRoots(tx: ConnectionTransaction, build: Build): Promise<BuildProblem> {
  if (!(await holdReward(tx, build))) return CANCELLED;
  const buckets = await listRootless(tx, build);
  if (buckets.length === 0) return moveOn(tx, build, "checking");
  const { pointSystemId, rewardId, round } = build;
  const trees = await readLeaves(tx, build, buckets);
  const roots = Array.from(trees.values(), (leaves) =>
    Buffer.from(buildMerkleTree(leaves).root.slice(2), "hex"),
  );
  await tx`
    update merkle_buckets b set root = t.root
    from unnest(
      ${toArrayLiteral([...trees.keys()].map(String))}::int[],
      ${toArrayLiteral(roots)}::bytea[]
    ) as t(bucket, root)
    where b.point_system_id = ${pointSystemId} and b.reward_id = ${rewardId} and b.bucket = t.bucket`;
  const wallets = [...trees.values()].reduce((sum, { length }) => sum + length, 0);
  await tx`
    update allocations set wallets_done = wallets_done + ${wallets}
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}`;
  return null;
}

async function listRootless(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId, round }: Build,
): Promise<number[]> {
  const rows = await tx<{ bucket: number }[]>`
    select b.bucket from merkle_buckets b
    where b.point_system_id = ${pointSystemId} and b.reward_id = ${rewardId}
      and b.round = ${round} and b.root is null
    order by b.bucket
    limit (select greatest(1, ${BATCH_LEAVES} / bucket_size) from allocations
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round})`;
  return rows.map(({ bucket }) => bucket);
}

/** Reads the leaves of some trees, in their order. */
export async function readLeaves(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId }: Build,
  buckets: readonly number[],
): Promise<Map<number, MerkleLeaf[]>> {
  const rows = await tx<{ bucket: number; address: string; amountWei: string }[]>`
    select d.bucket, encode(d.address, 'hex') as address, d.amount_wei as "amountWei"
    from unnest(${toArrayLiteral(buckets.map(String))}::int[]) as b(bucket)
    cross join lateral (
      select * from distributions
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and bucket = b.bucket
      order by leaf_index
      offset 0
    ) d
    order by d.bucket, d.leaf_index`;
  const trees = new Map<number, MerkleLeaf[]>(buckets.map((bucket) => [bucket, []]));
  for (const { bucket, address, amountWei } of rows) {
    const leaf = { address: `0x${address}` as Address, amountWei: BigInt(amountWei) };
    trees.get(bucket)?.push(leaf);
  }
  return trees;
}
