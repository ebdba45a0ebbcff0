import { expect, test } from "vitest";
import { migrateDatabase } from "../../../app/db/migrations";
import type { DatabaseAddress } from "../../../app/db/pool";
import { database, other } from "../../support/test-database";

/** Checks the database as a start does, by a role with a setting. */
async function startAs(setting: string): Promise<void> {
  const role = `${database.database}_reader`;
  await other.unsafe(`create role ${role} login superuser password 'one'`);
  try {
    await other.unsafe(`alter role ${role} set ${setting}`);
    await migrateDatabase({ ...database, username: role, password: "one" } as DatabaseAddress);
  } finally {
    await other.unsafe(`drop role ${role}`);
  }
}

test.each([
  [
    "default_transaction_read_only = on",
    "takes no writes: it is a replica, or default_transaction_read_only is on",
  ],
  ["search_path = nowhere", "looks for tables elsewhere than in the schema public"],
])(
  "a role with %s is refused in a sentence, also where nothing is to migrate",
  async (setting, sentence) => {
    await expect(startAs(setting)).rejects.toThrow(`PostgreSQL at DATABASE_URL ${sentence}`);
  },
);

test("a role whose transactions end before an hour is refused in a sentence, one with more time is not", async ({
  skip,
}) => {
  const name = "transaction_timeout";
  const known = await other`select from pg_settings where name = ${name}`;
  if (known.length === 0) skip("PostgreSQL 17 brought it");
  await expect(startAs(`${name} = '59min'`)).rejects.toThrow("ends transactions that take long");
  await startAs(`${name} = '1h'`);
});
