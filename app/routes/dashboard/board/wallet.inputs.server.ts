import { z } from "zod";
import { type Address, parseAddress } from "../../../domain/address";
import { type Cursor, parseCursor } from "../../../domain/cursor";
import { Failure } from "../../../domain/failure";
import { CREDIT_POINTS_MAX } from "../../../domain/ledger/points";
import { parseUuid, requireUuid } from "../../../domain/uuid";

/** Whole points of one credit. */
export const PointsInput = z
  .string()
  .trim()
  .regex(/^[0-9]{1,10}$/, "Enter a whole number, 1 to 1,000,000,000")
  .transform(Number)
  .refine(
    (points) => points >= 1 && points <= CREDIT_POINTS_MAX,
    "Enter a whole number, 1 to 1,000,000,000",
  );

/** A line of text that operators leave for each other, or empty. */
export const NoteInput = z
  .string()
  .trim()
  .max(500, "Use at most 500 characters")
  .regex(/^\P{Cc}*$/u, "Use one line of text")
  .transform((note) => note || null);

/** The text of a note on a wallet. */
export const WalletNoteInput = z
  .string()
  .trim()
  .transform((text) => text.replaceAll("\r\n", "\n"))
  .pipe(
    z
      .string()
      .min(1, "Enter a note")
      .max(500, "Use at most 500 characters")
      .regex(/^(\P{Cc}|\n)*$/u, "Use plain text"),
  );

/**
 * Returns the address of the wallet in a page's path.
 * @throws {Failure} `not_found`
 */
export function getWalletAddress({
  address = "",
}: Readonly<Record<string, string | undefined>>): Address {
  const parsed = parseAddress(address);
  if (!parsed) throw new Failure("not_found");
  return parsed;
}

/**
 * Reads the place to which a link leads in a list without numbered pages: the query's `older` or
 * `newer`.
 */
export function readCursor(
  request: Request,
  parseId: (text: string) => string | null,
): Cursor | null {
  const query = new URL(request.url).searchParams;
  const [older, newer] = [query.get("older"), query.get("newer")];
  if (older !== null) return parseCursor(older, "older", parseId);
  return newer === null ? null : parseCursor(newer, "newer", parseId);
}

/** An event's place as `formatCursor` writes it. */
export const EventPlaceInput = z.string().transform((text) => {
  const place = parseCursor(text, "older", parseUuid);
  if (!place) throw new Failure("not_found");
  return place;
});

/** The spend that is given back. */
export const ReversalInputs = z.object({
  spend: z.string().transform((text) => requireUuid(text, "spend_not_found")),
  note: NoteInput,
});
