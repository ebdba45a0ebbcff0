import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listLookFailures } from "../services/claims/failures";
import { type IndexerState, readIndexerStates } from "../services/claims/indexer-states";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const PREFIX = "points_claim_indexer_";

type Progress = NonNullable<IndexerState["progress"]>;
/** The metrics of each chain: name, kind, help text, and the function that reads the value. */
const METRICS: readonly [string, "gauge" | "counter", string, (progress: Progress) => number][] = [
  ["up", "gauge", "1 if the last pass succeeded", ({ failure }) => (failure === null ? 1 : 0)],
  ["head_block", "gauge", "The newest block read", ({ headBlock }) => headBlock ?? 0],
  ["final_block", "gauge", "The newest final block read", ({ finalBlock }) => finalBlock],
  ["lag_blocks", "gauge", "Final blocks still to be read", ({ lagBlocks }) => lagBlocks],
  ["lag_seconds", "gauge", "Time since the last successful pass", ({ lagSeconds }) => lagSeconds],
  [
    "failed_timestamp_seconds",
    "gauge",
    "When a pass last failed through all endpoints",
    ({ failedAt }) => (failedAt?.getTime() ?? 0) / 1_000,
  ],
  [
    "led_since_timestamp_seconds",
    "gauge",
    "When the leader took over",
    ({ ledSince }) => (ledSince?.getTime() ?? 0) / 1_000,
  ],
  [
    "succeeded_timestamp_seconds",
    "gauge",
    "When a pass last succeeded",
    ({ succeededAt }) => (succeededAt?.getTime() ?? 0) / 1_000,
  ],
  ["claims", "gauge", "Claims stored", ({ claims }) => claims],
  [
    "claims_unfit",
    "gauge",
    "Claims that fit no share",
    ({ claimsWithProblem }) => claimsWithProblem,
  ],
  ["claims_undone_total", "counter", "Claims taken back", ({ claimsUndone }) => claimsUndone],
  ["reorgs_total", "counter", "Reorganisations seen", ({ reorgs }) => reorgs],
  [
    "buckets_differing",
    "gauge",
    "Trees that differed from the contract when last compared",
    ({ bucketsDiffering }) => bucketsDiffering,
  ],
];

/**
 * Answers GET /metrics in Prometheus' text format to callers that have the token. Without a
 * configured token there are no metrics: behind a proxy on the same machine, every caller looks
 * local. Returns false for other paths.
 */
export function answerMetrics(
  path: string,
  token: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (path !== "/metrics" || token === undefined) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { Allow: "GET, HEAD" }).end();
  } else if (!isToken(request.headers.authorization, token)) {
    response.writeHead(401, { "WWW-Authenticate": "Bearer" }).end();
  } else {
    readIndexerStates().then(
      (states) => {
        response.writeHead(200, { "Content-Type": CONTENT_TYPE, "Cache-Control": "no-store" });
        response.end(request.method === "HEAD" ? undefined : writeMetrics(states));
      },
      () => response.writeHead(503, { "Retry-After": "1" }).end(),
    );
  }
  return true;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

function isToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token}`));
}

const writeHelp = (name: string, kind: string, help: string) => [
  `# HELP ${PREFIX}${name} ${help}`,
  `# TYPE ${PREFIX}${name} ${kind}`,
];

function writeMetrics(states: readonly IndexerState[]): string {
  const lines = METRICS.flatMap(([name, kind, help, read]) => {
    const values = states.flatMap(({ chainId, progress }) =>
      progress ? [`${PREFIX}${name}{chain="${chainId}"} ${read(progress)}`] : [],
    );
    return [...writeHelp(name, kind, help), ...values];
  });
  const leaders = states.flatMap(({ chainId, progress }) =>
    progress?.leader ? [`${PREFIX}leader{chain="${chainId}",name="${progress.leader}"} 1`] : [],
  );
  const failures = listLookFailures().map(
    ({ chainId, problem, count }) =>
      `${PREFIX}errors_total{chain="${chainId}",problem="${problem}"} ${count}`,
  );
  return [
    ...lines,
    ...writeHelp("leader", "gauge", "The leading process"),
    ...leaders,
    ...writeHelp("errors_total", "counter", "Endpoint failures of this process since its start"),
    ...failures,
    "",
  ].join("\n");
}
