import type { Defer } from "./clean-up";
import { connect, type DatabaseLocation } from "./cluster";
import { type Redis, startRedis } from "./redis";
import { createRow, type Row } from "./report";
import { takeMedian } from "./rounds";
import { getAddress, WORLD } from "./world";

const ROUND_TRIPS = 4_000;
const REDIS_BATCH = 10_000;

/** The rank of random wallets here and in Redis: one client each, one call after the other, in turn. */
export async function compareWithRedis(
  defer: Defer,
  location: DatabaseLocation,
  wallets: number,
): Promise<Row[]> {
  const redis = await startRedis(defer);
  const sql = connect(location);
  defer(() => sql.end({ timeout: 1 }));
  await copyToRedis(redis, location);
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
    const their = await time(() => redis.call("ZREVRANK", "board", address));
    if (i < 0) continue;
    ours.push(our);
    theirs.push(their);
  }
  const [our, their] = [takeMedian(ours), takeMedian(theirs)];
  return [
    createRow("rank of a wallet from Node, 1,000,000, p50", our, "us"),
    createRow("Redis ZREVRANK from Node, 1,000,000, p50", their, "us"),
    createRow("Redis to rank, latency", their / our, "ratio", 0.25),
  ];
}

async function copyToRedis(redis: Redis, location: DatabaseLocation): Promise<void> {
  const sql = connect(location);
  try {
    const wallets = sql<{ address: string; points: string }[]>`
      select '0x' || encode(address, 'hex') as address, points::text from wallets`;
    await wallets.cursor(REDIS_BATCH, (rows) =>
      redis.pipeline(rows.map(({ address, points }) => ["ZADD", "board", points, address])),
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
