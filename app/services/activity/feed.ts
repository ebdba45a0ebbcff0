import { and, asc, desc, eq, gte, isNull, type SQL, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { pointEvents } from "../../db/schema/ledger";
import type { ActivityFilter, FeedCursor } from "../../domain/activity/filter";
import type { Address } from "../../domain/address";
import type { Member } from "../access/members";

/** An event as the dashboard shows it: voided ones too, but no corrections. */
export interface FeedEvent {
  readonly id: string;
  readonly date: Date;
  readonly address: Address;
  readonly event: string | null;
  readonly points: number;
  /** The wallet's total after it. */
  readonly balance: number;
  readonly note: string | null;
  readonly importId: string | null;
  readonly isVoided: boolean;
}

/** A page of the feed, newest first. */
export interface FeedPage {
  readonly events: FeedEvent[];
  /** Before it there are newer events. */
  readonly newerThan: FeedCursor | null;
  /** After it there are older events, or events that nobody has looked through yet. */
  readonly olderThan: FeedCursor | null;
  /** Where the search ended before the page was full and before the feed was. */
  readonly cutShortAt: "older" | "newer" | null;
}

/** From where on, and which way. Without a cursor: from the newest on. */
export type FeedPosition =
  | { readonly olderThan: FeedCursor | null }
  | { readonly newerThan: FeedCursor };

export const FEED_PAGE_SIZE = 50;

/**
 * A filter by trigger has no index: its events are looked for along the feed. So many rows a
 * request are within the statement timeout on a slow disk too; a trigger that fired once in a
 * hundred million events would otherwise be looked for until the statement is ended. The page then
 * says how far it got and goes on from there.
 */
const SCAN_ROWS_MAX = 20_000;

/** Events of an export's statement: some hundred kilobytes. */
const EXPORT_BATCH_EVENTS = 2_000;

const isBefore = ({ date, id }: FeedCursor) =>
  sql`(${pointEvents.createdAt}, ${pointEvents.id}) < (${date.toISOString()}::timestamptz, ${id}::uuid)`;
const isAfter = ({ date, id }: FeedCursor) =>
  sql`(${pointEvents.createdAt}, ${pointEvents.id}) > (${date.toISOString()}::timestamptz, ${id}::uuid)`;

/** A page of a point system's events by a filter. */
export async function listFeed(
  member: Member,
  filter: ActivityFilter,
  position: FeedPosition,
): Promise<FeedPage> {
  if ("newerThan" in position) {
    const { events, stoppedAt } = await scan(member, filter, {
      isAscending: true,
      place: isAfter(position.newerThan),
      eventsMax: FEED_PAGE_SIZE + 1,
    });
    const hasMore = events.length > FEED_PAGE_SIZE;
    // The newest page is a full one, wherever one came from.
    if (!hasMore && !stoppedAt) return listFeed(member, filter, { olderThan: null });
    const shown = events.slice(0, FEED_PAGE_SIZE).reverse();
    return {
      events: shown,
      newerThan: hasMore ? toCursor(shown[0]) : stoppedAt,
      olderThan: toCursor(shown.at(-1)) ?? stoppedAt,
      cutShortAt: stoppedAt ? "newer" : null,
    };
  }
  const { events, stoppedAt } = await scan(member, filter, {
    isAscending: false,
    place: position.olderThan ? isBefore(position.olderThan) : undefined,
    eventsMax: FEED_PAGE_SIZE + 1,
  });
  const hasMore = events.length > FEED_PAGE_SIZE;
  const shown = events.slice(0, FEED_PAGE_SIZE);
  return {
    events: shown,
    newerThan: position.olderThan && (toCursor(shown[0]) ?? position.olderThan),
    olderThan: hasMore ? toCursor(shown.at(-1)) : stoppedAt,
    cutShortAt: stoppedAt ? "older" : null,
  };
}

/**
 * Every event by a filter, newest first, in batches: each is a short statement of its own, so that
 * an export holds neither a connection nor a snapshot while its reader is slow.
 */
export async function* exportFeed(
  member: Member,
  filter: ActivityFilter,
): AsyncGenerator<readonly FeedEvent[]> {
  let cursor: FeedCursor | null = null;
  do {
    const { events, stoppedAt }: ScanResult = await scan(member, filter, {
      isAscending: false,
      place: cursor ? isBefore(cursor) : undefined,
      eventsMax: EXPORT_BATCH_EVENTS,
    });
    yield events;
    cursor = events.length === EXPORT_BATCH_EVENTS ? toCursor(events.at(-1)) : stoppedAt;
  } while (cursor);
}

interface ScanResult {
  readonly events: FeedEvent[];
  /** The last row that was looked at, when the bound on them ended the search. */
  readonly stoppedAt: FeedCursor | null;
}

/** Goes along the feed until there are enough events, or enough rows were looked at. */
async function scan(
  { pointSystemId }: Member,
  { address, trigger, firstDay, lastDay }: ActivityFilter,
  {
    isAscending,
    place,
    eventsMax,
  }: { isAscending: boolean; place: SQL | undefined; eventsMax: number },
): Promise<ScanResult> {
  // What both indexes hold: point_events_feed, and point_events_wallet_feed with an address.
  const isInScope = and(
    eq(pointEvents.pointSystemId, pointSystemId),
    address === null ? undefined : eq(pointEvents.address, address),
    isNull(pointEvents.voids),
    firstDay === null ? undefined : gte(pointEvents.createdAt, new Date(`${firstDay}T00:00Z`)),
    lastDay === null
      ? undefined
      : sql`${pointEvents.createdAt} < (${lastDay}::date + 1)::timestamp at time zone 'UTC'`,
    place,
  );
  const order = isAscending
    ? [asc(pointEvents.createdAt), asc(pointEvents.id)]
    : [desc(pointEvents.createdAt), desc(pointEvents.id)];
  return withDatabase(async (db) => {
    const rows = db
      .select({
        id: pointEvents.id,
        date: pointEvents.createdAt,
        address: pointEvents.address,
        event: pointEvents.event,
        points: pointEvents.points,
        balance: pointEvents.balance,
        note: pointEvents.note,
        importId: pointEvents.importId,
      })
      .from(pointEvents)
      .where(isInScope)
      .orderBy(...order)
      .limit(trigger === null ? eventsMax : SCAN_ROWS_MAX)
      .as("scanned");
    const events = await db
      .select({
        id: rows.id,
        date: rows.date,
        address: rows.address,
        event: rows.event,
        points: rows.points,
        balance: rows.balance,
        note: rows.note,
        importId: rows.importId,
        isVoided: sql<boolean>`(
          select c.id from point_events c
          where c.point_system_id = ${pointSystemId} and c.voids = scanned.id limit 1
        ) is not null`,
      })
      .from(rows)
      .where(
        trigger === null
          ? undefined
          : trigger.key === null
            ? isNull(rows.event)
            : eq(rows.event, trigger.key),
      )
      .orderBy(...(isAscending ? [asc(rows.date), asc(rows.id)] : [desc(rows.date), desc(rows.id)]))
      .limit(eventsMax);
    if (trigger === null || events.length === eventsMax) return { events, stoppedAt: null };
    const [last] = await db
      .select({ date: pointEvents.createdAt, id: pointEvents.id })
      .from(pointEvents)
      .where(isInScope)
      .orderBy(...order)
      .offset(SCAN_ROWS_MAX - 1)
      .limit(1);
    if (!last) return { events, stoppedAt: null };
    // An event that came between the two statements moved the last row towards the newest.
    const found = toCursor(events.at(-1));
    return { events, stoppedAt: found && !isAscending && isOlder(found, last) ? found : last };
  });
}

function isOlder(a: FeedCursor, b: FeedCursor): boolean {
  const difference = a.date.getTime() - b.date.getTime();
  return difference < 0 || (difference === 0 && a.id < b.id);
}

function toCursor(event: FeedEvent | undefined): FeedCursor | null {
  return event ? { date: event.date, id: event.id } : null;
}
