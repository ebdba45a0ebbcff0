import { spawnSync } from "node:child_process";

/** Whether a client and the server that it asks have a core each. */
export type Placement = "a core each" | "one core";

/**
 * Runs work with this process on one core and those of the servers on another one, or on the same. To
 * leave them to the scheduler is no placement: it moves one pair together and another one apart, for
 * seconds, and an answer from a core that slept takes two to three times as long. Where there is no
 * taskset, which is Linux's, it decides nevertheless.
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
