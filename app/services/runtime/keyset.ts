import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Cursor, formatCursor } from "../../domain/cursor";

/** The parts of a statement that read a list from a place on. */
export interface Slice {
  /** The place beyond which it begins; null for the newest row. */
  readonly cursor: Cursor | null;
  readonly where: SQL | undefined;
  readonly orderBy: readonly SQL[];
  readonly limit: number;
}

/**
 * The rows of a page, newest first, and the places from which to continue; null where the list
 * ends.
 */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly newer: string | null;
  readonly older: string | null;
}

/** The columns that order a list, newest first; one index has to hold both. */
interface KeysetOrder {
  readonly date: SQLWrapper;
  readonly id: SQLWrapper;
  /**
   * Converts an id to a value of its column, such as `sql.param(id, column)`; a UUID when left out.
   */
  readonly toId?: (id: string) => SQLWrapper;
}

/** A list that is read from any place on. */
export interface KeysetList<Row> extends KeysetOrder {
  readonly keyOf: (row: Row) => Pick<Cursor, "date" | "id">;
  readonly select: (slice: Slice) => Promise<Row[]>;
}

/** The rows of a page. */
export const PAGE_ROWS = 50;
const BATCH_ROWS = 1_000;

/**
 * Makes the condition and the order of a statement that begins beyond a place; without a place it
 * begins at the newest row.
 */
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

/** Reads a page of a list of any length. A page far down costs as much as the first one. */
export async function readKeysetPage<Row>(
  list: KeysetList<Row>,
  cursor: Cursor | null,
): Promise<KeysetPage<Row>> {
  const { keyOf, select } = list;
  const isBackwards = cursor?.side === "newer";
  const found = await select({ cursor, ...startAt(list, cursor), limit: PAGE_ROWS + 1 });
  const hasMore = found.length > PAGE_ROWS;
  // Near the top, the first page is returned, since it is full.
  if (isBackwards && !hasMore) return readKeysetPage(list, null);
  const rows = found.slice(0, PAGE_ROWS);
  if (isBackwards) rows.reverse();
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    rows,
    newer: first && cursor && (!isBackwards || hasMore) ? formatCursor(keyOf(first)) : null,
    older: last && (isBackwards || hasMore) ? formatCursor(keyOf(last)) : null,
  };
}

/** Reads a whole list, newest first. It reads in batches on demand, so that a slow reader holds no connection. */
export async function* readWholeList<Row>(list: KeysetList<Row>): AsyncGenerator<Row> {
  let cursor: Cursor | null = null;
  do {
    const rows = await list.select({ cursor, ...startAt(list, cursor), limit: BATCH_ROWS });
    yield* rows;
    const last = rows.length === BATCH_ROWS ? rows.at(-1) : undefined;
    cursor = last === undefined ? null : { side: "older", ...list.keyOf(last) };
  } while (cursor);
}
