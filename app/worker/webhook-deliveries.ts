import { createDeliverer } from "../services/webhooks/delivering";
import { startWorker, type Worker } from "./worker";

/** The time between two looks for endpoints that have something to send. */
const LOOK_EVERY_MS = 500;

/** Sends webhooks until it is stopped. Attempts that it breaks off are repeated by another process. */
export function startWebhookDeliveries(onFailure: (job: string, error: unknown) => void): Worker {
  const deliverer = createDeliverer();
  return startWorker(
    [
      {
        name: "deliver-webhooks",
        restMs: LOOK_EVERY_MS,
        async run(report, signal) {
          await deliverer.look(report, signal);
          return false;
        },
      },
    ],
    onFailure,
    () => deliverer.settle(),
  );
}
