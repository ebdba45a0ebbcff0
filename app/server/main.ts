import cluster from "node:cluster";
import path from "node:path";
import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { endOnSignals, stopOnSignals } from "./signals";

// The production server: a second entry of the Remix build. With WEB_CONCURRENCY it is several
// processes, and the first of them only supervises: it loads nothing that serves.

const CLIENT_FOLDER = path.join(import.meta.dirname, "../client");

if (!cluster.isWorker) endOnSignals();
try {
  const env = readEnv();
  if (cluster.isWorker) {
    const { obeyPrimary } = await import("./cluster-child");
    await obeyPrimary(env, CLIENT_FOLDER);
  } else if (env.WEB_CONCURRENCY > 1) {
    const { supervise } = await import("./cluster-primary");
    await supervise(env, import.meta.filename);
  } else {
    const { serveBuild } = await import("./serve");
    const running = await serveBuild(env, CLIENT_FOLDER);
    // A reader of the message that it is ready may stop it at once.
    stopOnSignals(running);
    if (running.setUpUrl) console.error(`No operator yet. Make the first one: ${running.setUpUrl}`);
    console.error(`Points and Rewards is ready at ${running.url}`);
  }
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
