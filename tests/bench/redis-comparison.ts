import type { Redis } from "ioredis";
import type { Sql } from "postgres";
import type { Defer } from "./clean-up";
import { connect, type DatabaseLocation } from "./cluster";
import { startRedis } from "./redis";
import { createRow, type Row } from "./report";
import { takeMedian } from "./rounds";
import { getAddress, WORLD } from "./world";

const ROUNDS = 5;
const ROUND_TRIPS = 2_000;
const REDIS_BATCH = 10_000;

/**
 * The rank of random wallets here and in Redis: a client each, the one that applications use, one call
 * after the other, in turn.
 */
export async function compareWithRedis(
  defer: Defer,
  location: DatabaseLocation,
  wallets: number,
): Promise<Row[]> {
  const redis = await startRedis(defer);
  await copyToRedis(redis, location);
  const rounds: { our: number; their: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Of each round its own, since how near two processes are to each other is luck.
    const sql = connect(location);
    try {
      rounds.push(await measureRound(sql, redis, wallets));
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  const take = (figure: (round: { our: number; their: number }) => number) =>
    takeMedian(rounds.map(figure));
  return [
    createRow(
      "rank of a wallet from Node, 1,000,000, p50",
      take(({ our }) => our),
      "us",
    ),
    createRow(
      "Redis ZREVRANK from Node, 1,000,000, p50",
      take(({ their }) => their),
      "us",
    ),
    createRow(
      "Redis to rank, latency",
      take(({ our, their }) => their / our),
      "ratio",
      0.25,
    ),
  ];
}

async function measureRound(sql: Sql, redis: Redis, wallets: number) {
  const ours: number[] = [];
  const theirs: number[] = [];
  const time = async (call: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await call();
    return (performance.now() - startedAt) * 1_000;
  };
  for (let i = -ROUND_TRIPS / 4; i < ROUND_TRIPS; i += 1) {
    const address = getAddress(Math.floor(Math.random() * wallets));
    const bytes = Buffer.from(address.slice(2), "hex");
    const our = await time(
      () => sql`
        select rank_on_board(point_system_id, points, address) as rank from wallets
        where point_system_id = ${WORLD.pointSystemId} and address = ${bytes}`,
    );
    const their = await time(() => redis.zrevrank("board", address));
    if (i < 0) continue;
    ours.push(our);
    theirs.push(their);
  }
  return { our: takeMedian(ours), their: takeMedian(theirs) };
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
