import type { Address } from "../address";
import { parseUuid } from "../uuid";

/** The trigger whose events are wanted: its key, or null for manual grants. */
export interface TriggerChoice {
  readonly key: string | null;
}

/** A filter of a point system's events; a field that is null filters nothing. */
export interface ActivityFilter {
  readonly address: Address | null;
  readonly trigger: TriggerChoice | null;
  /** The first and the last day, in UTC, as `2026-11-01`; both are included. */
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** A place in the feed: the date and the id of an event. */
export interface FeedCursor {
  readonly date: Date;
  readonly id: string;
}

const CURSOR_PATTERN = /^([0-9]{1,15})\.([0-9a-f-]{36})$/;

/** Writes a cursor for a page's address. */
export function formatFeedCursor({ date, id }: FeedCursor): string {
  return `${date.getTime()}.${id}`;
}

/** Reads a cursor. Returns null when the text is not one. */
export function parseFeedCursor(text: string): FeedCursor | null {
  const [, time, id = ""] = CURSOR_PATTERN.exec(text) ?? [];
  const date = new Date(Number(time));
  // Years of five digits are written in another form, which PostgreSQL does not read.
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999) return null;
  return parseUuid(id) ? { date, id } : null;
}

/** Checks whether a text is a day of the calendar, as `2026-11-01`. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  // PostgreSQL has no year 0.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= "0001";
}
