import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../../db/array-literal";
import { type ConnectionTransaction, withDatabase, withOwnConnection } from "../../../db/client";
import { chooseBucketSize } from "../../../domain/campaigns/cost";
import { allocateByWeight, getPointsNeeded, weigh } from "../../../domain/rewards/allocation";
import { readSettledClock } from "../../ledger/write-ledger";
import {
  holdPointsSource,
  type PointsSource,
  selectCountedPoints,
  toStatement,
} from "../../rewards/counted-points";
import { selectServedByMoves } from "../../rewards/given";
import { type Build, type BuildProblem, CANCELLED, holdReward, moveOn } from "./order";

const ROWS_A_FETCH = 10_000;
const LINES_A_CHUNK = 1_000;
const PROGRESS_EVERY_CHUNKS = 20;
const ADDRESS_BYTES = 20;
/** The limit for the total of a bucket: the campaign contract's counter holds amounts below it. */
const BUCKET_TOTAL_END = 2n ** 127n;

/** The wallets in the split, by ascending address: some 60 bytes for each. */
interface Entrants {
  readonly takenAt: Date;
  /** The addresses, 20 bytes each. */
  readonly addresses: Buffer;
  readonly points: Float64Array;
}

/** The wallets' amounts, and the buckets that hold their leaves. */
interface Layout {
  readonly amounts: readonly bigint[];
  readonly totalWeight: bigint;
  readonly bucketSize: number;
  readonly firstBucket: number;
  readonly bucketTotals: readonly bigint[];
}

/**
 * Reads the points in one snapshot, splits the total and stores each wallet's share, in trees that
 * have no roots yet. All of it is stored, or nothing.
 */
export async function takeSnapshot(tx: ConnectionTransaction, build: Build): Promise<BuildProblem> {
  const source = await holdPointsSource(tx, build);
  // Removes the rows of an earlier try that was refused at its end.
  await removeRound(tx, build);
  const entrants = await readEntrants(tx, build, source);
  if (!(await hasBoard(tx, source))) return "The board whose points it counts was deleted.";
  const wallets = entrants.points.length;
  if (wallets === 0) return describeNobody(build);
  if (build.totalAmountWei < BigInt(wallets)) {
    return `The total is too small: ${build.totalAmountWei} base units for ${wallets} wallets.`;
  }
  const layout = layOut(build, entrants, await findFirstBucket(tx, build));
  if (layout.bucketTotals.some((total) => total === 0n)) {
    return "The total is too small: some wallets have so few points that a whole tree of them gets nothing.";
  }
  if (layout.bucketTotals.some((total) => total >= BUCKET_TOTAL_END)) {
    return "The total is too large: the campaign contract takes less than 2^127 base units a tree.";
  }
  await copyDistributions(tx, build, entrants, layout);
  if (!(await holdReward(tx, build))) return CANCELLED;
  await storeBuckets(tx, build, layout);
  return storeOutcome(tx, build, entrants, layout);
}

function describeNobody({ round }: Build): string {
  return round === 0
    ? "No wallet has enough points."
    : "Every wallet with enough points is in an earlier split.";
}

async function removeRound(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId, round }: Build,
): Promise<void> {
  for (const table of ["distributions", "merkle_buckets"]) {
    await tx`
      delete from ${tx(table)}
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}`;
  }
}

/**
 * Reads the wallets of the split. It is one statement, and so one snapshot of the ledger, however
 * long its rows are read; it blocks no other work. A wallet with a share of an earlier round is
 * left out, and so is one that holds the points of such a wallet.
 */
async function readEntrants(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId, minPoints }: Build,
  source: PointsSource,
): Promise<Entrants> {
  const takenAt = await withOwnConnection((db) => readSettledClock(db, pointSystemId));
  const addresses: Buffer[] = [];
  const points: Float64Array[] = [];
  // Without statistics of earlier shares, a loop would compare each wallet with each of them.
  await tx`set local enable_nestloop = off`;
  const rows = toStatement<{ address: Buffer; points: string }>(
    tx,
    sql`
      select c.address, c.points from ${selectCountedPoints(source)} c
      where not c.is_blacklisted and c.points >= ${getPointsNeeded(minPoints)}::bigint
        and not exists (
          select 1 from distributions d
          where d.point_system_id = ${pointSystemId}::uuid and d.reward_id = ${rewardId}::uuid
            and d.address = c.address
        )
        and c.address not in (select m.address from ${selectServedByMoves(source, "distributions")} m)
      order by c.address`,
  );
  for await (const batch of rows.cursor(ROWS_A_FETCH)) {
    addresses.push(Buffer.concat(batch.map((row) => row.address)));
    points.push(Float64Array.from(batch, (row) => Number(row.points)));
  }
  await tx`set local enable_nestloop = on`;
  const all = new Float64Array(points.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const some of points) {
    all.set(some, end);
    end += some.length;
  }
  return { takenAt, addresses: Buffer.concat(addresses), points: all };
}

