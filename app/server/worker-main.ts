import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { stopOnSignals } from "./signals";
import { startWorkerProcess } from "./start-worker";

// npm run worker: runs the background work in its own process. With the embedded PostgreSQL it
// joins the cluster that runs on DATA_DIR, or starts it.

try {
  stopOnSignals(await startWorkerProcess(readEnv()));
  console.error("The worker is ready");
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
