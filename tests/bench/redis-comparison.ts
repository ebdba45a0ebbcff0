import type { Redis } from "ioredis";
import { SERVERS } from "./build";
import type { Defer } from "./clean-up";
import { type BenchCluster, connect, type DatabaseLocation, formatDatabaseUrl } from "./cluster";
import { startServer } from "./processes";
import { startRedis } from "./redis";
import { createRow, type Row } from "./report";
import { type Contender, measureInRounds } from "./rounds";
import { preparePlain, toPlainEnv, WORLD } from "./world";
import { putLoad } from "./wrk";

const CONNECTIONS = [1, 8, 64];
const ROWS_A_BATCH = 10_000;

/**
 * Compares GET /wallet for random wallets with the plain service, whose rank comes from Redis and whose wallet comes
 * from PostgreSQL. Both have the same wallets and the same cores.
 * @param ours the database of this service, with all wallets
 */
export async function compareWithRedis(
  defer: Defer,
  cluster: BenchCluster,
  ours: DatabaseLocation,
  wallets: number,
): Promise<Row[]> {
  const plain = await cluster.createDatabase("plain_ranked");
  await preparePlain(plain);
  const redis = await startRedis(defer);
  await copyWallets(ours, plain, redis);
  const server = await startServer(defer, {
    command: [SERVERS.production],
    env: { DATABASE_URL: formatDatabaseUrl(ours) },
  });
  const plainService = await startServer(defer, {
    command: [SERVERS.plain],
    env: { ...toPlainEnv(plain), REDIS_PORT: String(redis.options.port) },
  });
  const rows: Row[] = [];
  for (const connections of CONNECTIONS) {
    const get =
      (origin: string): Contender =>
      (seconds) =>
        putLoad({
          script: "get.lua",
          url: `${origin}/wallet?pointSystemId=${WORLD.pointSystemId}`,
          connections,
          seconds,
          scriptArguments: [String(wallets), WORLD.token],
        });
    const { loads, compare } = await measureInRounds(
      { ours: get(server.url), plain: get(plainService.url) },
      { rounds: 5, seconds: 3, warmUpSeconds: 1 },
    );
    const at = `${wallets.toLocaleString("en")} wallets, ${connections} connections`;
    rows.push(
      createRow(`GET /wallet, ${at}`, loads.ours.perSecond, "1/s"),
      createRow(`plain service with Redis, ${at}`, loads.plain.perSecond, "1/s"),
      createRow(
        `GET /wallet to plain service with Redis, ${connections} connections`,
        compare("ours", "plain"),
        "ratio",
        1,
      ),
    );
  }
  return rows;
}

/** Copies all wallets of this service to the plain service's database, and their points to a sorted set of Redis. */
async function copyWallets(ours: DatabaseLocation, plain: DatabaseLocation, redis: Redis) {
  const source = connect(ours);
  const target = connect(plain);
  try {
    const wallets = source<{ address: string; points: string }[]>`
      select '0x' || encode(address, 'hex') as address, points::text from wallets
      where point_system_id = ${WORLD.pointSystemId}`;
    await wallets.cursor(ROWS_A_BATCH, async (rows) => {
      await target`
        insert into wallets (point_system_id, address, points, events)
        select ${WORLD.pointSystemId}, address, points, 1
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as w(address text, points bigint)`;
      await redis.zadd("board", ...rows.flatMap(({ address, points }) => [points, address]));
    });
    await target`vacuum analyze`;
  } finally {
    await Promise.all([source.end({ timeout: 1 }), target.end({ timeout: 1 })]);
  }
}
