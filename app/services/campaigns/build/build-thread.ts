import { isMainThread, workerData } from "node:worker_threads";
import {
  closeDatabase,
  type DatabaseOptions,
  getDatabaseOptions,
  openDatabase,
} from "../../../db/client";
import { runInThread } from "../../runtime/threads";
import { buildAllocation } from "./build";
import type { AllocationKey } from "./order";

// This file is the thread as well: in the thread it builds, elsewhere it starts the thread.

interface Task {
  readonly key: AllocationKey;
  readonly databaseOptions: DatabaseOptions;
}

/**
 * Builds an ordered split, from wherever an earlier try has ended. It takes a thread of its own: a
 * million wallets are a minute's work.
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
  // For its progress; the work itself has a connection without a deadline.
  openDatabase({ ...databaseOptions, connectionsMax: 1 });
  try {
    // The job is repeated later, and looks how it ended: the other one may be killed yet.
    if (!(await buildAllocation(key))) throw new Error("Another process is building this airdrop");
  } finally {
    await closeDatabase();
  }
}
