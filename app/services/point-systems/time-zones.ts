import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { Failure } from "../../domain/failure";

/**
 * Checks that the database knows a time zone.
 * @param field the field of the form that has it
 * @throws {Failure} `invalid_field`
 */
export async function checkTimeZone(
  tx: Transaction,
  timeZone: string,
  field: string,
): Promise<void> {
  const [known] = await tx.execute(sql`
    select from pg_timezone_names where name = ${timeZone} limit 1`);
  if (!known) throw new Failure("invalid_field", { field, name: field });
}
