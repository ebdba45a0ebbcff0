import { readFileSync } from "node:fs";
import type { Sql } from "postgres";
import { openMigratedDatabase } from "../../../app/db/open";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { SERVERS } from "../build";
import { type Defer, withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createCeilingRow, createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { CREDITED_WALLETS, prepareOurs, WORLD } from "../world";
import { putLoad } from "../wrk";

/** BENCH_EVENTS makes a smaller run, whose figures mean less. */
const EVENTS = Number(process.env.BENCH_EVENTS ?? 50_000_000);
/** Each wallet has one event in each of these. */
const EVENTS_A_ROUND = CREDITED_WALLETS;
const DAYS = 730;
const PAGE_ROWS = 50;
const BYTES_AN_EVENT_MAX = 300;

/** Measures a ledger of two years: its size, its pages, its credits and its verification. */
export function measureGrowth(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const grown = await cluster.createDatabase("grown");
    const empty = await cluster.createDatabase("empty");
    for (const location of [grown, empty]) await prepareOurs(location);
    const sql = connect(grown);
    defer(() => sql.end({ timeout: 1 }));
    const early = Math.max(
      EVENTS_A_ROUND,
      Math.floor(EVENTS / 5 / EVENTS_A_ROUND) * EVENTS_A_ROUND,
    );
    await fill(sql, 0, early);
    const verifiedEarly = await verify(sql, grown);
    await fill(sql, early, EVENTS);
    const verified = await verify(sql, grown);
    const bytes = await measureBytes(sql);
    return [
      createRow("events", EVENTS, "1"),
      createCeilingRow(
        "bytes on disk an event, with its indexes",
        bytes.total,
        BYTES_AN_EVENT_MAX,
        "bytes",
      ),
      ...bytes.parts,
      createRow("ledger:verify, an event", (verified.seconds / EVENTS) * 1e6, "us"),
      createCeilingRow(
        `time of ledger:verify an event to that at ${early.toLocaleString("en")}`,
        verified.seconds / EVENTS / (verifiedEarly.seconds / early),
        1.5,
        "ratio",
      ),
      createRow("memory of PostgreSQL in ledger:verify, at most", verified.megabytes, "MB"),
      ...(await withCleanUp((deferServers) => measureReads(deferServers, grown))),
      ...(await withCleanUp((deferServers) => measureCredits(deferServers, empty, grown))),
    ];
  });
}

/**
 * Writes the events of `from` to `to` as credits of the API: in each round, each wallet has one, in
 * another order. What the background work would count is written too.
 */
async function fill(sql: Sql, from: number, to: number): Promise<void> {
  const { pointSystemId, apiKeyId, triggerKey, points } = WORLD;
  const [key] = await sql<{ id: string }[]>`select id from api_keys limit 1`;
  for (let start = from; start < to; start += EVENTS_A_ROUND) {
    const round = start / EVENTS_A_ROUND;
    console.error(`  writing events from ${start.toLocaleString("en")} on`);
    await sql`
      insert into point_events (
        point_system_id, id, address, points, balance, event, created_at, api_key_id, opens_wallet
      )
      select ${pointSystemId}, gen_random_uuid(),
        decode(lpad(to_hex(w * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(w), 32, '0'), 'hex'),
        ${points}, ${points * (round + 1)}, ${triggerKey},
        date_trunc('milliseconds', now() - make_interval(days => ${DAYS})
          + (${start}::bigint + n) * (interval '1 day' * ${DAYS - 1} / ${EVENTS}::float8)),
        ${key?.id ?? apiKeyId}, ${round === 0 ? true : null}::boolean
      from (
        select n, (n * 7919 + ${round * 104_729}::bigint) % ${EVENTS_A_ROUND}::bigint as w
        from generate_series(0, ${Math.min(to - start, EVENTS_A_ROUND) - 1}::bigint) n
      ) e`;
  }
  const rounds = Math.ceil(to / EVENTS_A_ROUND);
  await sql`delete from wallets where point_system_id = ${pointSystemId}`;
  await sql`
    insert into wallets (point_system_id, address, points, events)
    select point_system_id, address, sum(points), count(*) from point_events
    where point_system_id = ${pointSystemId} group by 1, 2`;
  await sql`
    update point_system_totals
    set wallets = ${EVENTS_A_ROUND}, events = ${to}, counted_seq = newest_event_seq(${pointSystemId})
    where point_system_id = ${pointSystemId}`;
  await sql`select rebuild_ranks(${pointSystemId})`;
  await sql`
    insert into activity_marks (point_system_id, created_at, id, events)
    select ${pointSystemId}, created_at, id, least(1000, ${to} - n) from (
      select created_at, id, row_number() over (order by created_at, id) - 1 as n
      from point_events where point_system_id = ${pointSystemId} and seq > (
        select activity_seq from statistics_cursors where point_system_id = ${pointSystemId}
      )
    ) e where n % 1000 = 0`;
  await sql`
    update statistics_cursors set (seq, activity_seq, program_seq) = (select max(seq), max(seq), max(seq) from point_events)
    where point_system_id = ${pointSystemId}`;
  await sql`vacuum analyze`;
  await sql`checkpoint`;
  console.error(`  ${rounds} events a wallet`);
}

