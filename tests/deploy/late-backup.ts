import fs from "node:fs/promises";
import path from "node:path";
import type { Sql } from "postgres";
import { expect } from "vitest";
import { createDataDir, runCommand } from "../support/server-process";

const DAYS_MS = 24 * 3_600_000;

/**
 * Backs a running service up, lets the backup become two days old, and closes its folder to PostgreSQL.
 * @param sql is of the superuser
 * @returns opens the folder, and backs the service up again
 */
export async function backUpLate(dataDir: string, sql: Sql): Promise<() => Promise<void>> {
  const folder = await createDataDir({ isEmpty: true });
  const backUp = () => runCommand(["backup", folder], { DATA_DIR: dataDir });
  await backUp();
  const note = path.join(dataDir, "pg-backup");
  const endedAt = Date.parse((await fs.readFile(note, "utf8")).trim());
  await fs.writeFile(note, new Date(endedAt - 2 * DAYS_MS).toISOString());
  const log = path.join(folder, "wal");
  await fs.chmod(log, 0o500);
  await sql`select pg_logical_emit_message(true, 'test', 'fills the segment')`;
  await sql`select pg_switch_wal()`;
  // A base backup needs the log: it is not made, and the last one stays as old as it is.
  await expect(backUp()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The log of PostgreSQL does not reach"),
  });
  return async () => {
    await fs.chmod(log, 0o700);
    await backUp();
    await runCommand(["backup", "--off"], { DATA_DIR: dataDir });
    await fs.rm(folder, { recursive: true, force: true });
  };
}
