import { readdirSync } from "node:fs";
import os from "node:os";

/**
 * Lets other processes use the processors first. What this process has started keeps its priority, and what it starts later
 * has the lower one: a command calls it once the embedded PostgreSQL runs.
 */
export function lowerPriority(): void {
  for (const id of listThreads()) {
    try {
      os.setPriority(id, os.constants.priority.PRIORITY_LOW);
    } catch {
      // The thread has ended, or the system refuses: the work is done all the same.
    }
  }
}

/** Lists the ids of this process's threads. On Linux each has a priority of its own, elsewhere they share that of the process. */
function listThreads(): number[] {
  return os.platform() === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
}
