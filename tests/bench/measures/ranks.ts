import type { Sql } from "postgres";
import { SERVERS } from "../build";
import { type Defer, withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRankedDatabase, measureRankTime } from "../ranked-world";
import { compareWithRedis } from "../redis-comparison";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { CREDITED_WALLETS, prepareOurs, WORLD } from "../world";
import { putLoad } from "../wrk";

const SMALL = 1_000;
const MIDDLE = 100_000;
const BIG = 1_000_000;
const HUGE = 10_000_000;

const RANKS = 5_000;
const COUNTED_RANKS = 60;
const READ_CONNECTIONS = 32;
const PAGE_ROWS = 50;

/** Measures a rank and a page at a thousand, a hundred thousand and a million wallets. */
export function measureRanks({ isLarge }: { isLarge: boolean }): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const sizes = [SMALL, MIDDLE, BIG, ...(isLarge ? [HUGE] : [])];
    const databases = new Map<number, DatabaseLocation>();
    for (const size of sizes) {
      console.error(`  filling ${size.toLocaleString("en")} wallets`);
      databases.set(size, await createRankedDatabase(cluster, size));
    }
    const at = (size: number) => databases.get(size) as DatabaseLocation;
    const empty = await cluster.createDatabase("empty");
    await prepareOurs(empty);
    return [
      ...(await measureInSql(sizes, at)),
      createRow("counts of ranks a wallet, 1,000,000", await measureBytes(at(BIG)), "bytes"),
      ...(await withCleanUp((deferRedis) => compareWithRedis(deferRedis, cluster, at(BIG), BIG))),
      ...(await withCleanUp((deferServers) => measureReads(deferServers, sizes, at))),
      ...(await withCleanUp((deferServers) => measureCredits(deferServers, empty, at(BIG)))),
      createRow(
        "counts of ranks a wallet after those credits",
        await measureBytes(at(BIG)),
        "bytes",
      ),
    ];
  });
}

async function measureInSql(
  sizes: readonly number[],
  at: (size: number) => DatabaseLocation,
): Promise<Row[]> {
  const micros = new Map<number, number>();
  // The second time counts: pages that the first one read from disk are then in memory.
  for (const _ of [1, 2]) {
    for (const size of sizes) micros.set(size, await measureRankTime(at(size), RANKS));
  }
  const of = (size: number) => micros.get(size) ?? Number.NaN;
  const counted = await measureRankTime(at(BIG), COUNTED_RANKS, true);
  return [
    ...sizes.map((size) =>
      createRow(`rank of a wallet in SQL, ${size.toLocaleString("en")}, p50`, of(size), "us"),
    ),
    createRow("rank at 1,000 to rank at 1,000,000", of(SMALL) / of(BIG), "ratio", 0.333),
    createRow("counting the wallets ahead in SQL, 1,000,000, p50", counted, "us"),
    createRow("counting to rank, 1,000,000", counted / of(BIG), "ratio", 200),
  ];
}

