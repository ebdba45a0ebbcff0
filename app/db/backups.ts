import { processState } from "../process/state";
import { findBaseBackupTime } from "./embedded/archive";
import { type BackupOptions, type BaseBackup, backUpCluster, endBackups } from "./embedded/backup";
import { backUpLedgerArchives } from "./embedded/ledger-archives";
import { isClusterCreated, locateCluster } from "./embedded/location";
import { type RestoreOptions, restoreCluster } from "./embedded/restore";

interface DatabaseSettings {
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}

/** @throws {Error} when the database is not the embedded one */
function refuseExternal({ DATABASE_URL }: DatabaseSettings): void {
  if (DATABASE_URL === undefined) return;
  throw new Error(
    "DATABASE_URL names a PostgreSQL of your own. Use its tools: docs/operating.md#backup has the commands.",
  );
}

/**
 * Backs the embedded database up while it runs.
 * @throws {Error} with a message for people
 */
export async function backUpDatabase(
  env: DatabaseSettings,
  options: Omit<BackupOptions, "dataDir">,
): Promise<BaseBackup> {
  refuseExternal(env);
  return backUpCluster({ ...options, dataDir: env.DATA_DIR });
}

/**
 * Copies the files of archived events in the data dir to where the embedded database is backed up, if it is.
 * @throws {Error} when they cannot be written there
 */
export async function backUpArchivedEvents(env: DatabaseSettings): Promise<void> {
  if (env.DATABASE_URL === undefined) await backUpLedgerArchives(env.DATA_DIR);
}

/** Ends the copying of the embedded database's log. */
export async function endDatabaseBackups(env: DatabaseSettings): Promise<string | null> {
  refuseExternal(env);
  return endBackups(env.DATA_DIR);
}

/**
 * Restores the embedded database from a backup.
 * @returns ends this process's hold on it
 * @throws {Error} with a message for people
 */
export async function restoreDatabase(
  env: DatabaseSettings,
  options: Omit<RestoreOptions, "dataDir">,
): Promise<() => Promise<void>> {
  refuseExternal(env);
  const { release } = await restoreCluster({ ...options, dataDir: env.DATA_DIR });
  return release;
}

const watched = processState<{ dataDir?: string | undefined }>("watched backups", () => ({}));

/** Has `readBackupAge` look at the backups of the database that the environment names. */
export function watchBackups({ DATABASE_URL, DATA_DIR }: DatabaseSettings): void {
  watched.dataDir = DATABASE_URL === undefined ? DATA_DIR : undefined;
}

/**
 * Reads the seconds since the last complete base backup of the embedded database.
 * @returns null while it is not backed up, and for a database of a URL
 */
export function readBackupAge(): number | null {
  const { dataDir } = watched;
  if (dataDir === undefined || !isClusterCreated(dataDir)) return null;
  const time = findBaseBackupTime(locateCluster(dataDir, () => {}));
  return time && Math.max(0, (Date.now() - time.getTime()) / 1_000);
}
