import { and, asc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import type { Campaign } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import type { Member } from "../access/members";

/** A wallet's share as the files list it. */
export interface FileShare {
  readonly address: Address;
  readonly points: number | null;
  readonly amountWei: bigint;
  readonly round: number;
  readonly bucket: number | null;
  readonly leafIndex: number | null;
  readonly claimedAt: Date | null;
  readonly claimTxHash: Uint8Array | null;
  /** The operator's reference of a payout by hand. */
  readonly payoutReference: string | null;
}

/** A merkle tree whose root is built. */
interface FileTree {
  readonly bucket: number;
  readonly round: number;
  readonly root: string;
  readonly totalAmountWei: bigint;
}

/** A tree, or one of the leaves of the tree before it, in the order of the leaves' index. */
export type TreePart =
  | { readonly kind: "tree"; readonly tree: FileTree }
  | { readonly kind: "leaf"; readonly leaf: FileShare };

/**
 * Rows in one batch. Each batch is a statement of its own, so that a slow download holds no
 * connection.
 */
const BATCH_ROWS = 5_000;

const shareColumns = {
  address: distributions.address,
  points: distributions.points,
  amountWei: distributions.amountWei,
  round: distributions.round,
  bucket: distributions.bucket,
  leafIndex: distributions.leafIndex,
  claimedAt: distributions.claimedAt,
  claimTxHash: distributions.claimTxHash,
  payoutReference: distributions.payoutReference,
};

/** Reads every wallet's share, by address, without a bound on their number. */
export async function* exportShares(
  { pointSystemId }: Member,
  { id }: Campaign,
): AsyncGenerator<readonly FileShare[]> {
  let after: Address | null = null;
  while (true) {
    const last: Address | null = after;
    const batch: FileShare[] = await withDatabase((db) =>
      db
        .select(shareColumns)
        .from(distributions)
        .where(
          and(
            eq(distributions.pointSystemId, pointSystemId),
            eq(distributions.rewardId, id),
            last === null ? undefined : gt(distributions.address, last),
          ),
        )
        .orderBy(asc(distributions.address))
        .limit(BATCH_ROWS),
    );
    yield batch;
    if (batch.length < BATCH_ROWS) return;
    after = batch.at(-1)?.address ?? null;
  }
}

/**
 * Reads every merkle tree whose root is built, each followed by its leaves. One batch at a time is
 * in memory.
 * @param rounds the rounds whose trees are read; null for all
 * @throws {Failure} `campaign_not_split` when there is no such tree
 */
export async function exportTrees(
  { pointSystemId }: Pick<Member, "pointSystemId">,
  { id }: Pick<Campaign, "id">,
  rounds: readonly number[] | null = null,
): Promise<AsyncGenerator<TreePart>> {
  const scope = { pointSystemId, rewardId: id, rounds };
  const first = await listBuckets(scope, -1);
  if (first.length === 0) throw new Failure("campaign_not_split");
  return readTrees(scope, first);
}

/** The trees to read: of a reward, and of these rounds of it, or of all. */
interface TreeScope {
  readonly pointSystemId: string;
  readonly rewardId: string;
  readonly rounds: readonly number[] | null;
}

/** Trees in one batch. */
const BATCH_BUCKETS = 500;

async function* readTrees(scope: TreeScope, first: readonly FileTree[]): AsyncGenerator<TreePart> {
  const leaves = readLeaves(scope);
  let next = await leaves.next();
  let trees = first;
  while (trees.length > 0) {
    for (const tree of trees) {
      yield { kind: "tree", tree };
      while (!next.done && (next.value.bucket ?? 0) <= tree.bucket) {
        // Leaves of a tree without a root are skipped.
        if (next.value.bucket === tree.bucket) yield { kind: "leaf", leaf: next.value };
        next = await leaves.next();
      }
    }
    const last = trees.at(-1)?.bucket ?? 0;
    trees = trees.length < BATCH_BUCKETS ? [] : await listBuckets(scope, last);
  }
}

async function listBuckets(
  { pointSystemId, rewardId, rounds }: TreeScope,
  after: number,
): Promise<FileTree[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        bucket: merkleBuckets.bucket,
        round: merkleBuckets.round,
        root: merkleBuckets.root,
        totalAmountWei: merkleBuckets.totalAmountWei,
      })
      .from(merkleBuckets)
      .where(
        and(
          eq(merkleBuckets.pointSystemId, pointSystemId),
          eq(merkleBuckets.rewardId, rewardId),
          rounds ? inArray(merkleBuckets.round, [...rounds]) : undefined,
          isNotNull(merkleBuckets.root),
          gt(merkleBuckets.bucket, after),
        ),
      )
      .orderBy(asc(merkleBuckets.bucket))
      .limit(BATCH_BUCKETS),
  );
  return rows.map(({ root, ...bucket }) => ({
    ...bucket,
    root: `0x${Buffer.from(root ?? []).toString("hex")}`,
  }));
}

/** Reads all leaves, by tree, then by index. */
async function* readLeaves({
  pointSystemId,
  rewardId,
  rounds,
}: TreeScope): AsyncGenerator<FileShare, undefined> {
  let last: FileShare | undefined;
  while (true) {
    const batch: FileShare[] = await withDatabase((db) =>
      db
        .select(shareColumns)
        .from(distributions)
        .where(
          and(
            eq(distributions.pointSystemId, pointSystemId),
            eq(distributions.rewardId, rewardId),
            rounds ? inArray(distributions.round, [...rounds]) : undefined,
            sql`(${distributions.bucket}, ${distributions.leafIndex})
              > (${last?.bucket ?? -1}::int, ${last?.leafIndex ?? -1}::int)`,
          ),
        )
        .orderBy(asc(distributions.bucket), asc(distributions.leafIndex))
        .limit(BATCH_ROWS),
    );
    yield* batch;
    if (batch.length < BATCH_ROWS) return;
    last = batch.at(-1);
  }
}
