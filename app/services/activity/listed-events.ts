import { getTableColumns, Subquery, sql } from "drizzle-orm";
import { pointEvents } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

interface ListedEvents {
  readonly pointSystemId: string;
  /** The wallet; null for all of the point system. */
  readonly address: Address | null;
  /** The place beyond which the events lie; null for the newest ones. */
  readonly cursor: Cursor | null;
  readonly rowsMax: number;
  /** The times between which the events lie, the second one excluded; null for any. */
  readonly since?: Date | null;
  readonly before?: Date | null;
}

/**
 * Makes the source of a statement that reads events, voided ones among them: in its place in the
 * statement it is called point_events. The statement repeats the order, since a source has none.
 */
export function listedEvents({
  pointSystemId,
  address,
  cursor,
  rowsMax,
  since = null,
  before = null,
}: ListedEvents) {
  const isUpwards = cursor?.side === "newer";
  const edge = isUpwards ? since : before;
  const isCursorWithin =
    cursor && (edge === null || (isUpwards ? cursor.date >= edge : cursor.date < edge));
  const place = isCursorWithin ? cursor : { date: edge, id: FIRST_ID };
  const from = place.date?.toISOString() ?? "infinity";
  const until = isUpwards
    ? (before?.toISOString() ?? "infinity")
    : (since?.toISOString() ?? "-infinity");
  const wallet = address === null ? null : sql.param(address, pointEvents.address);
  return new Subquery(
    sql`select * from list_events(
      ${pointSystemId}, ${wallet}, ${from}, ${place.id}, ${until}, ${isUpwards}, true, 0, ${rowsMax}
    )`,
    getTableColumns(pointEvents),
    "point_events",
  );
}
