import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { toArrayLiteral } from "../array-literal";
import { type Executor, getDatabaseOptions } from "../client";
import type { Database } from "../pool";
import {
  keepOwnPointSystems,
  planFunctions,
  type ShardTables,
  writeForShard,
} from "./shard-functions";
import { ANCHORS, DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./tables";

// Statements that span point systems, on each shard in turn (docs/decisions/088). On plain PostgreSQL they run as they
// are.

const dialect = new PgDialect();
/** Whether a database is distributed never changes while it is open. */
const known = new WeakMap<object, boolean>();

/** Checks whether the open database is in the sharded form on Citus. */
export async function isOnCitus(executor: Executor): Promise<boolean> {
  const options = getDatabaseOptions();
  const before = known.get(options);
  if (before !== undefined) return before;
  const [row] = await executor.execute<{ isOnCitus: boolean }>(
    sql`select to_regclass('public.shard_anchors') is not null as "isOnCitus"`,
  );
  const isSharded = row?.isOnCitus ?? false;
  known.set(options, isSharded);
  return isSharded;
}

/**
 * Runs a statement that changes rows of distributed tables, whatever their point systems are.
 * @returns the number of rows
 */
export async function runForAll(executor: Executor, statement: SQL): Promise<number> {
  if (!(await isOnCitus(executor))) return (await executor.execute(statement)).count;
  let count = 0;
  for (const { anchor, text } of await writeForEachShard(executor, statement)) {
    const [changed] = await executor.execute<{ count: number }>(sql`
      select run_on_shard(${anchor}::uuid, ${text})::int as count from shard_anchors
      where point_system_id = ${anchor}::uuid`);
    count += changed?.count ?? 0;
  }
  return count;
}

/**
 * Runs a statement that changes rows of one point system alone, where they lie.
 * @returns the number of rows
 */
export async function runFor(
  executor: Executor,
  pointSystemId: string,
  statement: SQL,
): Promise<number> {
  if (!(await isOnCitus(executor))) return (await executor.execute(statement)).count;
  const { anchor, text } = await writeForShardOf(executor, pointSystemId, statement);
  const [changed] = await executor.execute<{ count: number }>(sql`
    select run_on_shard(${anchor}::uuid, ${text})::int as count from shard_anchors
    where point_system_id = ${anchor}::uuid`);
  return changed?.count ?? 0;
}

/** Reads by a statement rows of one point system alone, where they lie. */
export async function readFor<Row extends Record<string, unknown>>(
  executor: Executor,
  pointSystemId: string,
  statement: SQL,
): Promise<Row[]> {
  if (!(await isOnCitus(executor))) {
    return [...(await executor.execute<Record<string, unknown>>(statement))] as Row[];
  }
  return readShards(executor, [await writeForShardOf(executor, pointSystemId, statement)]);
}

/** Reads by a statement for all point systems. On Citus, what is read of one shard is of one moment. */
export async function readEachShard<Row>(executor: Executor, statement: SQL): Promise<Row[]> {
  return readShards(executor, await writeForEachShard(executor, statement));
}

/**
 * Reads as `readEachShard` does, by a statement that also reads a temporary table of the connection. Its rows lie on their
 * shards meanwhile.
 * @param table the temporary table
 * @param like the distributed table whose columns it has
 */
export async function readEachShardWith<Row>(
  db: Database,
  table: string,
  like: string,
  statement: SQL,
): Promise<Row[]> {
  const copy = `${table}_copy`;
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local citus.multi_shard_modify_mode = 'sequential'`);
    await tx.execute(sql`create table ${sql.identifier(copy)} (like ${sql.identifier(like)})`);
    await tx.execute(sql`
      select create_distributed_table(${copy}, 'point_system_id', colocate_with => ${ANCHORS})`);
    await tx.execute(
      sql`insert into ${sql.identifier(copy)} select * from ${sql.identifier(table)}`,
    );
    const texts = await writeForEachShard(tx, statement);
    const anchors = toArrayLiteral(texts.map(({ anchor }) => anchor));
    const shards = await tx.execute<{ anchor: string; id: string }>(sql`
      select anchor, get_shard_id_for_distribution_column(${copy}, anchor)::text as id
      from unnest(${anchors}::uuid[]) anchor`);
    const read = new RegExp(`\\b(from|join)(\\s+)${table}\\b`, "g");
    const rows = await readShards<Row>(
      tx,
      texts.map(({ anchor, text }) => {
        const id = shards.find((shard) => shard.anchor === anchor)?.id;
        return { anchor, text: text.replace(read, `$1$2public.${copy}_${id}`) };
      }),
    );
    await tx.execute(sql`drop table ${sql.identifier(copy)}`);
    return rows;
  });
}

async function readShards<Row>(executor: Executor, texts: readonly ShardText[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { anchor, text } of texts) {
    const [answer] = await executor.execute<{ rows: Row[] }>(sql`
      select query_shard(${text}) as rows from shard_anchors where point_system_id = ${anchor}::uuid`);
    rows.push(...(answer?.rows ?? []));
  }
  return rows;
}

/**
 * Reads by a statement for all point systems, as it is on plain PostgreSQL. On Citus the rows of each shard follow each
 * other: a limit holds for each shard.
 */
export async function readForAll<Row extends Record<string, unknown>>(
  executor: Executor,
  statement: SQL,
): Promise<Row[]> {
  if (await isOnCitus(executor)) return readEachShard<Row>(executor, statement);
  return [...(await executor.execute<Record<string, unknown>>(statement))] as Row[];
}

/** Changes rows of distributed tables by a statement, and reads what it returns, as `readForAll` does. */
export async function changeForAll<Row extends Record<string, unknown>>(
  executor: Executor,
  statement: SQL,
): Promise<Row[]> {
  if (!(await isOnCitus(executor))) {
    return [...(await executor.execute<Record<string, unknown>>(statement))] as Row[];
  }
  const rows: Row[] = [];
  for (const { anchor, text } of await writeForEachShard(executor, statement)) {
    const [answer] = await executor.execute<{ rows: Row[] }>(sql`
      select change_on_shard(${anchor}::uuid, ${text}) as rows from shard_anchors
      where point_system_id = ${anchor}::uuid`);
    rows.push(...(answer?.rows ?? []));
  }
  return rows;
}

/** A statement for the shard of a point system. */
interface ShardText {
  readonly anchor: string;
  readonly text: string;
}

interface ShardNames {
  readonly place: number;
  readonly anchor: string;
  readonly tables: ShardTables;
}

/** The names of shards' tables never change while a database is open. */
const names = new WeakMap<object, readonly ShardNames[]>();

async function listShardNames(executor: Executor): Promise<readonly ShardNames[]> {
  const options = getDatabaseOptions();
  const before = names.get(options);
  if (before) return before;
  const anchors = await executor.execute<{ place: number; anchor: string; id: string }>(sql`
    select shard_of(point_system_id) as place, point_system_id as anchor,
      get_shard_id_for_distribution_column('shard_anchors', point_system_id)::text as id
    from shard_anchors`);
  const tables = toArrayLiteral([...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ANCHORS]);
  const rows = await executor.execute<{ name: string; id: string; least: string | null }>(sql`
    select logicalrelid::text as name, shardid::text as id, shardminvalue as least from pg_dist_shard
    where logicalrelid::text = any(${tables}::text[])`);
  const shards = anchors
    .map(({ place, anchor, id }) => {
      const least = rows.find((row) => row.id === id)?.least ?? null;
      const own = rows.filter((row) => row.least === null || row.least === least);
      const tables = new Map(own.map((row) => [row.name, `${row.name}_${row.id}`]));
      return { place, anchor, tables };
    })
    .sort((one, next) => one.place - next.place);
  names.set(options, shards);
  return shards;
}

/** Writes a statement for the shard that has a point system. */
async function writeForShardOf(
  executor: Executor,
  pointSystemId: string,
  statement: SQL,
): Promise<ShardText> {
  const [own] = await executor.execute<{ anchor: string }>(
    sql`select anchor_of(${pointSystemId}::uuid) as anchor`,
  );
  const written = await writeForEachShard(executor, statement);
  const text = written.find(({ anchor }) => anchor === own?.anchor);
  if (!text) throw new Error("No shard has the point system");
  return text;
}

/** Writes a statement for each shard: it names the shard's tables, and the point systems that the shard has. */
async function writeForEachShard(executor: Executor, statement: SQL): Promise<ShardText[]> {
  const sharded = new Set(planFunctions().sharded.map(({ name }) => name));
  const { sql: text } = dialect.sqlToQuery(statement.inlineParams());
  return (await listShardNames(executor)).map(({ place, anchor, tables }) => {
    const written = writeForShard({ name: "", text }, `shard_${place}`, tables, sharded);
    return { anchor, text: keepOwnPointSystems(written, place, tables) };
  });
}
