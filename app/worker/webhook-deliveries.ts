import { createDeliverer } from "../services/webhooks/delivering";
import { startWorker, type Worker } from "./worker";

/** The time between two looks for endpoints that have something to send. */
const LOOK_EVERY_MS = 500;

/** Sends webhooks until it is stopped. Attempts that it breaks off are repeated by another process. */
export function startWebhookDeliveries(onFailure: (job: string, error: unknown) => void): Worker {
  const stopping = new AbortController();
  const deliverer = createDeliverer(stopping.signal);
  const worker = startWorker(
    [
      {
        name: "deliver-webhooks",
        restMs: LOOK_EVERY_MS,
        async run(report) {
          await deliverer.look(report);
          return false;
        },
      },
    ],
    onFailure,
  );
  return {
    async stop() {
      stopping.abort();
      await worker.stop();
      await deliverer.settle();
    },
  };
}
