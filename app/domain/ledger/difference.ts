/** A stored value that differs from the one that the events give. */
export interface LedgerDifference {
  readonly pointSystemId: string;
  /** Null for a difference of the whole point system. */
  readonly address: string | null;
  readonly field: string;
  readonly stored: string | null;
  readonly recomputed: string | null;
}

/** The characters of a long value that a line shows. */
const SHOWN_LENGTH = 60;
/** The characters before the first that differs. */
const LEAD_LENGTH = 20;

/** Shows the part of a value, such as a list of counts, in which it begins to differ from another. */
function shorten(value: string | null, other: string | null): string {
  if (value === null) return "absent";
  if (value.length <= SHOWN_LENGTH) return value;
  const differsAt = [...value].findIndex((character, i) => character !== other?.[i]);
  const start = Math.max(0, differsAt - LEAD_LENGTH);
  const end = start + SHOWN_LENGTH;
  const [before, after] = [start > 0 ? "…" : "", end < value.length ? "…" : ""];
  return before + value.slice(start, end) + after;
}

/** Describes a difference in a line. */
export function describeDifference(difference: LedgerDifference): string {
  const { pointSystemId, address, field, stored, recomputed } = difference;
  const place = address === null ? pointSystemId : `${pointSystemId} ${address}`;
  const [is, should] = [shorten(stored, recomputed), shorten(recomputed, stored)];
  return `${place}: ${field} is ${is}, should be ${should}`;
}
