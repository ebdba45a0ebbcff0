import { z } from "zod";
import { type ActivityFilter, isDay, type SourceChoice } from "../../../domain/activity/filter";
import { findPastedAddress } from "../../../domain/address";
import { type Cursor, parseCursor } from "../../../domain/cursor";
import { isTriggerKey } from "../../../domain/point-systems/trigger-key";
import { parseUuid } from "../../../domain/uuid";

/** The choices that are no trigger. None can be a trigger's key: keys have no hyphen. */
export const SOURCES = {
  "manual-grants": { label: "Manual grants", choice: { key: null } },
  "from-imports": { label: "Imports", choice: { only: "imports" } },
  "voided-events": { label: "Voided events", choice: { only: "voided" } },
} as const satisfies Record<string, { label: string; choice: SourceChoice }>;

/** Makes the schema of a filter field; an empty field filters nothing. */
const optional = <Output>(parse: (text: string) => Output | null, problem: string) =>
  z
    .string()
    .trim()
    .transform((text, context): Output | null => {
      if (text === "") return null;
      const value = parse(text);
      if (value === null) context.addIssue({ code: "custom", message: problem });
      return value;
    });

const DayInput = optional((text) => (isDay(text) ? text : null), "Enter a date such as 2026-11-01");

const ActivityQuery = z
  .object({
    wallet: optional(findPastedAddress, "Enter an address: 0x and 40 hexadecimal digits"),
    trigger: optional(readTrigger, "Choose a trigger"),
    from: DayInput,
    to: DayInput,
  })
  .refine(({ from, to }) => from === null || to === null || from <= to, {
    path: ["to"],
    message: "Enter a date on or after the start date",
  });

type FilterField = keyof z.input<typeof ActivityQuery>;
export type FilterFields<Value> = Readonly<Record<FilterField, Value>>;

const FIELDS: readonly FilterField[] = ["wallet", "trigger", "from", "to"];

/** The part of the feed that a page's address asks for. */
export interface ActivityRequest {
  readonly values: FilterFields<string>;
  /** Null when a field is invalid. */
  readonly filter: ActivityFilter | null;
  readonly problems: Partial<FilterFields<string>>;
  readonly cursor: Cursor | null;
}

/** Reads the filter, and the place in the list, from a page's address. */
export function readActivityQuery(request: Request): ActivityRequest {
  const query = new URL(request.url).searchParams;
  const given = Object.fromEntries(
    FIELDS.map((name) => [name, (query.get(name) ?? "").slice(0, 200)]),
  ) as FilterFields<string>;
  // A date field shows a valid day or nothing.
  const from = isDay(given.from) ? given.from : "";
  const values = { ...given, from, to: isDay(given.to) ? given.to : "" };
  const cursor = readCursor(query);
  const result = ActivityQuery.safeParse(given);
  if (!result.success) {
    const problems: Partial<Record<FilterField, string>> = {};
    for (const { path, message } of result.error.issues) {
      problems[path[0] as FilterField] ??= message;
    }
    return { values, filter: null, problems, cursor };
  }
  const { wallet, trigger } = result.data;
  return {
    values,
    filter: {
      address: wallet,
      trigger,
      firstDay: result.data.from,
      lastDay: result.data.to,
    },
    problems: {},
    cursor,
  };
}

/** Reads the trigger of a filter. Any key is accepted, since a deleted trigger keeps its events. */
function readTrigger(text: string): SourceChoice | null {
  if (Object.hasOwn(SOURCES, text)) return SOURCES[text as keyof typeof SOURCES].choice;
  return isTriggerKey(text) ? { key: text } : null;
}

/**
 * Reads the place in the feed. A cursor comes from a link of the page; an invalid one counts as
 * none.
 */
function readCursor(query: URLSearchParams): Cursor | null {
  const read = (name: string, side: Cursor["side"]) =>
    parseCursor(query.get(name) ?? "", side, parseUuid);
  return read("after", "newer") ?? read("before", "older");
}
