import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { watchBackups } from "../db/backups";
import type { Env } from "../env";
import { collectProcessMetrics, metrics } from "../process/metrics";
import { type FollowerState, readFollowerStates } from "../services/follower/states";
import { measure } from "../worker/measure";
import { answerHealthCheck } from "./health";
import { getPath } from "./malformed";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const HEADERS_TIMEOUT_MS = 10_000;
const PREFIX = "points_claim_indexer_";

type Progress = NonNullable<FollowerState["progress"]>;
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
    "contradictions_total",
    "counter",
    "Alarms about blocks that were final",
    ({ contradictions }) => contradictions,
  ],
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
    void answer(request, response);
  }
  return true;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await collect();
  response.writeHead(200, { "Content-Type": CONTENT_TYPE, "Cache-Control": "no-store" });
  response.end(request.method === "HEAD" ? undefined : text);
}

/** Collects all metrics. While the database is away, those of the process remain. */
export async function collect(): Promise<string> {
  const [states] = await Promise.all([readFollowerStates().catch(() => []), measure()]);
  return (await metrics.registry.metrics()) + writeMetrics(states);
}

/**
 * Serves the metrics and the health checks on a port of their own, which is each process's alone.
 * @throws {Error} when the port is taken
 */
export async function listenForMetrics(
  env: Env,
  place: number,
  isReady: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const { METRICS_HOST: host, METRICS_PORT, METRICS_TOKEN: token } = env;
  collectProcessMetrics();
  watchBackups(env);
  if (METRICS_PORT === undefined) return async () => {};
  const port = METRICS_PORT + place;
  const server = createServer((request, response) => {
    const path = getPath(request.url);
    if (answerHealthCheck(path, request, response, isReady)) return;
    if (path !== "/metrics") response.writeHead(404).end();
    else if (token !== undefined) answerMetrics(path, token, request, response);
    else void answer(request, response);
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new Error(`METRICS_PORT: port ${port} on ${host}: ${cause.message}`, { cause })),
    );
    // Processes of one service would share it otherwise, and each has metrics of its own.
    server.listen({ port, host, exclusive: true }, resolve);
  });
  return async () => {
    server.close();
    server.closeAllConnections();
  };
}

const digest = (text: string) => createHash("sha256").update(text).digest();

function isToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token}`));
}

const writeHelp = (name: string, kind: string, help: string) => [
  `# HELP ${PREFIX}${name} ${help}`,
  `# TYPE ${PREFIX}${name} ${kind}`,
];

function writeMetrics(states: readonly FollowerState[]): string {
  const lines = METRICS.flatMap(([name, kind, help, read]) => {
    const values = states.flatMap(({ chainId, progress }) =>
      progress ? [`${PREFIX}${name}{chain="${chainId}"} ${read(progress)}`] : [],
    );
    return [...writeHelp(name, kind, help), ...values];
  });
  const leaders = states.flatMap(({ chainId, progress }) =>
    progress?.leader ? [`${PREFIX}leader{chain="${chainId}",name="${progress.leader}"} 1`] : [],
  );
  return [...lines, ...writeHelp("leader", "gauge", "The leading process"), ...leaders, ""].join(
    "\n",
  );
}
