import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterLocation } from "./location";

/** The file beside the data that names the folder to which finished segments of the log are copied. */
const recordName = "pg-archive";
/** The file beside it that has the time of the last complete base backup. */
const noteName = "pg-backup";

/**
 * PostgreSQL runs this in the data's folder for each finished segment of its log. A segment appears under its name
 * when it is whole and on disk. Without a backup's folder there is nothing to do.
 */
const archiveCommand = [
  `[ -e ../${recordName} ] || exit 0`,
  `IFS= read -r to < ../${recordName}`,
  'f="$to/%f.gz"',
  'if [ -e "$f" ]; then gzip -cd "$f" | cmp -s - "%p"',
  'else gzip -1c "%p" > "$f.part" && sync "$f.part" && mv "$f.part" "$f"; fi',
].join("; ");

/** The settings with which PostgreSQL starts, so that a backup can begin without a restart. */
export const archiveSettings: Readonly<Record<string, string>> =
  process.platform === "win32" ? {} : { archive_mode: "on", archive_command: archiveCommand };

/** Writes the command by which PostgreSQL reads the segments of a backup. */
export function getRestoreCommand(logFolder: string): string {
  const quoted = `'${logFolder.replaceAll("'", "'\\''")}'`.replaceAll("%", "%%");
  return `gzip -cd ${quoted}/%f.gz > "%p"`;
}

const getRecord = ({ rootDir }: ClusterLocation) => join(rootDir, recordName);
const getNote = ({ rootDir }: ClusterLocation) => join(rootDir, noteName);

/** Finds the folder to which the log is copied; null when it is not. */
export function findArchive(location: ClusterLocation): string | null {
  const file = getRecord(location);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}

/** Has finished segments of the log copied to a folder from now on. */
export function setArchive(location: ClusterLocation, logFolder: string): void {
  writeFileSync(getRecord(location), `${logFolder}\n`, { mode: 0o644 });
}

/** Ends the copying of the log. */
export function endArchive(location: ClusterLocation): void {
  rmSync(getRecord(location), { force: true });
  rmSync(getNote(location), { force: true });
}

/** Notes the time of a complete base backup, for processes that may not read the backup's folder. */
export function noteBaseBackup(location: ClusterLocation, endedAt: string): void {
  const draft = `${getNote(location)}.${process.pid}`;
  writeFileSync(draft, `${endedAt}\n`, { mode: 0o644 });
  renameSync(draft, getNote(location));
}

/**
 * Finds the time of the last complete base backup.
 * @returns null when the log is not copied, or there is no note
 */
export function findBaseBackupTime(location: ClusterLocation): Date | null {
  const file = getNote(location);
  if (!existsSync(getRecord(location)) || !existsSync(file)) return null;
  return new Date(readFileSync(file, "utf8").trim());
}
