import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { makeDir } from "../../process/make-dir.mjs";
import { archiveSettings, endArchive, findArchives, noteBaseBackup, setArchives } from "./archive";
import { type EmbeddedCluster, holdEmbeddedCluster } from "./cluster";
import { copyDurably } from "./copy-durably";
import { copyLedgerArchives } from "./ledger-archives";
import {
  type ClusterLocation,
  canTraverse,
  isClusterCreated,
  locateCluster,
  resolveLinks,
} from "./location";
import { isAlive } from "./processes";

/** A copy of the data, and what is needed of the log to make it whole. */
export interface BaseBackup {
  /** the folder in the backup's folder */
  readonly name: string;
  /** the first moment that can be restored from it, as ISO 8601 */
  readonly endedAt: string;
  /** the first segment of the log that it needs */
  readonly firstSegment: string;
  /** the number that PostgreSQL gave the cluster when it was made */
  readonly systemId: string;
  /** the number that each restored cluster raises */
  readonly timeline: number;
}

export interface BackupOptions {
  readonly dataDir: string;
  /** the folder that receives the backup, created if missing */
  readonly folder: string;
  /** the number of base backups that are kept; all by default */
  readonly keep: number | undefined;
  readonly log: (message: string) => void;
}

const backupFileName = "backup.json";
const basePrefix = "base-";
/** The beginning of the name of a folder that a backup fills; its process follows. */
const draftPrefix = "draft-";
/** A segment of the log reaches the backup at the latest after this time. */
const archiveTimeout = "60s";
const archiveMsMax = 120_000;

export const getLogFolder = (folder: string) => join(resolve(folder), "wal");

/** Files of a running server that a copy must not have; those of a folder that is copied empty. */
const skippedName = /^(?:postmaster\.(?:pid|opts)|pg_internal\.init.*|pgsql_tmp.*)$/;
const emptyFolders = new Set([
  ..."pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots".split(" "),
  ..."pg_stat_tmp pg_subtrans".split(" "),
]);

/** Lists the complete base backups of a folder, the oldest first. The log tells their order: a clock may go back. */
export function listBaseBackups(folder: string): BaseBackup[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(basePrefix) && existsSync(join(folder, name, backupFileName)))
    .map((name): BaseBackup => JSON.parse(readFileSync(join(folder, name, backupFileName), "utf8")))
    .sort((a, b) => (a.firstSegment < b.firstSegment ? -1 : 1));
}

/** Copies the files of a running server. The log makes good what changes meanwhile. */
async function copyCluster(from: string, to: string, isTop = true): Promise<void> {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (skippedName.test(entry.name)) continue;
    if (isTop && emptyFolders.has(entry.name)) mkdirSync(target, { mode: 0o700 });
    else if (entry.isDirectory()) await copyCluster(source, target, false);
    else await copyDurably(source, target);
  }
}

/** @throws {Error} when the folder holds another database or its backup, or PostgreSQL cannot write there */
function prepareFolder(
  location: ClusterLocation,
  folder: string,
  is: Pick<BaseBackup, "systemId" | "timeline">,
): void {
  const before = listBaseBackups(folder).at(-1);
  if (before && (before.systemId !== is.systemId || before.timeline !== is.timeline)) {
    throw new Error(
      `${folder} has the backup of another database, or of this one before it was restored. Name another folder.`,
    );
  }
  if (`${resolveLinks(folder)}/`.startsWith(`${location.clusterDir}/`)) {
    throw new Error(`${folder} is in the folder of the data itself. Name another folder.`);
  }
  const logFolder = getLogFolder(folder);
  makeDir(folder, 0o711);
  makeDir(logFolder, 0o700);
  if (!location.user) return;
  chownSync(logFolder, location.user.uid, location.user.gid);
  if (canTraverse(logFolder, location.user)) return;
  throw new Error(
    `PostgreSQL, which does not run as root, cannot reach ${logFolder}. Name a folder that all users may pass through.`,
  );
}

/**
 * Sets the time after which an unfinished segment of the log is finished and copied.
 * @param time null ends it
 */
export async function setArchiveTimeout(
  { connection }: EmbeddedCluster,
  time: string | null,
): Promise<void> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(
      `alter system set archive_timeout = ${time === null ? "default" : `'${time}'`}`,
    );
    await sql`select pg_reload_conf()`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Waits until a segment of the log is in the backup. */
async function waitForSegment(sql: Sql, file: string): Promise<void> {
  const [before] = await sql`select failed_count as count from pg_stat_archiver`;
  for (const endsAt = Date.now() + archiveMsMax; !existsSync(file); await sleep(100)) {
    const [now] = await sql`select failed_count as count from pg_stat_archiver`;
    if (now?.count === before?.count && Date.now() < endsAt) continue;
    throw new Error(
      `The log of PostgreSQL does not reach ${file}: see pg.log beside the data for the reason`,
    );
  }
}

