import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Cursor, type CursorSide, formatCursor } from "../../domain/cursor";

/** A row's place in the order of a list. */
export type Place = Pick<Cursor, "date" | "id">;

/** Checks whether a row comes after another in a list that is newest first. */
export function isOlder(a: Place, b: Place): boolean {
  const difference = a.date.getTime() - b.date.getTime();
  return difference < 0 || (difference === 0 && a.id < b.id);
}

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
  readonly keyOf: (row: Row) => Place;
  readonly select: (slice: Slice) => Promise<Row[]>;
}

/** A page on the way to which not all rows were scanned. */
export interface ScannedPage<Row> extends KeysetPage<Row> {
  /** The side on which the search stopped before the page was full and before the list ended. */
  readonly cutShortAt: CursorSide | null;
}

/** A list whose `select` scans no more than `SCAN_ROWS_MAX` rows. */
export interface ScannedList<Row> extends KeysetList<Row> {
  /** Finds the row at which `select` stopped; null where the list ended before. */
  readonly findStop: (slice: Slice) => Promise<Place | null>;
}

/**
 * The most rows that one request scans for a filter that has no index. This many rows stay within the statement timeout
 * even on a slow disk. Without the bound, the search for a row that is one in a hundred million would run into the timeout.
 * A page that reaches the bound reports how far it got, and the next page continues there.
 */
export const SCAN_ROWS_MAX = 20_000;

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
  const scanned = await readScannedPage({ ...list, findStop: async () => null }, cursor);
  const { cutShortAt: _, ...page } = scanned;
  return page;
}

/** Reads a page of a list whose filter has no index. It scans a bounded number of rows. */
export async function readScannedPage<Row>(
  list: ScannedList<Row>,
  cursor: Cursor | null,
): Promise<ScannedPage<Row>> {
  const { keyOf, select, findStop } = list;
  const isBackwards = cursor?.side === "newer";
  const slice = { cursor, ...startAt(list, cursor), limit: PAGE_ROWS + 1 };
  const found = await select(slice);
  const hasMore = found.length > PAGE_ROWS;
  const stop = hasMore ? null : await findStop(slice);
  // Near the top, the first page is returned, since it is full.
  if (isBackwards && !hasMore && !stop) return readScannedPage(list, null);
  const rows = found.slice(0, PAGE_ROWS);
  if (isBackwards) rows.reverse();
  const [first, last] = [rows[0], rows.at(-1)].map((row) => row && keyOf(row));
  // A row that was inserted between the two statements moved the stop towards the newest.
  const reached = stop && last && !isBackwards && isOlder(last, stop) ? last : stop;
  const newer = isBackwards ? (hasMore ? first : reached) : cursor && (first ?? cursor);
  const older = isBackwards ? (last ?? reached) : hasMore ? last : reached;
  return {
    rows,
    newer: newer ? formatCursor(newer) : null,
    older: older ? formatCursor(older) : null,
    cutShortAt: stop ? (isBackwards ? "newer" : "older") : null,
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
