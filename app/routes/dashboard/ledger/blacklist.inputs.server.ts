import { z } from "zod";
import type { FormProblems } from "../../../components/form/problems";
import { BLACKLIST_LINES_MAX, parseBlacklistLines } from "../../../domain/ledger/blacklist-lines";
import type { BlacklistAddition } from "../../../services/ledger/blacklist";
import { AddressInput } from "../../shared.inputs.server";
import { NoteInput } from "../board/wallet.inputs.server";

/**
 * The longest form that is read, in bytes: 10,000 lines as a browser encodes them, most of them
 * with a reason in any script.
 */
export const BLACKLIST_FORM_BYTES_MAX = 4 * 1024 * 1024;

/** The most problems that are listed one by one. */
const PROBLEMS_TOLD_MAX = 5;

type Lines = ReturnType<typeof parseBlacklistLines>;

/** A pasted list of addresses. */
export const BlacklistInputs = z.object({
  lines: z
    .string()
    .refine((text) => text.trim() !== "", "Paste at least one address")
    .refine(
      (text) => text.split(/\r\n|\r|\n/).length <= BLACKLIST_LINES_MAX,
      `Paste at most ${BLACKLIST_LINES_MAX.toLocaleString("en")} lines at once`,
    )
    .transform(parseBlacklistLines),
  reason: NoteInput,
});

/** The rows that the operator selected. */
export const BlacklistSelection = z.object({
  addresses: z.array(AddressInput).min(1, "Select at least one address").max(100),
});

/** Returns the addresses of a pasted list. The common reason applies where a line has none. */
export function toAdditions({ entries }: Lines, reason: string | null): BlacklistAddition[] {
  return entries.map((entry) => ({ ...entry, reason: entry.reason ?? reason }));
}

/** Describes the result of a pasted list, in a sentence. */
export function describeAddition({ entries, duplicates, doubtful }: Lines, added: number): string {
  const present = entries.length - added;
  const repeated = duplicates.toLocaleString("en");
  return [
    `${countAddresses(added)} added to the blacklist.`,
    present > 0 && `${countAddresses(present)} there already.`,
    duplicates > 0 && `${repeated} ${duplicates === 1 ? "line repeats" : "lines repeat"} another.`,
    doubtful.length === 1 && `Look at line ${doubtful[0]}: its address may be mistyped.`,
    doubtful.length > 1 &&
      `Look at ${doubtful.length.toLocaleString("en")} lines, from line ${doubtful[0]} on: their addresses may be mistyped.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Writes a number of addresses, with its verb. */
export function countAddresses(count: number): string {
  return count === 1 ? "1 address is" : `${count.toLocaleString("en")} addresses are`;
}

/** Returns the lines that were not understood, for the form to show again. */
export function toRemainder(
  { bad }: Lines,
  reason: string | null,
  summary: string,
): { problems: FormProblems } {
  const told = bad.slice(0, PROBLEMS_TOLD_MAX).map(({ problem }, i) => `Line ${i + 1} ${problem}.`);
  const more = bad.length - told.length;
  const count = bad.length.toLocaleString("en");
  const left =
    bad.length === 1
      ? "1 line was not understood and is"
      : `${count} lines were not understood and are`;
  const problems: FormProblems = {
    intent: "add",
    form: `${summary} ${left} left below.`,
    fields: { lines: [...told, ...(more > 0 ? [`${more} more.`] : [])].join(" ") },
    values: { lines: bad.map(({ text }) => text).join("\n"), reason: reason ?? "" },
    lists: {},
  };
  return { problems };
}
