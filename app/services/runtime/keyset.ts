import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Cursor, formatCursor } from "../../domain/cursor";

/** What a statement needs to read on from a place in a list. */
export interface Slice {
  readonly where: SQL | undefined;
  readonly orderBy: readonly SQL[];
  readonly limit: number;
}

/** Rows, newest first, and the places to go on from; null where the list ends. */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly newer: string | null;
  readonly older: string | null;
}

/** The columns that order a list, newest first; one index has to hold both. */
interface KeysetOrder {
  readonly date: SQLWrapper;
  readonly id: SQLWrapper;
  /** Makes an id a value of its column, such as `sql.param(id, column)`; a UUID when left out. */
  readonly toId?: (id: string) => SQLWrapper;
}

interface KeysetList<Row> extends KeysetOrder {
  readonly keyOf: (row: Row) => Pick<Cursor, "date" | "id">;
  readonly pageSize: number;
  readonly select: (slice: Slice) => Promise<Row[]>;
}

/** Tells a statement to begin beyond a place, and in which order; at the newest row without a place. */
export function startAt(
  { date, id, toId = (id) => sql`${id}::uuid` }: KeysetOrder,
  cursor: Cursor | null,
): Pick<Slice, "where" | "orderBy"> {
  const isBackwards = cursor?.side === "newer";
  const order = sql.raw(isBackwards ? "asc" : "desc");
  return {
    where: cursor
      ? sql`(${date}, ${id}) ${sql.raw(isBackwards ? ">" : "<")}
          (${cursor.date.toISOString()}::timestamptz, ${toId(cursor.id)})`
      : undefined,
    orderBy: [sql`${date} ${order}`, sql`${id} ${order}`],
  };
}

/** Reads a page of a list of any length: a page far down costs what the first one does. */
export async function readKeysetPage<Row>(
  list: KeysetList<Row>,
  cursor: Cursor | null,
): Promise<KeysetPage<Row>> {
  const { keyOf, pageSize, select } = list;
  const isBackwards = cursor?.side === "newer";
  const found = await select({ ...startAt(list, cursor), limit: pageSize + 1 });
  const hasMore = found.length > pageSize;
  // Near the top, the first page, which is full.
  if (isBackwards && !hasMore) return readKeysetPage(list, null);
  const rows = found.slice(0, pageSize);
  if (isBackwards) rows.reverse();
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    rows,
    newer: first && cursor && (!isBackwards || hasMore) ? formatCursor(keyOf(first)) : null,
    older: last && (isBackwards || hasMore) ? formatCursor(keyOf(last)) : null,
  };
}
