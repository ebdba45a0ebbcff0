import type { IncomingMessage, ServerResponse } from "node:http";
import { listReplicas } from "../db/replicas";

/** A probe of readiness this recent means that a balancer waits for its answer to change. */
const PROBE_RECENT_MS = 60_000;

let probedAt = Number.NEGATIVE_INFINITY;

/** Checks whether a balancer or an orchestrator asks this process for its readiness. */
export function isReadinessProbed(): boolean {
  return performance.now() - probedAt < PROBE_RECENT_MS;
}

/**
 * Answers GET /healthz (the process lives) and /readyz (it can serve). Returns false for other
 * paths.
 * @param isReady never throws
 */
export function answerHealthCheck(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  isReady: () => Promise<boolean>,
): boolean {
  if (path !== "/healthz" && path !== "/readyz") return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    answer(response, 405, { status: "method not allowed" }, { Allow: "GET, HEAD" });
  } else if (path === "/healthz") {
    answer(response, 200, { status: "ok" });
  } else {
    probedAt = performance.now();
    isReady().then((is) =>
      answer(response, is ? 200 : 503, {
        status: is ? "ready" : "not ready",
        ...describeReplicas(),
      }),
    );
  }
  return true;
}

/** Describes the replicas without their addresses. A service is ready without them. */
function describeReplicas() {
  const replicas = listReplicas().map(({ state, lagSeconds, lagBytes }) => ({
    ...{ state, lagBytes },
    lagSeconds: lagSeconds && Math.round(lagSeconds * 10) / 10,
  }));
  return replicas.length > 0 && { replicas };
}

function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(response.req.method === "HEAD" ? undefined : JSON.stringify(body));
}
