import { type SQL, sql } from "drizzle-orm";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { vi } from "vitest";
import { readForAll } from "../../app/db/citus/shard-query";
import {
  closeDatabase,
  countConnections,
  getDatabaseOptions,
  openDatabase,
  withDatabase,
  withOwnConnection,
} from "../../app/db/client";
import type { ClusterAddress } from "./cluster-address";

/** The address of this test file's database. */
export let database: ClusterAddress & { readonly database: string };
/** The connections of another instance to it. */
export let other: Sql;

/**
 * Takes the database of the test file that begins. Files of one worker share their modules, and each
 * has a database of its own.
 * @returns closes the other instance's connections
 */
export function takeDatabase(address: typeof database): () => Promise<void> {
  database = address;
  other = postgres({ ...database, max: 2, onnotice: () => {} });
  const taken = other;
  return () => taken.end({ timeout: 1 });
}

const LONG_MS = 60_000;

/**
 * Gives this test file's database far later deadlines. For a file that prepares much in one transaction: on a busy machine
 * that takes longer than a caller of the service waits.
 */
export async function extendDeadlines(): Promise<void> {
  const options = getDatabaseOptions();
  await closeDatabase();
  openDatabase({ ...options, statementTimeoutMs: LONG_MS, deadlineMs: LONG_MS });
}

const WITHIN = { timeout: 10_000, interval: 20 };

/** Waits until sessions of this test file's database wait for locks. */
export async function waitForLocks(count = 1): Promise<void> {
  const areWaiting = async () => {
    const waiting = await other`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length >= count;
  };
  await vi.waitUntil(areWaiting, WITHIN);
}

/** Waits until a session sleeps in `pg_sleep`. */
export async function waitForSleep(pid: number): Promise<void> {
  const isAsleep = async () => {
    const asleep = await other`
      select from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`;
    return asleep.length > 0;
  };
  await vi.waitUntil(isAsleep, WITHIN);
}

/** Changes rows as no program may: no trigger fires in the transaction, on no node. */
export async function changeUnguarded(
  work: (tx: TransactionSql) => Promise<unknown>,
): Promise<void> {
  await other.begin(async (tx) => {
    await tx`set local citus.propagate_set_commands = 'local'`;
    await tx`set local session_replication_role = replica`;
    await work(tx);
  });
}

/**
 * Bounds the rows that PostgreSQL reads to plan a statement that reads none: it looks where an index
 * begins and ends, once it has statistics of the table.
 */
export const PLANNED_ROWS = 20;

/** Counts the rows of a table that a transaction reads and updates in its work, whatever is kept of them. */
export async function countRowsRead<Answer>(
  tx: TransactionSql,
  table: string,
  work: () => PromiseLike<Answer>,
): Promise<{ rows: number; updated: number; answer: Answer }> {
  // The figures of a connection's earlier transactions may be among them.
  const count = async () => {
    const [row] = await tx<{ rows: number; updated: number }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows, n_tup_upd::int as updated
      from pg_stat_xact_user_tables where relname = ${table}`;
    return row ?? { rows: 0, updated: 0 };
  };
  const before = await count();
  const answer = await work();
  const after = await count();
  return { rows: after.rows - before.rows, updated: after.updated - before.updated, answer };
}

/** Publishes what the connections of all requests have read: each keeps its figures to itself for some seconds. */
export async function flushFigures(): Promise<void> {
  const flush = () =>
    withDatabase((db) => db.execute(sql`select pg_stat_force_next_flush(), pg_sleep(0.1)`));
  await Promise.all(Array.from({ length: countConnections("shared") }, flush));
}

/** Counts the entries of a table's indexes that the connections of all requests read in some work. */
export async function countEntriesRead(
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const count = async () => {
    await flushFigures();
    const [row] = await other<{ entries: number }[]>`
      select sum(idx_tup_read)::float8 as entries from pg_stat_user_indexes where relname = ${table}`;
    return row?.entries ?? 0;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

/** Reads rows of one point system by one statement, of one moment: on Citus on the node that has them. */
export function readAtOnce<Row extends Record<string, unknown>>(statement: SQL): Promise<Row[]> {
  return withOwnConnection((db) => readForAll<Row>(db, statement));
}