async function verify(
  sql: Sql,
  location: DatabaseLocation,
): Promise<{ seconds: number; megabytes: number }> {
  const close = await openMigratedDatabase({
    databaseUrl: formatDatabaseUrl(location),
    dataDir: "",
    connectionsMax: 4,
    statementTimeoutMs: 0,
    deadlineMs: 0,
    log: () => {},
  });
  try {
    const startedAt = performance.now();
    const memory = watchMemory(sql);
    const { differences } = await verifyLedger();
    if (differences.length > 0) throw new Error(JSON.stringify(differences[0]));
    return { seconds: (performance.now() - startedAt) / 1_000, megabytes: memory.end() };
  } finally {
    await close();
  }
}

/** Watches the memory that PostgreSQL's processes of this database have for themselves. */
function watchMemory(sql: Sql): { end: () => number } {
  let most = 0;
  const look = async () => {
    const rows = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database()`;
    const kilobytes = rows.map(({ pid }) => {
      try {
        return Number(
          /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0,
        );
      } catch {
        return 0; // The process has ended.
      }
    });
    most = Math.max(most, kilobytes.reduce((sum, each) => sum + each, 0) / 1_024);
  };
  const timer = setInterval(() => void look().catch(() => {}), 500);
  return {
    end() {
      clearInterval(timer);
      return most;
    },
  };
}

async function measureBytes(sql: Sql): Promise<{ total: number; parts: Row[] }> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select c.relname as name, pg_relation_size(c.oid)::float8 / ${EVENTS} as bytes
    from pg_class c left join pg_index i on i.indexrelid = c.oid
    where 'point_events'::regclass in (c.oid, i.indrelid)`;
  const [total] = await sql<{ bytes: number }[]>`
    select pg_total_relation_size('point_events')::float8 / ${EVENTS} as bytes`;
  return {
    total: total?.bytes ?? Number.NaN,
    parts: rows.map(({ name, bytes }) => createRow(`of them ${name}`, bytes, "bytes")),
  };
}

async function measureReads(defer: Defer, grown: DatabaseLocation): Promise<Row[]> {
  const env = { DATABASE_URL: formatDatabaseUrl(grown) };
  const { url } = await startServer(defer, { command: [SERVERS.production], env });
  const get =
    (page: number): Contender =>
    (seconds) =>
      putLoad({
        script: "get.lua",
        url: `${url}/activity?pointSystemId=${WORLD.pointSystemId}&limit=${PAGE_ROWS}&page=${page}`,
        connections: 1,
        seconds,
        scriptArguments: ["0", WORLD.token],
      });
  const { loads, compare } = await measureInRounds(
    {
      first: get(1),
      middle: get(Math.floor(EVENTS / PAGE_ROWS / 2)),
      last: get(EVENTS / PAGE_ROWS),
    },
    { rounds: 5, seconds: 4, warmUpSeconds: 1 },
  );
  return [
    createRow("GET /activity, page 1, p50", loads.first.p50Ms, "ms"),
    createRow("GET /activity, the page in the middle, p50", loads.middle.p50Ms, "ms"),
    createRow("GET /activity, the last page, p50", loads.last.p50Ms, "ms"),
    createRow("the last page to page 1, requests", compare("last", "first"), "ratio", 0.333),
  ];
}

async function measureCredits(
  defer: Defer,
  empty: DatabaseLocation,
  grown: DatabaseLocation,
): Promise<Row[]> {
  const load = async (location: DatabaseLocation): Promise<Contender> => {
    const env = { DATABASE_URL: formatDatabaseUrl(location) };
    const { url } = await startServer(defer, { command: [SERVERS.production], env });
    return (seconds) => putTriggerLoad({ url: `${url}/trigger`, connections: 256, seconds });
  };
  const { loads, compare } = await measureInRounds(
    { empty: await load(empty), grown: await load(grown) },
    { rounds: 6, seconds: 5, warmUpSeconds: 5 },
  );
  return [
    createRow("credits, no events yet", loads.empty.perSecond, "1/s"),
    createRow("credits after these events", loads.grown.perSecond, "1/s"),
    createRow("credits after these events to none", compare("grown", "empty"), "ratio", 0.85),
  ];
}
