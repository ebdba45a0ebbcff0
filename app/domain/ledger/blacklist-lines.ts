import { type Address, parseAddress } from "../address";
import { describeAddressDoubt } from "../address-doubt";

/** The most lines that are taken at once. */
export const BLACKLIST_LINES_MAX = 10_000;
/** The columns of the exported blacklist, in the order of its file. */
export const BLACKLIST_COLUMNS = ["address", "reason", "date", "points"] as const;
const REASON_LENGTH_MAX = 500;

/** A line that is not an address with an optional reason, and its problem. */
export interface BadLine {
  /** The line's number, from 1. */
  readonly number: number;
  readonly text: string;
  readonly problem: string;
}

const ADDRESS_LENGTH = 42;

/** The date and the points at the end of a line of the exported blacklist. */
const EXPORTED_END = /,\d{4}-[^,]*Z,\d*$/;

/**
 * Reads a pasted list: an address a line, with an optional reason after it. Of the exported blacklist, the header, the
 * dates and the points are left out.
 * @returns each address once, with the reason of its first line; the number of lines that repeat an
 *   address; and the lines that are wrong
 */
export function parseBlacklistLines(text: string): {
  entries: { address: Address; reason: string | null }[];
  duplicates: number;
  /** The lines with an address that a checksum proves wrong, or that nobody owns. */
  doubtful: number[];
  bad: BadLine[];
} {
  const reasons = new Map<Address, string | null>();
  const bad: BadLine[] = [];
  const doubtful: number[] = [];
  let duplicates = 0;
  const lines = text.split(/\r\n|\r|\n/);
  const isExport = lines[0]?.trim() === BLACKLIST_COLUMNS.join();
  for (const [i, untrimmed] of lines.entries()) {
    const line = untrimmed.trim();
    if (line === "" || (isExport && i === 0)) continue;
    const { address, typed, rest } = splitLine(isExport ? line.replace(EXPORTED_END, "") : line);
    const reason = unquote(rest).replaceAll("\t", " ");
    if (!address) {
      bad.push({ number: i + 1, text: line, problem: "does not begin with an address" });
    } else if (reason.length > REASON_LENGTH_MAX) {
      const problem = `has a reason of more than ${REASON_LENGTH_MAX} characters`;
      bad.push({ number: i + 1, text: line, problem });
    } else if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(reason)) {
      bad.push({ number: i + 1, text: line, problem: "has a control character" });
    } else if (reasons.has(address)) {
      duplicates += 1;
    } else {
      reasons.set(address, reason || null);
      if (describeAddressDoubt(typed)) doubtful.push(i + 1);
    }
  }
  return {
    entries: [...reasons].map(([address, reason]) => ({ address, reason })),
    duplicates,
    doubtful,
    bad,
  };
}

/**
 * Splits a line into its address, with or without quotes, and what follows a comma, a semicolon or a
 * space. The cost grows with the line's length only.
 */
function splitLine(line: string): { address: Address | null; typed: string; rest: string } {
  const start = line.startsWith('"') ? 1 : 0;
  const end = start + ADDRESS_LENGTH;
  const typed = line.slice(start, end);
  const address = parseAddress(typed);
  const after = line.slice(line[end] === '"' ? end + 1 : end);
  const rest = after.trim();
  if (rest.startsWith(",") || rest.startsWith(";")) {
    return { address, typed, rest: rest.slice(1).trim() };
  }
  const isApart = rest === "" || rest.length < after.length;
  return { address: isApart ? address : null, typed, rest };
}

/** Removes the quotes that a spreadsheet writes around a text with a comma. */
function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replaceAll('""', '"')
    : text;
}
