import { lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findStartTicks, isAlive } from "./processes";

/** Longer than any start. It frees a lock whose owner hangs, or whose pid cannot be identified. */
const turnTimeoutMs = 60_000;
const free = "free";

const listTurns = (startLockDir: string) =>
  readdirSync(startLockDir).map(Number).filter(Number.isInteger);
const findLatest = (startLockDir: string) => Math.max(0, ...listTurns(startLockDir));

function isTaken(link: string): boolean {
  try {
    const owner = readlinkSync(link);
    if (owner === free || Date.now() - lstatSync(link).mtimeMs > turnTimeoutMs) return false;
    const [pid, startTicks] = owner.split(".");
    return isAlive(Number(pid), startTicks);
  } catch {
    return true; // it has just gone: the process that removed it has created a later one
  }
}

/**
 * Takes the lock for preparing and starting a cluster, which one process may do at a time.
 * PostgreSQL's own lock file is not enough: two postmasters that find the same stale file can each
 * remove the other's.
 *
 * Each lock is a symbolic link named 1, 2, 3, …, created atomically with its owner as the target.
 * The highest link always exists, so taking over from a dead owner needs no removal that could hit
 * a new owner's link. The next number can be created only once, and a process that is late sees a
 * higher number.
 * @returns a function that releases the lock, or null while another process holds it
 */
export function takeStartLock(startLockDir: string): (() => void) | null {
  const latest = findLatest(startLockDir);
  if (latest > 0 && isTaken(join(startLockDir, String(latest)))) return null;
  const turn = latest + 1;
  const link = join(startLockDir, String(turn));
  try {
    symlinkSync(`${process.pid}.${findStartTicks(process.pid)}`, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    return () => {}; // no symbolic links here (Windows): PostgreSQL's lock file has to do
  }
  if (findLatest(startLockDir) !== turn) {
    rmSync(link, { force: true });
    return null;
  }
  for (const earlier of listTurns(startLockDir)) {
    if (earlier < turn) rmSync(join(startLockDir, String(earlier)), { force: true });
  }
  return () => {
    try {
      symlinkSync(free, join(startLockDir, String(turn + 1)));
    } catch {
      // the lock had expired, and another process holds the next one
    }
    rmSync(link, { force: true });
  };
}
