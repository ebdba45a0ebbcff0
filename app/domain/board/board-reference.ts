import { Failure } from "../failure";
import { isSlug } from "../point-systems/slug";
import type { BoardKind } from "./board-kind";

/** The board that a call names, beside the all-time board. */
export interface BoardReference {
  /** A season's slug, or a colon and the kind of a board that repeats. */
  readonly key: string;
  /** The window of a board that repeats; null for the present one. */
  readonly label: string | null;
}

const DAY_MS = 86_400_000;

/** Returns the key by which a board is found. */
export function toBoardKey(kind: BoardKind, slug: string | null): string {
  return slug ?? `:${kind}`;
}

/** Returns a board's name in calls, as in `board=weekly` or `board=season:spring`. */
export function toBoardName(kind: BoardKind, slug: string | null): string {
  return kind === "season" ? `season:${slug}` : kind;
}

/**
 * Reads the parameter `board`.
 * @param text `all-time`, `daily`, `weekly`, `monthly`, one of these with a window as `weekly:2026-W47`, or `season:SLUG`
 * @returns `all-time`, or the named board; null for malformed text
 */
export function parseBoardReference(text: string): BoardReference | "all-time" | null {
  if (text === "all-time") return text;
  const colon = text.indexOf(":");
  const kind = colon < 0 ? text : text.slice(0, colon);
  const label = colon < 0 ? null : text.slice(colon + 1);
  if (kind === "season") {
    return label !== null && isSlug(label) ? { key: label, label: null } : null;
  }
  if (kind !== "daily" && kind !== "weekly" && kind !== "monthly") return null;
  return label === null || IS_LABEL[kind](label) ? { key: `:${kind}`, label } : null;
}

/**
 * Reads the name of a board as a path has it, without a window.
 * @throws {Failure} `not_found` for the all-time board, a window or malformed text
 */
export function readBoardKey(name = ""): string {
  const reference = parseBoardReference(name);
  if (reference === null || reference === "all-time" || reference.label !== null) {
    throw new Failure("not_found");
  }
  return reference.key;
}

/** Checks whether a text names a window of each kind of board. */
const IS_LABEL: Record<Exclude<BoardKind, "season">, (label: string) => boolean> = {
  daily: (label) => /^\d{4}-\d{2}-\d{2}$/.test(label) && isDate(label),
  weekly: (label) => {
    const [, year, week] = /^(\d{4})-W(\d{2})$/.exec(label) ?? [];
    return year !== undefined && Number(week) >= 1 && Number(week) <= countWeeks(Number(year));
  },
  monthly: (label) => /^\d{4}-\d{2}$/.test(label) && isDate(`${label}-01`),
};

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns the number of ISO weeks of a year: 28 December is always in the last one. */
function countWeeks(year: number): number {
  const last = Date.UTC(year, 11, 28);
  const thursday = last - (((new Date(last).getUTCDay() + 6) % 7) - 3) * DAY_MS;
  const first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
  return Math.floor((thursday - first) / (7 * DAY_MS)) + 1;
}