/** Checks, after its points were read, that the board was there: only then were all of its wallets. */
async function hasBoard(
  tx: ConnectionTransaction,
  { pointSystemId, windowId }: PointsSource,
): Promise<boolean> {
  if (windowId === null) return true;
  const found = await tx`
    select from board_windows w
    join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
    where w.point_system_id = ${pointSystemId} and w.id = ${windowId}`;
  return found.length === 1;
}

async function findFirstBucket(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId }: Build,
): Promise<number> {
  const [row] = await tx<{ next: number }[]>`
    select coalesce(max(bucket) + 1, 0) as next from merkle_buckets
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId}`;
  return row?.next ?? 0;
}

function layOut(build: Build, { points }: Entrants, firstBucket: number): Layout {
  const weights = points.map((held) => weigh(held, build.maxPoints));
  const { amounts, totalWeight } = allocateByWeight(weights, build.totalAmountWei);
  const bucketSize = build.bucketSizeChosen ?? chooseBucketSize(points.length);
  const bucketTotals = new Array<bigint>(Math.ceil(points.length / bucketSize)).fill(0n);
  amounts.forEach((amount, i) => {
    const bucket = Math.floor(i / bucketSize);
    bucketTotals[bucket] = (bucketTotals[bucket] as bigint) + amount;
  });
  return { amounts, totalWeight, bucketSize, firstBucket, bucketTotals };
}

async function copyDistributions(
  tx: ConnectionTransaction,
  build: Build,
  entrants: Entrants,
  layout: Layout,
): Promise<void> {
  const sink = await tx`
    copy distributions (
      point_system_id, reward_id, round, address, points, amount_wei, bucket, leaf_index,
      distributed_at
    ) from stdin`.writable();
  await pipeline(Readable.from(writeLines(build, entrants, layout)), sink);
}

async function* writeLines(
  build: Build,
  { takenAt, addresses, points }: Entrants,
  { amounts, bucketSize, firstBucket }: Layout,
): AsyncGenerator<string> {
  const { pointSystemId, rewardId, round } = build;
  const before = `${pointSystemId}\t${rewardId}\t${round}\t\\\\x`;
  const after = `${takenAt.toISOString()}\n`;
  for (let start = 0, chunk = 1; start < points.length; start += LINES_A_CHUNK, chunk += 1) {
    const end = Math.min(start + LINES_A_CHUNK, points.length);
    let lines = "";
    for (let i = start; i < end; i += 1) {
      const address = addresses.toString("hex", i * ADDRESS_BYTES, (i + 1) * ADDRESS_BYTES);
      const bucket = firstBucket + Math.floor(i / bucketSize);
      lines += `${before}${address}\t${points[i]}\t${amounts[i]}\t${bucket}\t${i % bucketSize}\t${after}`;
    }
    yield lines;
    if (chunk % PROGRESS_EVERY_CHUNKS === 0) await reportProgress(build, end);
  }
}

/**
 * Writes the progress outside the transaction, so that it is visible at once. A lost report does no
 * harm.
 */
async function reportProgress(
  { pointSystemId, rewardId, round }: Build,
  wallets: number,
): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      update allocations set wallets_done = ${wallets}::int
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}
        and status = 'allocating'`),
  ).catch(() => {});
}

async function storeBuckets(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId, round }: Build,
  { firstBucket, bucketTotals }: Layout,
): Promise<void> {
  await tx`
    insert into merkle_buckets (point_system_id, reward_id, round, bucket, total_amount_wei)
    select ${pointSystemId}, ${rewardId}, ${round}, ${firstBucket}::int + n - 1, total
    from unnest(${toArrayLiteral(bucketTotals.map(String))}::numeric[]) with ordinality as t(total, n)`;
}

async function storeOutcome(
  tx: ConnectionTransaction,
  build: Build,
  { takenAt, points }: Entrants,
  { totalWeight, bucketSize }: Layout,
): Promise<BuildProblem> {
  const { pointSystemId, rewardId, round } = build;
  await tx`
    update allocations set snapshot_at = ${takenAt.toISOString()}, wallets = ${points.length},
      total_weight = ${totalWeight.toString()}, bucket_size = ${bucketSize}
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId} and round = ${round}`;
  return moveOn(tx, build, "building");
}
