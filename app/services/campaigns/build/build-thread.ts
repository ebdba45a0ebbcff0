import { isMainThread, workerData } from "node:worker_threads";
import { closeDatabase, getDatabaseOptions, openDatabase } from "../../../db/client";
import type { DatabaseOptions } from "../../../db/pool";
import { runInThread } from "../../runtime/threads";
import { buildAllocation } from "./build";
import type { AllocationKey } from "./order";

// This file is also the thread's entry: inside the thread it builds, elsewhere it starts the
// thread.

interface Task {
  readonly key: AllocationKey;
  readonly databaseOptions: DatabaseOptions;
}

/**
 * Builds a queued split in a thread of its own, from the step at which an earlier try ended. A
 * million wallets take about a minute.
 */
export async function buildAllocationInThread(
  key: AllocationKey,
  signal: AbortSignal,
): Promise<void> {
  const task: Task = { key, databaseOptions: getDatabaseOptions() };
  await runInThread("campaigns/build/build-thread", task, signal);
}

if (!isMainThread && workerData?.task === "build-thread") {
  const { key, databaseOptions } = workerData as Task;
  // The connection for reports of progress; the work itself uses one without a deadline.
  openDatabase({ ...databaseOptions, connectionsMax: 1 });
  try {
    // The job is repeated later to check the outcome: the other process may still be killed.
    if (!(await buildAllocation(key))) throw new Error("Another process is building this airdrop");
  } finally {
    await closeDatabase();
  }
}
