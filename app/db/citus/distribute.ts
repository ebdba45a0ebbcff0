import { randomUUID } from "node:crypto";
import type { Sql, TransactionSql } from "postgres";
import { toArrayLiteral } from "../array-literal";
import { type DatabaseAddress, withConnectionTo } from "../pool";
import { writeHelpers } from "./helpers";
import { dropPositions, findCopy, isDistributed, placeTable } from "./placement";
import { renewFunctions } from "./renew-functions";
import { ANCHORS, DISTRIBUTED_TABLES, REFERENCE_TABLES, SEQUENCED_TABLES } from "./tables";

/** Any number: one command at a time. */
const DISTRIBUTE_LOCK = 7_014_088;

const NO_CITUS =
  "The database has no Citus. Install it on every server, run `create extension citus` in the database of each, and add the workers with citus_add_node.";
const NO_WORKERS =
  "The coordinator knows no worker that may have shards. Add them with citus_add_node.";
const IS_SERVED =
  "Processes of the service use this database. Stop them all, and run this command again.";

/** Settings of the database on every node. */
const SETTINGS = {
  // The guards of the ledger and the positions of its events are triggers.
  "citus.enable_unsafe_triggers": "on",
  // The functions of a shard write its tables.
  "citus.enable_manual_changes_to_shards": "on",
  // One connection to a node in a transaction: what a function has changed there is seen by the next statement.
  "citus.max_adaptive_executor_pool_size": "1",
  "citus.enable_local_reference_table_foreign_keys": "off",
};

/**
 * Turns a database of this version on Citus into the sharded form: the ledger by point systems over the nodes, small
 * tables on all of them. Changes nothing that is so already.
 * @param log is told each step
 * @throws {Error} when the database has no Citus, or is in use
 */
export async function distributeDatabase(
  address: DatabaseAddress,
  log: (message: string) => void,
): Promise<void> {
  await withConnectionTo(address, async (pool) => {
    await pool`select pg_advisory_lock(${DISTRIBUTE_LOCK})`;
    const isAgain = await isDistributed(pool);
    await refuseUnfit(pool);
    if (!isAgain) await refuseServed(pool);
    await setUp(pool);
    if (isAgain) log("The tables are distributed already");
    else await pool.begin((tx) => distributeTables(tx, log));
    log(
      (await renewFunctions(pool)) ? "Functions: on every node" : "The functions are there already",
    );
    const placed = await pool<{ node: string; shards: number }[]>`
      select nodename || ':' || nodeport as node, count(*)::int as shards from citus_shards
      where table_name = ${ANCHORS}::regclass group by 1 order by 1`;
    for (const { node, shards } of placed) log(`${node} has ${shards} shards of point systems`);
  });
}

/** Brings the functions on every node up to date after a migration; nothing on plain PostgreSQL. */
export async function renewDistributed(address: DatabaseAddress): Promise<void> {
  await withConnectionTo(address, async (pool) => {
    if (!(await isDistributed(pool))) return;
    await pool`select pg_advisory_lock(${DISTRIBUTE_LOCK})`;
    await renewFunctions(pool);
  });
}

async function refuseUnfit(pool: Sql): Promise<void> {
  const [citus] = await pool`select from pg_extension where extname = 'citus'`;
  if (!citus) throw new Error(NO_CITUS);
  const [workers] = await pool<{ count: number }[]>`
    select count(*)::int as count from pg_dist_node where shouldhaveshards and isactive and groupid <> 0`;
  if (!workers?.count) throw new Error(NO_WORKERS);
}

