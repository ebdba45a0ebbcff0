import { parseIsoMoment } from "../iso-moment";
import { isStorableText } from "../storable-text";

/** The most bytes of an event's metadata, as JSON text. */
const METADATA_BYTES_MAX = 2 * 1024;
/** The days before now that a credit may be said to have happened. */
const OCCURRED_DAYS_MAX = 30;
/** How far a caller's clock may be ahead of this one. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Writes the data that a caller adds to an event as JSON.
 * @param value a flat object of texts, numbers, booleans and nulls
 * @returns null when it is none, longer than 2 KiB, or has what PostgreSQL cannot hold
 */
export function formatMetadata(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const isStorable = Object.entries(value).every(
    ([name, each]) => isStorableText(name) && isStorableValue(each),
  );
  if (!isStorable) return null;
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) <= METADATA_BYTES_MAX ? text : null;
}

function isStorableValue(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  // A number beyond the greatest would be written as null.
  return value === null || typeof value === "boolean" || Number.isFinite(value);
}

/**
 * Reads the time at which a credit happened: ISO 8601 with an offset, at most 30 days back.
 * @returns null when it is none of these
 */
export function parseOccurredAt(value: unknown, now = new Date()): Date | null {
  // A date alone is no moment at which a credit happened.
  if (typeof value !== "string" || !value.includes("T")) return null;
  const moment = parseIsoMoment(value);
  if (!moment) return null;
  const ageMs = now.getTime() - moment.getTime();
  return ageMs >= -CLOCK_SKEW_MS && ageMs <= OCCURRED_DAYS_MAX * 86_400_000 ? moment : null;
}
