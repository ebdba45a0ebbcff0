import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { endOnSignals, stopOnSignals } from "./signals";

// npm run worker: runs the background work in its own process. With the embedded PostgreSQL it
// joins the cluster that runs on DATA_DIR, or starts it.

endOnSignals();
try {
  const { startWorkerProcess } = await import("./start-worker");
  stopOnSignals(await startWorkerProcess(readEnv()));
  console.error("The worker is ready");
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
