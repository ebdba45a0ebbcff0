import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import type { ConnectionTransaction } from "../../../db/client";
import { buildMerkleTree, type MerkleLeaf } from "../../../domain/trees/merkle";
import { type Build, type BuildProblem, CANCELLED, holdReward, moveOn } from "./order";
import { readLeaves } from "./trees";

/**
 * The number of trees whose proofs are checked: all trees of a small airdrop, evenly spread ones of
 * a large airdrop.
 */
const TREES_TRIED_MAX = 32;
const LEAF_TYPES = ["address", "uint256"];

const WRONG_SUMS = "The check found that the amounts do not add up. Nothing was published.";
const WRONG_PROOFS = "The check found a proof that does not hold. Nothing was published.";

interface Bucket {
  readonly bucket: number;
  readonly root: Buffer | null;
  readonly totalWei: string;
}

/**
 * Checks the stored trees by other means than those that built them: the amounts of each tree and
 * of the airdrop add up, and OpenZeppelin's own library accepts sample proofs. Then it completes
 * the build.
 */
export async function checkTrees(tx: ConnectionTransaction, build: Build): Promise<BuildProblem> {
  const buckets = await listBuckets(tx, build);
  if (!(await isWhole(tx, build, buckets))) return WRONG_SUMS;
  const step = Math.max(1, Math.ceil(buckets.length / TREES_TRIED_MAX));
  const sample = buckets.filter((_, i) => i % step === 0 || i === buckets.length - 1);
  for (const bucket of sample) {
    const leaves = (await readLeaves(tx, build, [bucket.bucket])).get(bucket.bucket) ?? [];
    if (!holdsProofs(bucket, leaves)) return WRONG_PROOFS;
  }
  if (!(await holdReward(tx, build))) return CANCELLED;
  return finish(tx, build);
}

function listBuckets(tx: ConnectionTransaction, { pointSystemId, rewardId, round }: Build) {
  return tx<Bucket[]>`
    select bucket, root, total_amount_wei as "totalWei" from merkle_buckets
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
    order by bucket`;
}

async function isWhole(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId, round, totalAmountWei }: Build,
  buckets: readonly Bucket[],
): Promise<boolean> {
  const sums = await tx<{ bucket: number; totalWei: string }[]>`
    select bucket, sum(amount_wei) as "totalWei" from distributions
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
    group by bucket order by bucket`;
  const total = sums.reduce((sum, { totalWei }) => sum + BigInt(totalWei), 0n);
  return (
    total === totalAmountWei &&
    sums.length === buckets.length &&
    buckets.every(({ bucket, totalWei }, i) => {
      const sum = sums[i];
      return sum?.bucket === bucket && sum.totalWei === totalWei;
    })
  );
}

/** Checks the proofs of the first, the middle and the last leaf. */
function holdsProofs({ root }: Bucket, leaves: readonly MerkleLeaf[]): boolean {
  if (root === null || leaves.length === 0) return false;
  const tree = buildMerkleTree(leaves);
  const storedRoot = `0x${root.toString("hex")}`;
  const tried = [0, leaves.length >> 1, leaves.length - 1];
  return tried.every((index) => {
    const { address, amountWei } = leaves[index] as MerkleLeaf;
    const leaf = [address, amountWei.toString()];
    return StandardMerkleTree.verify(storedRoot, LEAF_TYPES, leaf, tree.getProof(index));
  });
}

async function finish(tx: ConnectionTransaction, build: Build): Promise<BuildProblem> {
  const { pointSystemId, rewardId, round } = build;
  const problem = await moveOn(tx, build, "built");
  if (problem !== null || round > 0) return problem;
  await tx`
    update airdrops set status = 'ready'
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and status = 'building'`;
  return null;
}