async function measureBytes(location: DatabaseLocation): Promise<number> {
  const sql = connect(location);
  try {
    const [row] = await sql<{ bytes: number }[]>`
      select pg_total_relation_size('rank_counts')::float8 / (select count(*) from wallets) as bytes`;
    return row?.bytes ?? Number.NaN;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function measureReads(
  defer: Defer,
  sizes: readonly number[],
  at: (size: number) => DatabaseLocation,
): Promise<Row[]> {
  const start = async (size: number) => {
    const env = { DATABASE_URL: formatDatabaseUrl(at(size)) };
    return (await startServer(defer, { command: [SERVERS.production], env })).url;
  };
  const biggest = Math.max(...sizes);
  const urls = new Map<number, string>();
  for (const size of new Set([SMALL, BIG, biggest])) urls.set(size, await start(size));
  const get =
    (size: number, path: string, query: string, drawnWallets: number): Contender =>
    (seconds) =>
      putLoad({
        script: "get.lua",
        url: `${urls.get(size)}${path}?pointSystemId=${WORLD.pointSystemId}${query}`,
        connections: READ_CONNECTIONS,
        seconds,
        scriptArguments: [String(drawnWallets), WORLD.token],
      });
  const middle = (size: number) => `&limit=${PAGE_ROWS}&page=${size / PAGE_ROWS / 2}`;
  const rounds = { rounds: 5, seconds: 4, warmUpSeconds: 1 };
  const { loads, compare } = await measureInRounds(
    {
      small: get(SMALL, "/wallet", "", SMALL),
      big: get(BIG, "/wallet", "", BIG),
      first: get(BIG, "/leaderboard", `&limit=${PAGE_ROWS}&page=1`, 0),
      middle: get(BIG, "/leaderboard", middle(BIG), 0),
    },
    rounds,
  );
  const { small, big, first } = loads;
  const measureHugeReads = async () => {
    const { loads: huge } = await measureInRounds(
      {
        wallet: get(biggest, "/wallet", "", biggest),
        middle: get(biggest, "/leaderboard", middle(biggest), 0),
      },
      rounds,
    );
    return [
      createRow("GET /wallet, 10,000,000 wallets", huge.wallet.perSecond, "1/s"),
      createRow("GET /leaderboard, page 100,000 of 200,000", huge.middle.perSecond, "1/s"),
    ];
  };
  return [
    createRow("GET /wallet, 1,000 wallets", small.perSecond, "1/s"),
    createRow("GET /wallet, 1,000,000 wallets", big.perSecond, "1/s"),
    createRow("GET /wallet at 1,000,000 to 1,000", compare("big", "small"), "ratio", 0.7),
    createRow("GET /leaderboard, page 1 of 20,000", first.perSecond, "1/s"),
    createRow("GET /leaderboard, page 10,000 of 20,000", loads.middle.perSecond, "1/s"),
    createRow("page 10,000 to page 1, requests", compare("middle", "first"), "ratio", 0.5),
    ...(biggest > BIG ? await measureHugeReads() : []),
  ];
}

/**
 * Measures credits to random wallets of a million, in a system that has them all and in one that
 * has none, and in the first one while its ranks are not counted.
 */
async function measureCredits(
  defer: Defer,
  empty: DatabaseLocation,
  big: DatabaseLocation,
): Promise<Row[]> {
  if (CREDITED_WALLETS !== BIG) throw new Error("The credits are for other wallets");
  const sql = connect(big);
  defer(() => sql.end({ timeout: 1 }));
  await sql.unsafe(`alter database "${big.database}" set track_functions = 'pl'`);
  const load = async (location: DatabaseLocation): Promise<Contender> => {
    const env = { DATABASE_URL: formatDatabaseUrl(location) };
    const { url } = await startServer(defer, { command: [SERVERS.production], env });
    return (seconds) => putTriggerLoad({ url: `${url}/trigger`, connections: 256, seconds });
  };
  const counted = await load(big);
  const { loads, compare } = await measureInRounds(
    {
      empty: await load(empty),
      big: counted,
      uncounted: (seconds) => withoutCounting(sql, () => counted(seconds)),
    },
    { rounds: 6, seconds: 5, warmUpSeconds: 3 },
  );
  const [fold] = await sql<{ micros: number }[]>`
    select f.total_time * 1e3 / nullif(e.credits, 0) as micros
    from pg_stat_user_functions f,
      (select count(*)::float8 as credits from point_events where api_key_id is not null) e
    where f.funcname = 'fold_ranks'`;
  return [
    createRow("credits, no wallets yet", loads.empty.perSecond, "1/s"),
    createRow("credits, 1,000,000 wallets", loads.big.perSecond, "1/s"),
    createRow("credits at 1,000,000 wallets to none", compare("big", "empty"), "ratio", 0.7),
    createRow("credits, 1,000,000 wallets, nobody counts", loads.uncounted.perSecond, "1/s"),
    createRow("credits with counting to without", compare("big", "uncounted"), "ratio", 0.9),
    createRow("counting a credit in the background", fold?.micros ?? Number.NaN, "us"),
  ];
}

/**
 * Stops the counting of ranks during `work`, and counts the backlog afterwards, so that the next
 * load does not pay for it.
 */
async function withoutCounting<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.unsafe(`
    alter function fold_ranks(uuid, int) rename to fold_ranks_really;
    create function fold_ranks(system uuid, entries_max int) returns int
      language sql as 'select 0'`);
  try {
    return await work();
  } finally {
    await sql.unsafe(`
      drop function fold_ranks(uuid, int);
      alter function fold_ranks_really(uuid, int) rename to fold_ranks`);
    for (;;) {
      const [row] = await sql<{ entries: number }[]>`
        select fold_ranks(${WORLD.pointSystemId}, 20000) as entries`;
      if (!row?.entries) break;
    }
  }
}
