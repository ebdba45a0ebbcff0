import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterLocation } from "./location";

/** The file beside the data that names the folders to which finished segments of the log are copied, one a line. */
const recordName = "pg-archive";
/** The file beside it that has the time of the last complete base backup. */
const noteName = "pg-backup";

/**
 * PostgreSQL runs this in the data's folder for each finished segment of its log. A segment appears under its name
 * when it is whole and on disk. Without a backup's folder there is nothing to do.
 */
const archiveCommand = [
  `[ -e ../${recordName} ] || exit 0`,
  "while IFS= read -r to",
  'do f="$to/%f.gz"',
  'if [ -e "$f" ]; then gzip -cd "$f" | cmp -s - "%p" || exit 1',
  'else gzip -1c "%p" > "$f.part" && sync "$f.part" && mv "$f.part" "$f" || exit 1; fi',
  `done < ../${recordName}`,
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

/** Finds the folders to which the log is copied. */
export function findArchives(location: ClusterLocation): string[] {
  const file = getRecord(location);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Replaces a file that PostgreSQL's user reads too, whatever the umask is. */
function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { flush: true });
  chmodSync(draft, 0o644);
  renameSync(draft, file);
}

/** Has finished segments of the log copied to folders from now on; without any, this ends. */
export function setArchives(location: ClusterLocation, logFolders: readonly string[]): void {
  if (logFolders.length === 0) rmSync(getRecord(location), { force: true });
  else replaceFile(getRecord(location), `${logFolders.join("\n")}\n`);
}

/** Ends the copying of the log. */
export function endArchive(location: ClusterLocation): void {
  setArchives(location, []);
  rmSync(getNote(location), { force: true });
}

/** Notes the time of a complete base backup, for processes that may not read the backup's folder. */
export function noteBaseBackup(location: ClusterLocation, endedAt: string): void {
  replaceFile(getNote(location), `${endedAt}\n`);
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
