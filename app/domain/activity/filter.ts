import type { Address } from "../address";

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

/** Checks whether a text is a day of the calendar, as `2026-11-01`. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  // PostgreSQL has no year 0.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= "0001";
}
