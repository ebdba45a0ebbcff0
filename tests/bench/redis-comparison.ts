import type { Redis } from "ioredis";
import type { Sql } from "postgres";
import type { Defer } from "./clean-up";
import { connect, type DatabaseLocation } from "./cluster";
import { type Placement, withPlacement } from "./cores";
import { startRedis } from "./redis";
import { createRow, type Row } from "./report";
import { takeMedian } from "./rounds";
import { getAddress, WORLD } from "./world";

const ROUNDS = 5;
const CALLS = 1_000;
/**
 * Calls that are not measured: a call takes longer until a new connection has touched the memory
 * that the server shares with it.
 */
const WARM_UP_CALLS = 2_000;
const REDIS_BATCH = 10_000;

interface Round {
  readonly ourMicros: number;
  readonly theirMicros: number;
}

/**
 * Compares the rank of random wallets here and in Redis, each with the client that applications
 * use, one call after the other. The bar is for servers that have a core each, as in production,
 * since the way of an answer is part of its latency. On one core no process sleeps in between, and
 * only the work remains.
 */
export async function compareWithRedis(
  defer: Defer,
  location: DatabaseLocation,
  wallets: number,
): Promise<Row[]> {
  const redis = await startRedis(defer);
  await copyToRedis(redis, location);
  const rows: Row[] = [];
  for (const placement of ["a core each", "one core"] as const) {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push(await measureRound(location, redis, placement, wallets));
    }
    const take = (figure: (round: Round) => number) => takeMedian(rounds.map(figure));
    rows.push(
      createRow(
        `rank of a wallet from Node, 1,000,000, p50, ${placement}`,
        take(({ ourMicros }) => ourMicros),
        "us",
      ),
      createRow(
        `Redis ZREVRANK from Node, 1,000,000, p50, ${placement}`,
        take(({ theirMicros }) => theirMicros),
        "us",
      ),
      createRow(
        `Redis to rank, latency, ${placement}`,
        take(({ ourMicros, theirMicros }) => theirMicros / ourMicros),
        "ratio",
        placement === "a core each" ? 0.25 : null,
      ),
    );
  }
  return rows;
}

async function measureRound(
  location: DatabaseLocation,
  redis: Redis,
  placement: Placement,
  wallets: number,
): Promise<Round> {
  const sql = connect(location);
  try {
    return await withPlacement(placement, await findServerPids(sql, redis), async () => ({
      ourMicros: await measureCalls(
        wallets,
        (_, bytes) => sql`
          select rank_on_board(point_system_id, points, address) as rank from wallets
          where point_system_id = ${WORLD.pointSystemId} and address = ${bytes}`,
      ),
      theirMicros: await measureCalls(wallets, (address) => redis.zrevrank("board", address)),
    }));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Measures the median of calls for random wallets, one after the other. */
async function measureCalls(
  wallets: number,
  call: (address: string, bytes: Buffer) => PromiseLike<unknown>,
): Promise<number> {
  const micros: number[] = [];
  for (let i = -WARM_UP_CALLS; i < CALLS; i += 1) {
    const address = getAddress(Math.floor(Math.random() * wallets));
    const bytes = Buffer.from(address.slice(2), "hex");
    const startedAt = performance.now();
    await call(address, bytes);
    if (i >= 0) micros.push((performance.now() - startedAt) * 1_000);
  }
  return takeMedian(micros);
}

/** Finds the process that serves this connection, and Redis' process. */
async function findServerPids(sql: Sql, redis: Redis): Promise<number[]> {
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const redisPid = /process_id:(\d+)/.exec(await redis.info("server"))?.[1];
  if (!backend || !redisPid) throw new Error("A server does not say which process it is");
  return [backend.pid, Number(redisPid)];
}

async function copyToRedis(redis: Redis, location: DatabaseLocation): Promise<void> {
  const sql = connect(location);
  try {
    const wallets = sql<{ address: string; points: string }[]>`
      select '0x' || encode(address, 'hex') as address, points::text from wallets`;
    await wallets.cursor(REDIS_BATCH, (rows) =>
      redis.zadd("board", ...rows.flatMap(({ address, points }) => [points, address])),
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
