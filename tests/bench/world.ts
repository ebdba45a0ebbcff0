import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openMigratedDatabase } from "../../app/db/open";
import { hashApiKeyToken } from "../../app/domain/access/api-key";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { connect, type DatabaseLocation, formatDatabaseUrl } from "./cluster";

/** The content of every benchmarked database. */
export const WORLD = {
  pointSystemId: "b0000000-0000-4000-8000-000000000001",
  token: "rw_b0000000000000000000000000000001",
  apiKeyId: "b0000000-0000-4000-8000-0000000000a1",
  triggerKey: "daily_login",
  points: 10,
  operator: "bench@example.com",
} as const;

/** Wallets that the load credits: enough that none reaches the limit of ten a minute. */
export const CREDITED_WALLETS = 1_000_000;

/** A wallet that has points before the load begins. */
interface LoadedWallet {
  readonly address: string;
  readonly points: number;
}

/** Creates the wallets 0 to `count` - 1. Many of their points are equal and few are high. */
export function createWallets(count: number): LoadedWallet[] {
  return Array.from({ length: count }, (_, n) => ({
    address: getAddress(n),
    points: 1 + Math.floor(20_000 * (((n * 7_919) % count) / count) ** 3),
  }));
}

/** Returns the address of wallet n, as wallets.lua computes it: spread over the whole space. */
export function getAddress(n: number): string {
  const head = ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");
  return `0x${head}${n.toString(16).padStart(32, "0")}`;
}

/**
 * Migrates a new database and loads the world into it, as `npm run db:seed` does.
 * @param neighbours more point systems, each with the same trigger and a key of its own
 */
export async function prepareOurs(
  location: DatabaseLocation,
  wallets: readonly LoadedWallet[] = [],
  neighbours: readonly { readonly id: string; readonly key: string }[] = [],
): Promise<void> {
  const triggers = [{ name: "Daily login", key: WORLD.triggerKey, points: WORLD.points }];
  const { operator } = WORLD;
  const close = await openMigratedDatabase({
    databaseUrl: formatDatabaseUrl(location),
    dataDir: "",
    connectionsMax: 4,
    statementTimeoutMs: 0,
    deadlineMs: 0,
    log: () => {},
  });
  try {
    await loadFixture({
      operators: [{ email: operator, password: "a long passphrase", name: "Bench" }],
      pointSystems: [
        {
          operator,
          id: WORLD.pointSystemId,
          name: "Bench",
          triggers,
          events: wallets.map(({ address, points }) => ({ address, points, event: null })),
        },
        ...neighbours.map(({ id }) => ({ operator, id, name: "Neighbour", triggers })),
      ],
      apiKeys: [{ id: WORLD.pointSystemId, key: WORLD.token }, ...neighbours].map(
        ({ id, key }) => ({ operator, name: "bench", key, permission: "all", pointSystems: [id] }),
      ),
    });
  } finally {
    await close();
  }
}

/** Creates the plain service's tables in a new database and loads the same world into them. */
export async function preparePlain(
  location: DatabaseLocation,
  wallets: readonly LoadedWallet[] = [],
): Promise<void> {
  const sql = connect(location);
  const { pointSystemId, token, apiKeyId, triggerKey, points } = WORLD;
  try {
    await sql.unsafe(readFileSync(path.join(import.meta.dirname, "plain-schema.sql"), "utf8"));
    await sql`insert into api_keys values (${apiKeyId}, ${hashApiKeyToken(token)}, 'all')`;
    await sql`insert into api_key_point_systems values (${apiKeyId}, ${pointSystemId})`;
    await sql`insert into triggers values (${pointSystemId}, ${triggerKey}, ${points}, true)`;
    await sql`
      insert into wallets (point_system_id, address, points, events)
      select ${pointSystemId}, address, points, 1
      from json_to_recordset(${JSON.stringify(wallets)}::text::json) as w(address text, points bigint)`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Builds the environment of the plain service. */
export function toPlainEnv(location: DatabaseLocation): Record<string, string> {
  return {
    PGHOST: location.host,
    PGPORT: String(location.port),
    PGUSER: location.username,
    PGPASSWORD: location.password,
    PGDATABASE: location.database,
  };
}

/**
 * Waits until a server has counted all events of a database into its statistics.
 * @throws {Error} when that takes longer than five minutes
 */
export async function waitForStatistics(location: DatabaseLocation): Promise<void> {
  const sql = connect(location);
  try {
    for (let seconds = 0; seconds < 300; seconds += 1) {
      const [behind] = await sql`
        select from statistics_cursors c
        where exists (
          select from point_events e
          where e.point_system_id = c.point_system_id and e.seq > least(c.seq, c.program_seq)
        )`;
      if (!behind) return;
      await sleep(1_000);
    }
    throw new Error(`The statistics of ${location.database} fall behind`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Checks that the answered credits are stored.
 * @throws {Error} when the database holds fewer credits than were answered
 */
export async function checkCredits(location: DatabaseLocation, answered: number): Promise<void> {
  const sql = connect(location);
  try {
    const [row] = await sql<{ credits: number; points: number }[]>`
      select (select count(*)::int from point_events where event is not null) as credits,
        (select sum(points)::float8 from wallets where point_system_id = ${WORLD.pointSystemId})
          as points`;
    const { credits = 0, points = 0 } = row ?? {};
    if (credits < answered || points < answered * WORLD.points) {
      throw new Error(
        `${location.database}: ${answered} credits were answered; there are ${credits} events ` +
          `and ${points} points`,
      );
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}