async function refuseServed(pool: Sql): Promise<void> {
  const [serving] = await pool<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      and application_name like 'points-and-rewards/%'`;
  if (serving?.count) throw new Error(IS_SERVED);
}

/** Settings of the database on the coordinator. */
const COORDINATOR_SETTINGS = {
  // Functions take their calls to shards, also when they are called for rows of tables that every node has.
  "citus.allow_nested_distributed_execution": "on",
};

async function setUp(pool: Sql): Promise<void> {
  const [database] = await pool<{ name: string }[]>`select quote_ident(current_database()) as name`;
  for (const [name, value] of Object.entries(SETTINGS)) {
    await pool.unsafe(`set ${name} = ${value}`);
    const statement = `alter database ${database?.name} set ${name} = ${value}`;
    await pool.unsafe(statement);
    await pool`select run_command_on_workers(${statement})`;
  }
  for (const [name, value] of Object.entries(COORDINATOR_SETTINGS)) {
    await pool.unsafe(`alter database ${database?.name} set ${name} = ${value}`);
  }
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly target: string;
  readonly definition: string;
}

async function distributeTables(tx: TransactionSql, log: (message: string) => void): Promise<void> {
  await tx`set local citus.multi_shard_modify_mode = 'sequential'`;
  await tx`set local client_min_messages = warning`;
  const keys = await tx<ForeignKey[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name, confrelid::regclass::text as target,
      pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`;
  for (const { table, name } of keys)
    await tx.unsafe(`alter table ${table} drop constraint ${name}`);
  const anchors = await chooseAnchors(tx);
  await moveWindows(tx);
  await prepareTables(tx);

  for (const name of REFERENCE_TABLES) await placeTable(tx, name);
  log(`On every node: ${REFERENCE_TABLES.join(", ")}`);
  await tx.unsafe(
    `create table ${ANCHORS} (point_system_id uuid primary key, node int not null default -1)`,
  );
  await tx`select create_distributed_table(${ANCHORS}, 'point_system_id', colocate_with => 'none')`;
  for (const id of anchors) await tx`insert into shard_anchors (point_system_id) values (${id})`;
  // Migrations place what a later release adds.
  const there = await tx<{ name: (typeof DISTRIBUTED_TABLES)[number] }[]>`
    select name from unnest(${toArrayLiteral(DISTRIBUTED_TABLES)}::text[]) name
    where to_regclass(name) is not null`;
  for (const { name } of there) {
    const [{ rows } = { rows: 0 }] = await tx<{ rows: number }[]>`
      select count(*)::float8 as rows from ${tx(name)}`;
    await placeTable(tx, name);
    log(`By point systems: ${name}, ${rows} rows`);
  }
  await addKeys(tx, keys);
}

/** Chooses an id for each shard, and makes the functions that find a point system's shard. */
async function chooseAnchors(tx: TransactionSql): Promise<readonly string[]> {
  const [shards] = await tx<{ count: number }[]>`
    select current_setting('citus.shard_count')::int as count`;
  const places = Array.from({ length: shards?.count ?? 1 }, () => "");
  await tx`set local citus.enable_ddl_propagation = off`;
  for (const text of writeHelpers(places.map(() => randomUUID()))) await tx.unsafe(text);
  while (places.includes("")) {
    const found = await tx<{ id: string; place: number }[]>`
      select id, shard_of(id) as place from (
        select gen_random_uuid() as id from generate_series(1, ${places.length * 4}::int) offset 0
      ) ids`;
    for (const { id, place } of found) places[place] ||= id;
  }
  for (const text of writeHelpers(places)) await tx.unsafe(text);
  await tx`set local citus.enable_ddl_propagation = on`;
  return places;
}

/** Gives windows of boards ids whose rows lie on the shards of their point systems. */
async function moveWindows(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`do $move$
    declare
      w record;
      moved uuid;
      holder text;
    begin
      for w in select id, point_system_id from board_windows where shard_of(id) <> shard_of(point_system_id) loop
        loop
          moved := gen_random_uuid();
          exit when shard_of(moved) = shard_of(w.point_system_id);
        end loop;
        update board_windows set id = moved where id = w.id;
        foreach holder in array array['wallets', 'rank_counts', 'rank_cursors', 'rank_moves', 'season_totals'] loop
          execute format('update %I set point_system_id = $1 where point_system_id = $2', holder) using moved, w.id;
        end loop;
        update rewards set points_window_id = moved where points_window_id = w.id;
        update jobs set key = moved::text, data = replace(data::text, w.id::text, moved::text)::jsonb
        where queue = 'fill-board' and key = w.id::text;
      end loop;
    end $move$`);
}

/** Takes away what Citus cannot have on a distributed table, and puts what serves on both in its place. */
async function prepareTables(tx: TransactionSql): Promise<void> {
  for (const name of SEQUENCED_TABLES) await dropPositions(tx, name);
  // Folds look at these two to know whether a ledger has gained anything. Positions come from each node: it may have.
  for (const name of ["point_events_seq_seq", "spends_seq_seq"]) {
    await tx.unsafe(`drop sequence if exists ${name}`);
    await tx.unsafe(
      `create view ${name} as select (extract(epoch from clock_timestamp()) * 1000)::bigint as last_value`,
    );
  }
  await tx`alter table board_windows drop constraint board_windows_pkey`;
  await tx`alter table board_windows add primary key (point_system_id, id)`;
  await tx`create index board_windows_id on board_windows (id)`;
}

async function addKeys(tx: TransactionSql, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, name, target, definition } of keys) {
    const copy = await findCopy(tx, table, target);
    const text = copy
      ? definition.replace(`REFERENCES ${target}(`, `REFERENCES ${copy}(`)
      : definition;
    await tx.unsafe(`alter table ${table} add constraint ${name} ${text}`);
  }
}
