import { isMainThread, workerData } from "node:worker_threads";
import { closeDatabase, type DatabaseOptions, openDatabase } from "../db/client";
import type { AllocationKey } from "./campaign-build";
import { buildAllocation } from "./campaign-build-steps";

// The thread that campaign-build.ts starts. Whoever else loads this file runs nothing.

interface Task {
  readonly key: AllocationKey;
  readonly databaseOptions: DatabaseOptions;
}

if (!isMainThread && workerData?.task === "campaign-build-thread") {
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
