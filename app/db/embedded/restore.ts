import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { getRestoreCommand } from "./archive";
import { type BaseBackup, getLogFolder, listBaseBackups, setArchiveTimeout } from "./backup";
import { type EmbeddedCluster, holdEmbeddedCluster } from "./cluster";
import { isHeld } from "./holders";
import { copyLedgerArchives } from "./ledger-archives";
import {
  type ClusterLocation,
  canTraverse,
  getRestoreMark,
  isClusterCreated,
  locateCluster,
  recordLocation,
  recordName,
} from "./location";
import { stopPostmaster } from "./postmaster";

export interface RestoreOptions {
  /** the data dir, which must have no cluster yet, or what an interrupted restore left */
  readonly dataDir: string;
  readonly folder: string;
  /** the moment to restore; the last one of the log by default */
  readonly at: Date | undefined;
  readonly log: (message: string) => void;
}

const draftPrefix = "pg.restore-";

/** Chooses the newest base backup from which a moment can be reached. */
function chooseBackup(folder: string, at: Date | undefined): BaseBackup {
  const backups = listBaseBackups(folder);
  const [oldest] = backups;
  if (!oldest) throw new Error(`There is no complete backup in ${folder}.`);
  const chosen = backups.findLast(({ endedAt }) => !at || new Date(endedAt) <= at);
  if (chosen) return chosen;
  throw new Error(`The oldest moment in ${folder} is ${oldest.endedAt}.`);
}

/** @throws {Error} when PostgreSQL's user, which is not root, cannot read the log */
function refuseUnreadableLog(logFolder: string, { user }: ClusterLocation): void {
  if (!user) return;
  const isReadable = (file: string) => {
    const { uid, mode } = statSync(file);
    return (mode & (uid === user.uid ? 0o400 : 0o004)) !== 0;
  };
  const files = readdirSync(logFolder).map((name) => join(logFolder, name));
  if (canTraverse(logFolder, user) && files.every(isReadable)) return;
  throw new Error(
    `PostgreSQL, which does not run as root, cannot read ${logFolder}. Run chown -R ${user.uid}:${user.gid} ${logFolder}, and let all users pass through the folders above it.`,
  );
}

/** Puts the copy of the data in its place, all of it or nothing. */
function placeCopy(source: string, location: ClusterLocation): void {
  const { rootDir, clusterDir, user } = location;
  // A restore that was killed has left its copy.
  for (const name of readdirSync(rootDir).filter((each) => each.startsWith(draftPrefix))) {
    rmSync(join(rootDir, name), { recursive: true, force: true });
  }
  const draft = mkdtempSync(join(rootDir, draftPrefix));
  try {
    cpSync(source, draft, { recursive: true });
    writeFileSync(join(draft, "recovery.signal"), "");
    writeFileSync(getRestoreMark({ ...location, clusterDir: draft }), "");
    chmodSync(draft, 0o700);
    if (user) {
      chownSync(draft, user.uid, user.gid);
      for (const name of readdirSync(draft, { recursive: true, encoding: "utf8" })) {
        lchownSync(join(draft, name), user.uid, user.gid);
      }
    }
    renameSync(draft, clusterDir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes a copy that did not become a database. */
function removeCopy({ clusterDir, dataDir }: ClusterLocation): void {
  rmSync(join(dataDir, recordName), { force: true });
  rmSync(clusterDir, { recursive: true, force: true });
}

/** @throws {Error} when the data dir has a database, or another process restores one there */
async function removeInterrupted(dataDir: string, log: RestoreOptions["log"]): Promise<void> {
  if (!isClusterCreated(dataDir)) return;
  const location = locateCluster(dataDir, log);
  if (!existsSync(getRestoreMark(location)) || isHeld(location)) {
    throw new Error(`${dataDir} has a database already. Set DATA_DIR to an empty folder.`);
  }
  log("An earlier restore was interrupted: it begins again");
  await stopPostmaster(location, log);
  removeCopy(location);
}

/**
 * Restores the embedded cluster of a data dir from a backup, as it was at a moment: it has every change that was
 * committed until then, and none that was committed later.
 * @returns the hold on the restored cluster
 * @throws {Error} with a message for people; the data dir then has no cluster, as before
 */
export async function restoreCluster(options: RestoreOptions): Promise<EmbeddedCluster> {
  const { dataDir, at, log } = options;
  const folder = resolve(options.folder);
  await removeInterrupted(dataDir, log);
  const backup = chooseBackup(folder, at);
  const location = locateCluster(dataDir, log);
  const logFolder = getLogFolder(folder);
  refuseUnreadableLog(logFolder, location);
  log(`Restoring ${backup.name}`);
  placeCopy(join(folder, backup.name, "data"), location);
  let cluster: EmbeddedCluster | undefined;
  try {
    cluster = await holdEmbeddedCluster({
      dataDir,
      settings: {
        restore_command: getRestoreCommand(logFolder),
        recovery_target_action: "promote",
        // Without T and Z, which PostgreSQL cannot read that early.
        ...(at && { recovery_target_time: at.toISOString().replace("T", " ").replace("Z", "+00") }),
        // Ready only when it is restored.
        hot_standby: "off",
      },
      log,
    });
    recordLocation(location);
    await setArchiveTimeout(cluster, null);
    await copyLedgerArchives(folder, dataDir);
    rmSync(getRestoreMark(location));
    return cluster;
  } catch (error) {
    // A folder is not removed while PostgreSQL runs in it.
    await cluster?.release();
    removeCopy(location);
    const { message } = error as Error;
    if (!message.includes("recovery ended before configured recovery target")) throw error;
    throw new Error(`The log in ${folder} ends before ${at?.toISOString()}.`, { cause: error });
  }
}
