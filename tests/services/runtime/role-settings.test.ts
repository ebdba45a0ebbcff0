import { expect, test } from "vitest";
import type { DatabaseAddress } from "../../../app/db/client";
import { migrateDatabase } from "../../../app/db/migrations";
import { database, other } from "../../support/test-database";

test("a role that takes no writes is refused in a sentence, also where nothing is to migrate", async () => {
  const role = `${database.database}_reader`;
  await other.unsafe(`create role ${role} login superuser password 'one'`);
  await other.unsafe(`alter role ${role} set default_transaction_read_only = on`);
  const address = { ...database, username: role, password: "one" } as DatabaseAddress;
  await expect(migrateDatabase(address)).rejects.toThrow(
    "PostgreSQL at DATABASE_URL takes no writes: it is a replica, or default_transaction_read_only is on",
  );
  await other.unsafe(`drop role ${role}`);
});
