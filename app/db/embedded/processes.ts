import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const hasProc = existsSync("/proc/self/stat");

function readStat(pid: number): { state: string; parent: number; startTicks: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may contain blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", parent: Number(fields[1]), startTicks: fields[19] ?? "" };
  } catch {
    return null;
  }
}

/**
 * Distinguishes a process from a later one with the same pid.
 * @returns the start time in clock ticks since boot, or "" without /proc
 */
export function findStartTicks(pid: number): string {
  return readStat(pid)?.startTicks ?? "";
}

/**
 * Checks whether a process runs. A zombie does not: under a container's PID 1 that never reaps,
 * signal 0 still succeeds for a postmaster that died long ago.
 * @param startTicks identifies the process; "" accepts any process with this pid
 */
export function isAlive(pid: number, startTicks = ""): boolean {
  if (!(pid > 0)) return false; // 0 and less mean groups of processes to the system
  if (hasProc) {
    const stat = readStat(pid);
    if (!stat || stat.state === "Z" || stat.state === "X") return false;
    return startTicks === "" || startTicks === stat.startTicks;
  }
  return isPidTaken(pid);
}

/** Checks whether a pid is in use, even by a zombie or another user's process. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Checks whether a pid is a live postmaster of this cluster, rather than a process that got its
 * pid.
 */
export function isPostmasterOf(clusterDir: string, pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    const command = hasProc
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      : execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return command.includes(`postgres -D ${clusterDir} `);
  } catch {
    return !hasProc; // without ps (Windows), the process is only known to be alive
  }
}

/**
 * Lists a cluster's server processes other than its postmaster; none without /proc. Their command
 * line is a title such as "postgres: app points [local] SELECT".
 */
export function listBackends(clusterDir: string): number[] {
  if (!hasProc) return [];
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return title.startsWith("postgres: ") && readlinkSync(`/proc/${pid}/cwd`) === clusterDir;
    } catch {
      return false; // gone, or another user's
    }
  });
}

/**
 * Checks whether a cluster recovers or is still starting: PostgreSQL starts its WAL writer after both.
 * It reads only what every user may read of a process. Without /proc, the answer is no.
 */
export function isRecovering(postmasterPid: number): boolean {
  if (!hasProc) return false;
  const isWalWriter = (pid: number) => {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return title.startsWith("postgres: walwriter") && readStat(pid)?.parent === postmasterPid;
    } catch {
      return false; // gone
    }
  };
  return !readdirSync("/proc").map(Number).filter(Number.isInteger).some(isWalWriter);
}

/**
 * Builds the environment of started programs: it contains no secrets, and nothing that depends on
 * the shell.
 */
export function getChildEnv(): NodeJS.ProcessEnv {
  const { NODE_ENV, PATH, LD_LIBRARY_PATH, SystemRoot } = process.env;
  return { NODE_ENV, PATH, LD_LIBRARY_PATH, SystemRoot, LC_ALL: "C", TZ: "UTC" };
}
