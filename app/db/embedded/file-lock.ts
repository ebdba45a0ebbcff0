import { lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findStartTicks, isAlive } from "./processes";

/** Longer than any start takes; frees a turn whose owner hangs or whose pid cannot be told apart. */
const turnTimeoutMs = 60_000;
const free = "free";

const listTurns = (turnsDir: string) => readdirSync(turnsDir).map(Number).filter(Number.isInteger);
const findLatest = (turnsDir: string) => Math.max(0, ...listTurns(turnsDir));

function isTaken(link: string): boolean {
  try {
    const owner = readlinkSync(link);
    if (owner === free || Date.now() - lstatSync(link).mtimeMs > turnTimeoutMs) return false;
    const [pid, startTicks] = owner.split(".");
    return isAlive(Number(pid), startTicks);
  } catch {
    return true; // it went just now: whoever removed it has put a later one in its place
  }
}

/**
 * Takes the turn to prepare and start a cluster, of which there is one at a time. PostgreSQL's own
 * lock file is not enough: two postmasters that find the same stale one can each remove the other's.
 *
 * Turns are symbolic links named 1, 2, 3, …, made at once with their owner as the target, and the
 * highest is always there, so that taking over from a dead owner needs no removal that could hit a
 * new owner's: the next number can be made only once, and one made too late sees a higher one.
 * @returns what ends the turn, or null while another process has it
 */
export function takeTurn(turnsDir: string): (() => void) | null {
  const latest = findLatest(turnsDir);
  if (latest > 0 && isTaken(join(turnsDir, String(latest)))) return null;
  const turn = latest + 1;
  const link = join(turnsDir, String(turn));
  try {
    symlinkSync(`${process.pid}.${findStartTicks(process.pid)}`, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    return () => {}; // no symbolic links here (Windows): PostgreSQL's lock file has to do
  }
  if (findLatest(turnsDir) !== turn) {
    rmSync(link, { force: true });
    return null;
  }
  for (const earlier of listTurns(turnsDir)) {
    if (earlier < turn) rmSync(join(turnsDir, String(earlier)), { force: true });
  }
  return () => {
    try {
      symlinkSync(free, join(turnsDir, String(turn + 1)));
    } catch {
      // the turn had expired and another process has the next one
    }
    rmSync(link, { force: true });
  };
}
