import { sql } from "drizzle-orm";
import { withDatabase } from "../../app/db/client";
import { withDatabaseOf } from "./server-process";

/** Dumps every row of every table of a data folder's database as text, with bytes in hexadecimal. */
export function dumpDatabase(dataDir: string): Promise<string> {
  return withDatabaseOf(dataDir, () =>
    withDatabase(async (db) => {
      const tables = await db.execute<{ schema: string; name: string }>(sql`
        select table_schema as schema, table_name as name from information_schema.tables
        where table_type = 'BASE TABLE'
          and table_schema not in ('pg_catalog', 'information_schema')`);
      const dump: string[] = [];
      for (const { schema, name } of tables) {
        const rows = await db.execute<{ row: string }>(
          sql`select t::text as row from ${sql.identifier(schema)}.${sql.identifier(name)} t`,
        );
        dump.push(...rows.map(({ row }) => row));
      }
      return dump.join("\n");
    }),
  );
}
