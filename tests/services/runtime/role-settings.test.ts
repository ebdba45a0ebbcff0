import { expect, test } from "vitest";
import type { DatabaseAddress } from "../../../app/db/client";
import { migrateDatabase } from "../../../app/db/migrations";
import { database, other } from "../../support/test-database";

test.each([
  [
    "default_transaction_read_only = on",
    "takes no writes: it is a replica, or default_transaction_read_only is on",
  ],
  ["search_path = nowhere", "looks for tables elsewhere than in the schema public"],
  ["transaction_timeout = '2s'", "ends transactions that take long, such as an import's"],
])(
  "a role with %s is refused in a sentence, also where nothing is to migrate",
  async (setting, sentence) => {
    const [name] = setting.split(" ");
    const known = await other`select from pg_settings where name = ${name ?? ""}`;
    if (known.length === 0) return; // PostgreSQL 17 brought transaction_timeout.
    const role = `${database.database}_reader`;
    await other.unsafe(`create role ${role} login superuser password 'one'`);
    try {
      await other.unsafe(`alter role ${role} set ${setting}`);
      const address = { ...database, username: role, password: "one" } as DatabaseAddress;
      await expect(migrateDatabase(address)).rejects.toThrow(
        `PostgreSQL at DATABASE_URL ${sentence}`,
      );
    } finally {
      await other.unsafe(`drop role ${role}`);
    }
  },
);
