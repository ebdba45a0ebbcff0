import { z } from "zod";
import { parseAddress } from "../domain/address";
import { isTimeZone, parseLocalTime } from "../domain/local-time";
import { sanitizeTriggerKey, TRIGGER_KEY_LENGTH_MAX } from "../domain/point-systems/trigger-key";

// Fields that forms of several pages have.

/** A name of one line of text. */
export const TitleInput = z
  .string()
  .trim()
  .min(1, "Enter a name")
  .max(100, "Use at most 100 characters")
  .regex(/^\P{Cc}*$/u, "Use one line of text");

/** A wallet's address, in any letter case. */
export const AddressInput = z.string().transform((text, context) => {
  const address = parseAddress(text.trim());
  if (address) return address;
  context.addIssue("Enter an address: 0x and 40 hexadecimal digits");
  return z.NEVER;
});

/** The key of a trigger or a streak, made from the typed text by the same rule as in the form. */
export const KeyInput = z
  .string()
  .max(1_000, "This is too long")
  .transform(sanitizeTriggerKey)
  .refine((key) => key !== "", "Enter a key with at least one letter a to z or digit")
  .refine(
    (key) => key.length <= TRIGGER_KEY_LENGTH_MAX,
    `Use a key of at most ${TRIGGER_KEY_LENGTH_MAX} characters`,
  );

/** A time zone by its IANA name. */
export const TimeZoneInput = z.string().max(64).refine(isTimeZone, "Choose a time zone");

/** The text of a time on the clocks of a time zone: see `checkLocalTime`. */
export const LocalTimeInput = z.string().trim().max(40, "Enter a date and a time");

/**
 * Reads the text of a local time, and adds a problem to its field when it is none or the clocks skip it.
 * @returns null when there is a problem
 */
export function checkLocalTime(
  field: string,
  text: string,
  timeZone: string,
  context: z.RefinementCtx,
): Date | null {
  const moment = parseLocalTime(text, timeZone);
  if (moment instanceof Date) return moment;
  const message =
    moment === "skipped"
      ? `Clocks in ${timeZone} skip this time when they go forward. Choose another time`
      : "Enter a date and a time";
  context.addIssue({ code: "custom", path: [field], message });
  return null;
}
