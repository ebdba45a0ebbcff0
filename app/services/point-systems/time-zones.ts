import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { Failure } from "../../domain/failure";

/** Time zones with a summer time that PostgreSQL reads as abbreviations without one. */
const MISREAD = ["CET", "EET", "MET", "WET"];

/** Checks whether the database knows a time zone as JavaScript does. JavaScript has some that it does not. */
export async function isKnownTimeZone(tx: Transaction, timeZone: string): Promise<boolean> {
  if (MISREAD.includes(timeZone)) return false;
  const [known] = await tx.execute(sql`
    select from pg_timezone_names where name = ${timeZone} limit 1`);
  return known !== undefined;
}

/**
 * Refuses a time zone that the database does not know.
 * @param field the field of the form that has it
 * @throws {Failure} `invalid_field`
 */
export async function checkTimeZone(
  tx: Transaction,
  timeZone: string,
  field: string,
): Promise<void> {
  if (!(await isKnownTimeZone(tx, timeZone)))
    throw new Failure("invalid_field", { field, name: field });
}
