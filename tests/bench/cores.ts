import { spawnSync } from "node:child_process";

/** The placement of a client and its server: on a core each, or on one core. */
export type Placement = "a core each" | "one core";

/**
 * Runs work with this process on one core, and the servers on another core or on the same one. The
 * scheduler alone gives no stable placement: for seconds it keeps one pair together and another
 * pair apart, and an answer from a core that slept takes two to three times as long. Without
 * Linux's taskset, the scheduler decides nevertheless.
 * @param serverPids processes of this machine
 */
export async function withPlacement<T>(
  placement: Placement,
  serverPids: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  const allowed = runTaskset("-cp", String(process.pid))?.split(": ").at(-1)?.trim();
  if (!allowed) return await work();
  const cores = allowed.match(/\d+/g) ?? [];
  const place = (pid: number, core: string | undefined) =>
    runTaskset("-acp", core ?? allowed, String(pid));
  try {
    place(process.pid, cores[0]);
    for (const pid of serverPids) place(pid, placement === "one core" ? cores[0] : cores.at(-1));
    return await work();
  } finally {
    for (const pid of [process.pid, ...serverPids]) place(pid, allowed);
  }
}

function runTaskset(...args: string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync("taskset", args, { encoding: "utf8" });
  if (error) return null;
  if (status !== 0) throw new Error(`Cores cannot be chosen: ${stderr.trim()}`);
  return stdout;
}
