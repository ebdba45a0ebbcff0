import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { closeDatabase, type DatabaseOptions, openDatabase, withDatabase } from "../../db/client";
import { hashMerkleTree } from "../../domain/trees/merkle";
import { listBucketLeaves, type RewardKey } from "./buckets";

// The thread that merkle-proofs.ts starts. Whoever else loads this file runs nothing.

interface Task {
  readonly reward: RewardKey;
  readonly bucket: number;
  readonly databaseOptions: DatabaseOptions;
}

if (!isMainThread && workerData?.task === "tree-thread") {
  const { reward, bucket, databaseOptions } = workerData as Task;
  // A million rows take longer than a statement may that somebody waits for.
  openDatabase({ ...databaseOptions, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 });
  try {
    const leaves = await withDatabase((db) => listBucketLeaves(db, reward, bucket));
    const hashed = hashMerkleTree(leaves);
    parentPort?.postMessage(hashed, [hashed.nodes.buffer, hashed.places.buffer]);
  } finally {
    await closeDatabase();
  }
}
