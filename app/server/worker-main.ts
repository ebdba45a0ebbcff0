import { readEnv } from "../env";
import { stopOnSignals } from "./signals";
import { startWorkerProcess } from "./start-worker";

// npm run worker: runs the background work in its own process. With the embedded PostgreSQL it
// joins the cluster that runs on DATA_DIR, or starts it.

try {
  const stop = await startWorkerProcess(readEnv());
  console.error("The worker is ready");
  stopOnSignals(stop);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
