import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { RELEASE } from "./release";
import { processState } from "./state";

// The metrics of this process, and those that a scrape reads from the database. docs/operating.md lists them.

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BATCH_CALLS = [1, 2, 4, 8, 16, 32, 64];
const WAIT_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5];

function createMetrics() {
  const registry = new Registry();
  const common = { registers: [registry] };
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ ...common, name: `points_${name}`, help, labelNames });
  new Gauge({
    ...common,
    name: "points_build_info",
    help: "1, with the version of this program and of Node",
    labelNames: ["version", "node"],
  }).set({ version: RELEASE, node: process.versions.node }, 1);
  return {
    registry,
    requests: new Histogram({
      ...common,
      name: "points_http_request_duration_seconds",
      help: "Requests by route and status, from their first byte to the end of the answer",
      labelNames: ["route", "status"],
      buckets: REQUEST_SECONDS,
    }),
    credits: new Counter({
      ...common,
      name: "points_credit_calls_total",
      help: "Calls that credit, by outcome: credited, replayed, or the code of the refusal",
      labelNames: ["outcome"],
    }),
    endpointFailures: new Counter({
      ...common,
      name: "points_claim_indexer_errors_total",
      help: "Endpoint failures of this process since its start",
      labelNames: ["chain", "problem"],
    }),
    batchCalls: new Histogram({
      ...common,
      name: "points_batch_calls",
      help: "Calls that shared a statement",
      labelNames: ["batcher"],
      buckets: BATCH_CALLS,
    }),
    batchWait: new Histogram({
      ...common,
      name: "points_batch_wait_seconds",
      help: "Time from the arrival of a batch's first call to its statement",
      labelNames: ["batcher"],
      buckets: WAIT_SECONDS,
    }),
    batchWaiting: gauge("batch_waiting_calls", "Calls that wait for their answer", "batcher"),
    poolPending: gauge("database_pool_pending", "Statements that are under way or wait", "pool"),
    poolSize: gauge("database_pool_connections", "Connections that may be open", "pool"),
    replicaServing: gauge("replica_serving", "1 if a replica answers reads", "replica", "state"),
    replicaLagSeconds: gauge("replica_lag_seconds", "Age of a replica's rows", "replica"),
    replicaLagBytes: gauge("replica_lag_bytes", "Log that a replica has not replayed", "replica"),
    backupAge: gauge("backup_age_seconds", "Time since the last backup by this service", "kind"),
    backupLogFailing: gauge("backup_log_failing", "1 if PostgreSQL last failed to copy its log"),
    lockWaits: gauge("database_lock_waits", "Statements in the database that wait for a lock"),
    foldTail: gauge("fold_tail_entries", "Entries not counted yet, at most 10,000 each", "fold"),
    foldFailing: gauge("fold_failing", "Point systems whose last count failed here", "fold"),
    jobs: gauge("jobs", "Jobs in the database", "queue", "state"),
    jobAge: gauge("job_oldest_seconds", "Time for which the oldest due job waits", "queue"),
    webhooksWaiting: gauge("webhook_deliveries_waiting", "Deliveries not sent yet"),
    webhookLag: gauge("webhook_lag_seconds", "Age of the oldest event not sent yet"),
    webhooksFailing: gauge("webhook_endpoints_failing", "Webhooks whose last attempt failed"),
    scraped: gauge("database_scraped", "1 if this scrape read the database"),
  };
}

/** All metrics of this process. */
export const metrics = processState("metrics", createMetrics);

/** Adds Node's own metrics: event-loop delay, memory, garbage collection, file descriptors. */
export function collectProcessMetrics(): void {
  if (metrics.registry.getSingleMetric("process_resident_memory_bytes")) return;
  collectDefaultMetrics({ register: metrics.registry });
}

/** Replaces all values of a gauge, so that none of an earlier scrape stays. */
export function setGauge(
  gauge: Gauge,
  values: readonly { readonly labels?: Record<string, string>; readonly value: number }[],
): void {
  gauge.reset();
  for (const { labels = {}, value } of values) gauge.set(labels, value);
}
