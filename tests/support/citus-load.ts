import type { Sql } from "postgres";
import { expect } from "vitest";
import { foldRanks } from "../../app/services/board/rank-counts";
import { createAddress, type scene } from "./scene";

type World = Awaited<ReturnType<typeof scene>>;

/** Credits that were asked for, by wallet: those that were acknowledged, and those whose outcome is unknown. */
export interface Book {
  readonly acknowledged: Map<string, number>;
  readonly unknown: Map<string, number>;
  refused: number;
}

/** Credits wallets of point systems until it is stopped, and keeps book of what was acknowledged. */
export function creditSteadily(worlds: readonly World[], callers = 12) {
  const books = worlds.map(
    (): Book => ({ acknowledged: new Map(), unknown: new Map(), refused: 0 }),
  );
  let isStopped = false;
  const work = Array.from({ length: callers }, async (_, i) => {
    for (let n = 0; !isStopped; n += 1) {
      const at = (i + n) % worlds.length;
      const [world, book] = [worlds[at], books[at]] as [World, Book];
      const walletAddress = createAddress();
      const { status, body } = await world.fire({ walletAddress });
      if (status === 200) book.acknowledged.set(walletAddress, body.pointsAdded ?? 10);
      else if (body?.error === "outcome_unknown") book.unknown.set(walletAddress, 10);
      else {
        book.refused += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  return {
    books,
    countRefused: () => books.reduce((sum, { refused }) => sum + refused, 0),
    count: () => books.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(work);
    },
  };
}

/** Lists the acknowledged credits that wallets do not have, and the points that were not asked for. */
export function findLost(
  { acknowledged, unknown }: Book,
  wallets: readonly { readonly address: string; readonly points: number }[],
) {
  const points = new Map(wallets.map((wallet) => [wallet.address, wallet.points]));
  return {
    lost: [...acknowledged].filter(([address, credited]) => points.get(address) !== credited),
    unasked: wallets.filter(
      ({ address, points }) => !acknowledged.has(address) && unknown.get(address) !== points,
    ),
  };
}

/** Finds the shard of a point system, and the port of the worker that has it. */
export async function findShard(sql: Sql, pointSystemId: string) {
  const [place] = await sql<{ shard: string; port: number }[]>`
    select shardid as shard, nodeport as port from citus_shards
    where table_name = 'shard_anchors'::regclass
      and shardid = get_shard_id_for_distribution_column('shard_anchors', ${pointSystemId}::uuid)`;
  if (!place) throw new Error(`There is no shard of ${pointSystemId}`);
  return place;
}

/** Moves the shard of a point system to the worker of a port. */
export async function moveShard(sql: Sql, pointSystemId: string, to: number): Promise<void> {
  const { shard, port } = await findShard(sql, pointSystemId);
  await sql`
    select citus_move_shard_placement(
      ${shard}::bigint, '127.0.0.1', ${port}::int, '127.0.0.1', ${to}::int, 'force_logical'
    )`;
}

/** Checks that point systems have exactly the credits of their books, and list their wallets in the exact order. */
export async function expectExact(sql: Sql, worlds: readonly World[], books: readonly Book[]) {
  for (const [i, book] of books.entries()) {
    const { pointSystemId, get } = worlds[i] as World;
    const rows = await sql<{ address: string; points: number }[]>`
      select '0x' || encode(address, 'hex') as address, points::int from wallets
      where point_system_id = ${pointSystemId}`;
    expect(book.acknowledged.size).toBeGreaterThan(20);
    expect(findLost(book, rows)).toEqual({ lost: [], unasked: [] });
    while ((await foldRanks(pointSystemId)) > 0);
    const { body } = await get("/leaderboard", { limit: "100" });
    const best = rows
      .map((row) => row.address)
      .sort()
      .slice(0, 100);
    expect(body.leaderboard.map(({ address }: { address: string }) => address)).toEqual(best);
  }
}
