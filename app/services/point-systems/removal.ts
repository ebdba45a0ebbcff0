import { type SQL, sql } from "drizzle-orm";
import { isOnCitus, readFor, runFor } from "../../db/citus/shard-query";
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from "../../db/citus/tables";
import { databaseState, type Executor, type Transaction } from "../../db/client";

/** Rows in one transaction, so that it stays well within its deadline and its locks are short. */
const BATCH_ROWS = 2_000;

/**
 * A removal goes on here: behind the row with this key, in JSON, or at the beginning of the table. Without a table, it
 * begins. Entries of removed rows stay in an index until they are vacuumed: a batch that began at the first one would read
 * all of them again.
 */
export interface Place {
  readonly table?: string | undefined;
  readonly after?: string | null | undefined;
}

/** Rows of a point system that are removed in batches. */
interface Removal {
  readonly pointSystemId: string;
  /** The tables, in the order in which they are emptied. */
  readonly tables: readonly string[];
  /** Writes a query of the values that `point_system_id` has in a table. */
  readonly listIds: (table: string) => SQL;
  /** Writes a further condition of the rows of a table. */
  readonly isDoomed?: (table: string) => SQL | undefined;
}

/** The append-only tables. The service's role need not have the right to delete from these: `purge_ledger` has. */
const LEDGERS: readonly string[] = ["point_events", "spends"];

/**
 * Removes the next batch of rows.
 * @returns the number of rows, and the place of those that follow; null at the end. Rows that were written meanwhile may
 *   stand before a place: a removal is done when a batch from the beginning leaves none.
 */
export async function removeBatch(
  tx: Transaction,
  removal: Removal,
  from: Place,
): Promise<{ rows: number; rest: Place | null }> {
  // Each would read all rows of a point system for a batch of them.
  await tx.execute(sql`
    select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_sort', 'off', true)`);
  let rows = 0;
  const begin = Math.max(0, removal.tables.indexOf(from.table ?? ""));
  for (const table of removal.tables.slice(begin)) {
    const rowsMax = Math.max(1, BATCH_ROWS - rows);
    const after = (table === from.table && from.after) || null;
    const remove = LEDGERS.includes(table) ? removeEvents : removeRows;
    const removed = await remove(tx, table, removal, { rowsMax, after });
    rows += removed.rows;
    if (removed.after !== null) return { rows, rest: { table, after: removed.after } };
  }
  return { rows, rest: null };
}

/** A part of a table's rows: at most so many, behind that key. */
interface Part {
  readonly rowsMax: number;
  readonly after: string | null;
}

/** The number of rows that were removed, and the key of the last one when there may be more. */
type Removed = { readonly rows: number; readonly after: string | null };

async function removeEvents(
  tx: Transaction,
  table: string,
  { pointSystemId }: Removal,
  { rowsMax, after }: Part,
): Promise<Removed> {
  const [removed] = await tx.execute<{ rows: number; after: string | null }>(sql`
    select p.rows, p.last_seq::text as after
    from purge_ledger(${table}, ${pointSystemId}::uuid, ${rowsMax}::int, ${after}::bigint) p`);
  return removed ?? { rows: 0, after: null };
}

/** The tables that lie on shards on Citus, and those of which each node has a copy. */
const DISTRIBUTED: ReadonlySet<string> = new Set(DISTRIBUTED_TABLES);
const ON_EVERY_NODE: ReadonlySet<string> = new Set(REFERENCE_TABLES);

async function removeRows(
  tx: Transaction,
  name: string,
  { pointSystemId, listIds, isDoomed }: Removal,
  { rowsMax, after }: Part,
): Promise<Removed> {
  const table = sql.identifier(name);
  const ours = sql`
    point_system_id = any(array(${listIds(name)})) and ${isDoomed?.(name) ?? sql`true`}`;
  // A row has another place in each copy of such a table.
  if (ON_EVERY_NODE.has(name) && (await isOnCitus(tx))) {
    const { count } = await tx.execute(sql`delete from ${table} where ${ours}`);
    return { rows: count, after: null };
  }
  const columns = await readKeyColumns(tx, name);
  const key = sql.join(
    columns.map((column) => sql.identifier(column.name)),
    sql`, `,
  );
  const toValues = (place: string) => {
    const values = columns.map(
      ({ type }, i) => sql`(${place}::text::jsonb->>${sql.raw(String(i))})::${sql.raw(type)}`,
    );
    return sql.join(values, sql`, `);
  };
  const next = sql`${ours} and ${after === null ? sql`true` : sql`(${key}) > (${toValues(after)})`}`;
  const look = sql`
    select count(*)::int as rows, (array_agg(k.after))[${rowsMax}] as after
    from (
      select json_build_array(${key})::text as after from ${table} where ${next} order by ${key} limit ${rowsMax}
    ) k`;
  const isSharded = DISTRIBUTED.has(name);
  const [found = { rows: 0, after: null }] = isSharded
    ? await readFor<Removed>(tx, pointSystemId, look)
    : await tx.execute<Removed>(look);
  if (found.rows === 0) return found;
  const isLast = found.after === null ? sql`true` : sql`(${key}) <= (${toValues(found.after)})`;
  // By the key: a row may have another place by now, since a fold or a delivery changes it without the ledger lock.
  const remove = sql`delete from ${table} where ${next} and ${isLast}`;
  if (isSharded) await runFor(tx, pointSystemId, remove);
  else await tx.execute(remove);
  return found;
}

interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

/** The columns of primary keys, by table: they never change while a database is open. */
const getKeyColumns = databaseState(() => new Map<string, readonly KeyColumn[]>());

/** Reads the columns of a table's primary key, in their order. */
async function readKeyColumns(executor: Executor, table: string): Promise<readonly KeyColumn[]> {
  const known = getKeyColumns();
  const columns =
    known.get(table) ??
    (await executor.execute<{ name: string; type: string }>(sql`
      select a.attname as name, format_type(a.atttypid, null) as type
      from pg_index i
      cross join unnest(i.indkey::int2[]) with ordinality k(place, n)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.place
      where i.indrelid = ${table}::regclass and i.indisprimary order by k.n`));
  known.set(table, columns);
  return columns;
}
