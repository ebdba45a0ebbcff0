import type { Address } from "../address";

/** The source of the wanted events: a trigger's key, null for manual grants, imports, or voids. */
export type SourceChoice =
  | { readonly key: string | null }
  | { readonly only: "imports" | "voided" };

/** A filter of a point system's events; a field that is null filters nothing. */
export interface ActivityFilter {
  readonly address: Address | null;
  readonly trigger: SourceChoice | null;
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
