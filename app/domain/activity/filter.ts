import type { Address } from "../address";

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

/** Whether a text is a day of the calendar, as `2026-11-01`. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  // The year 0 is none for PostgreSQL.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= "0001";
}
