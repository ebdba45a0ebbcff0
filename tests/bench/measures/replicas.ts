import { hasPostgres15, startPostgres15 } from "../../support/postgres-15";
import { waitUntil } from "../../support/server-process";
import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { createWallets, prepareOurs, WORLD } from "../world";
import { putLoad } from "../wrk";

const WALLETS = 10_000;
const CONNECTIONS = 32;
const STARTS_MS_MAX = 30_000;

/**
 * Measures GET /wallet of a server that reads from one streaming replica, beside one that reads from the primary. Both
 * databases are on this machine, so the ratio says what a replica costs; on a machine of its own it adds processors.
 */
export async function measureReplicas(): Promise<Row[]> {
  if (!hasPostgres15()) {
    console.error("  left out: there is no PostgreSQL 15 with pg_basebackup here");
    return [];
  }
  return withCleanUp(async (defer) => {
    const primary = startPostgres15();
    defer(primary.end);
    const location = locate(primary.url);
    await prepareOurs(location, createWallets(WALLETS));
    await settle(location);
    const standby = primary.makeStandby();
    defer(standby.end);

    const start = (env: Record<string, string>) =>
      startServer(defer, {
        command: [SERVERS.production],
        // Neither has the background work, which would take its part of the processors.
        env: { DATABASE_URL: formatDatabaseUrl(location), WORKER: "off", ...env },
      });
    const alone = await start({});
    const beside = await start({ DATABASE_REPLICA_URLS: formatDatabaseUrl(locate(standby.url)) });
    await waitUntil(() => isServing(beside.url), STARTS_MS_MAX);

    const get =
      (origin: string): Contender =>
      (seconds) =>
        putLoad({
          script: "get.lua",
          url: `${origin}/wallet?pointSystemId=${WORLD.pointSystemId}`,
          connections: CONNECTIONS,
          seconds,
          scriptArguments: [String(WALLETS), WORLD.token],
        });
    const before = await countTransactions(standby.url);
    const { loads, compare } = await measureInRounds(
      { alone: get(alone.url), beside: get(beside.url) },
      { rounds: 5, seconds: 4, warmUpSeconds: 1 },
    );
    if (!(await isServing(beside.url))) throw new Error("The replica was left out under load");
    const answered = (await countTransactions(standby.url)) - before;
    return [
      createRow("GET /wallet, no replica", loads.alone.perSecond, "1/s"),
      createRow("GET /wallet, one replica on this machine", loads.beside.perSecond, "1/s"),
      createRow("GET /wallet with one replica to none", compare("beside", "alone"), "ratio"),
      createRow("statements that the replica answered", answered, "1"),
    ];
  });
}

/** Does what the background work and autovacuum would do within minutes. */
async function settle(location: DatabaseLocation): Promise<void> {
  const sql = connect(location);
  try {
    await sql`select rebuild_ranks(${WORLD.pointSystemId})`;
    await sql`vacuum analyze`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function locate(url: string): DatabaseLocation {
  const { searchParams, username } = new URL(url);
  const host = searchParams.get("host") ?? "";
  return { host, port: 5432, username, password: "", database: "postgres" };
}

async function isServing(origin: string): Promise<boolean> {
  const body = (await (await fetch(`${origin}/readyz`)).json()) as {
    replicas?: { state: string }[];
  };
  return body.replicas?.[0]?.state === "serving";
}

/** Counts what a server has committed; a standby's statements that only read are counted too. */
async function countTransactions(url: string): Promise<number> {
  const sql = connect(locate(url));
  try {
    const [row] = await sql<{ count: number }[]>`
      select xact_commit::float8 as count from pg_stat_database where datname = current_database()`;
    return row?.count ?? 0;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
