import type { Address } from "../address";
import { parseUuid } from "../uuid";

/** Of which trigger events are wanted: a key, or null for manual grants. */
export interface TriggerChoice {
  readonly key: string | null;
}

/** Which of a point system's events are wanted; null where it does not matter. */
export interface ActivityFilter {
  readonly address: Address | null;
  readonly trigger: TriggerChoice | null;
  /** The first and the last day, in UTC, as `2026-11-01`; both count. */
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** A place in the feed: that of an event. */
export interface FeedCursor {
  readonly date: Date;
  readonly id: string;
}

const CURSOR_PATTERN = /^([0-9]{1,15})\.([0-9a-f-]{36})$/;

/** A cursor as an address bar has it. */
export function formatFeedCursor({ date, id }: FeedCursor): string {
  return `${date.getTime()}.${id}`;
}

/** Reads a cursor. Null when it is none. */
export function parseFeedCursor(text: string): FeedCursor | null {
  const [, time, id = ""] = CURSOR_PATTERN.exec(text) ?? [];
  const date = new Date(Number(time));
  // Years of five digits are written in another way, which PostgreSQL does not read.
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999) return null;
  return parseUuid(id) ? { date, id } : null;
}

/** Whether a text is a day of the calendar, as `2026-11-01`. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  // The year 0 is none for PostgreSQL.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= "0001";
}
