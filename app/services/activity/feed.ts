import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { pointEvents } from "../../db/schema/ledger";
import type { ActivityFilter, SourceChoice } from "../../domain/activity/filter";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";
import { type AppliedBoost, toAppliedBoost } from "../../domain/point-systems/boost";
import type { Member } from "../access/members";
import { isOlder, type Place, SCAN_ROWS_MAX, startAt } from "../runtime/keyset";
import { listedEvents } from "./listed-events";

/** An event as the dashboard shows it: voided events are included, corrections are not. */
export interface FeedEvent {
  readonly id: string;
  readonly date: Date;
  readonly address: Address;
  readonly event: string | null;
  readonly points: number;
  /** The boost that made the points. */
  readonly boost: AppliedBoost | null;
  /** The wallet's total after this event. */
  readonly balance: number;
  readonly note: string | null;
  readonly importId: string | null;
  readonly isVoided: boolean;
  /** Whether it moved the wallet's points to a primary wallet. It counts as voided too: both leave the sum as it is. */
  readonly isMove: boolean;
  /** The time that the caller gave. */
  readonly occurredAt: Date | null;
  /** The data that the caller added, as JSON: an object on its way to a browser loses a field `__proto__`. */
  readonly metadata: string | null;
}

/** A page of the feed, newest first. */
export interface FeedPage {
  readonly events: FeedEvent[];
  /** The position before which there are newer events. */
  readonly newerThan: Cursor | null;
  /** The position after which there are older events, or rows that the search has not reached. */
  readonly olderThan: Cursor | null;
  /** The side on which the search stopped before the page was full and before the feed ended. */
  readonly cutShortAt: "older" | "newer" | null;
}

export const FEED_PAGE_SIZE = 50;

/** Events in one statement of an export: some hundred kilobytes. */
const EXPORT_BATCH_EVENTS = 2_000;
const DAY_MS = 86_400_000;

/**
 * Lists a page of a point system's events that match a filter.
 * @param cursor null for the newest page
 */
export async function listFeed(
  member: Member,
  filter: ActivityFilter,
  cursor: Cursor | null,
): Promise<FeedPage> {
  const { events, stoppedAt } = await scan(member, filter, cursor, FEED_PAGE_SIZE + 1);
  const hasMore = events.length > FEED_PAGE_SIZE;
  const shown = events.slice(0, FEED_PAGE_SIZE);
  if (cursor?.side === "newer") {
    // The newest page is always a full page, wherever the reader came from.
    if (!hasMore && !stoppedAt) return listFeed(member, filter, null);
    shown.reverse();
    return {
      events: shown,
      newerThan: toCursor("newer", hasMore ? shown[0] : stoppedAt),
      olderThan: toCursor("older", shown.at(-1) ?? stoppedAt),
      cutShortAt: stoppedAt ? "newer" : null,
    };
  }
  return {
    events: shown,
    newerThan: cursor && toCursor("newer", shown[0] ?? cursor),
    olderThan: toCursor("older", hasMore ? shown.at(-1) : stoppedAt),
    cutShortAt: stoppedAt ? "older" : null,
  };
}

/**
 * Reads every event that matches a filter, newest first, in batches. Each batch is a short
 * statement of its own, so that an export with a slow reader holds neither a connection nor a
 * snapshot.
 */
export async function* exportFeed(
  member: Member,
  filter: ActivityFilter,
): AsyncGenerator<readonly FeedEvent[]> {
  let cursor: Cursor | null = null;
  do {
    const { events, stoppedAt }: ScanResult = await scan(
      member,
      filter,
      cursor,
      EXPORT_BATCH_EVENTS,
    );
    yield events;
    cursor = toCursor("older", events.length === EXPORT_BATCH_EVENTS ? events.at(-1) : stoppedAt);
  } while (cursor);
}

interface ScanResult {
  readonly events: FeedEvent[];
  /** The last row that was scanned, when the bound on rows ended the search. */
  readonly stoppedAt: Place | null;
}

/** Scans the feed until enough events are found or the bound on rows is reached. */
async function scan(
  { pointSystemId }: Member,
  { address, trigger, firstDay, lastDay }: ActivityFilter,
  cursor: Cursor | null,
  eventsMax: number,
): Promise<ScanResult> {
  const { orderBy } = startAt({ date: pointEvents.createdAt, id: pointEvents.id }, cursor);
  const since = firstDay === null ? null : new Date(`${firstDay}T00:00Z`);
  const before = lastDay === null ? null : new Date(Date.parse(`${lastDay}T00:00Z`) + DAY_MS);
  const rowsMax = trigger === null ? eventsMax : SCAN_ROWS_MAX;
  const source = listedEvents({ pointSystemId, address, cursor, rowsMax, since, before });
  return withDatabase(async (db) => {
    const rows = await db
      .select({
        id: pointEvents.id,
        date: pointEvents.createdAt,
        address: pointEvents.address,
        event: pointEvents.event,
        points: pointEvents.points,
        basePoints: pointEvents.basePoints,
        boostFactor: pointEvents.boostFactor,
        balance: pointEvents.balance,
        note: pointEvents.note,
        importId: pointEvents.importId,
        occurredAt: pointEvents.occurredAt,
        metadata: pointEvents.metadata,
        isVoided: isVoided(pointSystemId),
        isMove: sql<boolean>`${pointEvents.movedEvents} is not null`,
      })
      .from(source)
      .where(trigger === null ? undefined : isFrom(trigger, pointSystemId))
      .orderBy(...orderBy)
      .limit(eventsMax);
    const events = rows.map(({ basePoints, boostFactor, metadata, ...event }) => ({
      ...event,
      metadata: metadata && JSON.stringify(metadata),
      boost: toAppliedBoost(basePoints, boostFactor),
    }));
    if (trigger === null || events.length === eventsMax) return { events, stoppedAt: null };
    const [last] = await db
      .select({ date: pointEvents.createdAt, id: pointEvents.id })
      .from(source)
      .orderBy(...orderBy)
      .offset(SCAN_ROWS_MAX - 1)
      .limit(1);
    if (!last) return { events, stoppedAt: null };
    // An event that was inserted between the two statements moved the last row towards the newest.
    const found = events.at(-1);
    const hasPassed = found && cursor?.side !== "newer" && isOlder(found, last);
    return { events, stoppedAt: hasPassed ? found : last };
  });
}

/** Checks whether a correction voids the event. */
const isVoided = (pointSystemId: string) => sql<boolean>`(
  select c.id from point_events c
  where c.point_system_id = ${pointSystemId} and c.voids = point_events.id limit 1
) is not null`;

function isFrom(choice: SourceChoice, pointSystemId: string): SQL | undefined {
  if ("only" in choice) {
    return choice.only === "imports" ? isNotNull(pointEvents.importId) : isVoided(pointSystemId);
  }
  return choice.key === null
    ? and(isNull(pointEvents.event), isNull(pointEvents.importId))
    : eq(pointEvents.event, choice.key);
}

function toCursor(side: Cursor["side"], place: Place | null | undefined): Cursor | null {
  return place ? { side, date: place.date, id: place.id } : null;
}
