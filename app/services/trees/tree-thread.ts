import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { closeDatabase, openDatabase, withDatabase } from "../../db/client";
import type { DatabaseOptions } from "../../db/pool";
import { hashMerkleTree } from "../../domain/trees/merkle";
import { listBucketLeaves, type RewardKey } from "./buckets";

// The thread that proofs.ts starts. Loading this file elsewhere runs nothing.

interface Task {
  readonly reward: RewardKey;
  readonly bucket: number;
  readonly databaseOptions: DatabaseOptions;
}

if (!isMainThread && workerData?.task === "tree-thread") {
  const { reward, bucket, databaseOptions } = workerData as Task;
  // A million rows take longer than the usual limit for a statement.
  openDatabase({ ...databaseOptions, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 });
  try {
    const leaves = await withDatabase((db) => listBucketLeaves(db, reward, bucket));
    const hashed = hashMerkleTree(leaves);
    parentPort?.postMessage(hashed, [hashed.nodes.buffer, hashed.places.buffer]);
  } finally {
    await closeDatabase();
  }
}
