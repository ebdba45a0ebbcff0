import type { Sql, TransactionSql } from "postgres";
import {
  ANCHORS,
  DISTRIBUTED_TABLES,
  KEYLESS_TABLES,
  REFERENCE_TABLES,
  SEQUENCED_TABLES,
} from "./tables";

// The places of tables on Citus, when a database is distributed and when a migration changes a distributed one.

const has = (names: readonly string[], name: string) => names.includes(name);

/** Checks whether a database is in the sharded form. */
export async function isDistributed(db: Sql | TransactionSql): Promise<boolean> {
  const [row] = await db<{ isDistributed: boolean }[]>`
    select to_regclass('public.shard_anchors') is not null as "isDistributed"`;
  return row?.isDistributed ?? false;
}

/** Puts a table on the nodes that the lists name; one that they do not name stays on the coordinator. */
export async function placeTable(tx: TransactionSql, name: string): Promise<void> {
  if (has(REFERENCE_TABLES, name)) await tx`select create_reference_table(${name})`;
  if (!has(DISTRIBUTED_TABLES, name)) return;
  if (has(SEQUENCED_TABLES, name)) await dropPositions(tx, name);
  if (has(KEYLESS_TABLES, name)) await tx.unsafe(`alter table ${name} replica identity full`);
  await tx`select create_distributed_table(${name}, 'point_system_id', colocate_with => ${ANCHORS})`;
}

/** Takes the sequence from a table's positions, which Citus cannot have there: a trigger gives them. */
export async function dropPositions(tx: TransactionSql, name: string): Promise<void> {
  await tx.unsafe(`alter table ${name} alter seq drop identity if exists`);
  await tx.unsafe(`alter table ${name} alter seq drop default`);
}

/**
 * Finds the copy of a table on the coordinator, to which a key of a table that only the coordinator has must refer.
 * @returns null for a key that stays as it is
 */
export async function findCopy(
  tx: TransactionSql,
  table: string,
  target: string,
): Promise<string | null> {
  if (!has(REFERENCE_TABLES, target)) return null;
  if (has(REFERENCE_TABLES, table) || has(DISTRIBUTED_TABLES, table)) return null;
  const [copy] = await tx<{ name: string }[]>`
    select logicalrelid::text || '_' || shardid as name from pg_dist_shard
    where logicalrelid = ${target}::regclass`;
  return copy?.name ?? null;
}

const NEW_TABLE = /^create table "(\w+)"/im;
const NEW_KEY = /^alter table "(\w+)" add constraint .* references ("public"\."(\w+)")/im;
const NEW_POSITIONS = /^alter table "(\w+)" alter column "seq" set default nextval\(/im;

/** Prepares a transaction for the migrations of a distributed database. The functions are renewed after them. */
export async function beginMigrations(tx: TransactionSql): Promise<void> {
  await tx`drop table if exists drizzle.node_functions`;
  await tx`set local citus.multi_shard_modify_mode = 'sequential'`;
  await tx`set local client_min_messages = warning`;
}

/** Applies a statement of a migration to all nodes of a distributed database, and places the table that it creates. */
export async function applyStatement(tx: TransactionSql, statement: string): Promise<void> {
  if (has(SEQUENCED_TABLES, NEW_POSITIONS.exec(statement)?.[1] ?? "")) return;
  const [, table = "", reference = "", target = ""] = NEW_KEY.exec(statement) ?? [];
  const copy = await findCopy(tx, table, target);
  await tx.unsafe(copy === null ? statement : statement.replace(reference, copy));
  await placeTable(tx, NEW_TABLE.exec(statement)?.[1] ?? "");
}