async function makeBaseBackup(
  sql: Sql,
  { clusterDir, dataDir }: ClusterLocation,
  folder: string,
  is: Pick<BaseBackup, "systemId" | "timeline">,
): Promise<BaseBackup> {
  removeDrafts(folder);
  const draft = join(folder, `${draftPrefix}${process.pid}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    const [start] = await sql<{ segment: string }[]>`
      select pg_walfile_name(pg_backup_start('points-and-rewards', true)) as segment`;
    await copyCluster(clusterDir, join(draft, "data"));
    const [end] = await sql<{ label: string; segment: string; endedAt: Date }[]>`
      select labelfile as label, pg_walfile_name(lsn) as segment, clock_timestamp() as "endedAt"
      from pg_backup_stop(false)`;
    if (!start || !end) throw new Error("PostgreSQL made no backup");
    writeFileSync(join(draft, "data", "backup_label"), end.label, { flush: true });
    await waitForSegment(sql, join(getLogFolder(folder), `${end.segment}.gz`));
    const endedAt = new Date(end.endedAt).toISOString();
    const name = `${basePrefix}${endedAt.replace(/[:.]/g, "-")}`;
    const backup = { name, endedAt, firstSegment: start.segment, ...is };
    await copyLedgerArchives(dataDir, folder);
    writeFileSync(join(draft, backupFileName), JSON.stringify(backup), { flush: true });
    renameSync(draft, join(folder, name));
    return backup;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes what backups that were killed have left. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(draftPrefix))) {
    const pid = Number(name.slice(draftPrefix.length));
    if (pid !== process.pid && isAlive(pid)) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Removes the oldest base backups, and the segments of the log that only they need. */
function removeOld(folder: string, keep: number): void {
  const backups = listBaseBackups(folder);
  for (const { name } of backups.slice(0, -keep)) {
    rmSync(join(folder, name), { recursive: true });
  }
  const [oldest] = backups.slice(-keep);
  const logFolder = getLogFolder(folder);
  for (const name of readdirSync(logFolder)) {
    // Segments and the notes on backups begin with a segment's number; histories of restores are kept.
    const [segment] = /^[0-9A-F]{24}/.exec(name) ?? [];
    if (segment && oldest && segment < oldest.firstSegment) rmSync(join(logFolder, name));
  }
}

/**
 * Has one run at a time change where the log is copied, as long as its connection lasts.
 * @throws {Error} while another run is under way
 */
async function refuseSecondRun(sql: Sql): Promise<void> {
  const [lock] = await sql<{ isFree: boolean }[]>`
    select pg_try_advisory_lock(hashtextextended('backup', 0)) as "isFree"`;
  if (!lock?.isFree) throw new Error("Another backup of this database is under way");
}

/**
 * Copies the embedded cluster into a folder while it runs, and has each finished segment of its log copied there from
 * then on: every later moment can be restored. Archived events are copied too. Keys of gift cards are not.
 * @throws {Error} with a message for people; the folder then has no incomplete base backup
 */
export async function backUpCluster(options: BackupOptions): Promise<BaseBackup> {
  const { dataDir, keep, log } = options;
  const folder = resolve(options.folder);
  if (!isClusterCreated(dataDir)) {
    throw new Error(`There is no database in ${dataDir}. Check DATA_DIR.`);
  }
  const cluster = await holdEmbeddedCluster({ dataDir, log });
  const location = locateCluster(dataDir, () => {});
  // The session of a backup has to last as long as the backup.
  const sql = postgres({ ...cluster.connection, max: 1, max_lifetime: null, onnotice: () => {} });
  try {
    await refuseSecondRun(sql);
    const [is] = await sql<
      { command: string; systemId: string; timeline: number; isStuck: boolean }[]
    >`
      select current_setting('archive_command') as command, timeline_id as timeline,
        (select system_identifier::text from pg_control_system()) as "systemId",
        (select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver)
          is true as "isStuck"
      from pg_control_checkpoint()`;
    if (!is || is.command !== archiveSettings.archive_command) {
      throw new Error(
        "PostgreSQL was started by an earlier version, which kept its log in another way. Restart the service first.",
      );
    }
    const identity = { systemId: is.systemId, timeline: is.timeline };
    prepareFolder(location, folder, identity);
    const logFolder = getLogFolder(folder);
    // A backup that was cut off has left its folder in the list.
    const former = findArchives(location).filter(
      (each) => listBaseBackups(dirname(each)).length > 0,
    );
    // The former folder gets the log too until this backup is complete, unless nothing can be copied there.
    setArchives(location, [...new Set([...(is.isStuck ? [] : former), logFolder])]);
    await setArchiveTimeout(cluster, archiveTimeout);
    const backup = await makeBaseBackup(sql, location, folder, identity).catch((error) => {
      setArchives(location, former);
      throw error;
    });
    setArchives(location, [logFolder]);
    noteBaseBackup(location, backup.endedAt);
    if (keep !== undefined) removeOld(folder, keep);
    return backup;
  } finally {
    await sql.end({ timeout: 5 });
    await cluster.release();
  }
}

/**
 * Ends the copying of the log into a backup's folder, which stays as it is.
 * @returns the folder; null when there was none
 */
export async function endBackups(dataDir: string): Promise<string | null> {
  if (!isClusterCreated(dataDir)) return null;
  const location = locateCluster(dataDir, () => {});
  const [folder] = findArchives(location);
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  try {
    await refuseSecondRun(sql);
    await setArchiveTimeout(cluster, null);
    endArchive(location);
    return folder ?? null;
  } finally {
    await sql.end({ timeout: 5 });
    await cluster.release();
  }
}
