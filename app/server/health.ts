import type { IncomingMessage, ServerResponse } from "node:http";
import { isDatabaseMigrated } from "../db/migrations";

/**
 * Answers GET /healthz (the process lives) and /readyz (it can serve). Returns false for other
 * paths.
 */
export function answerHealthCheck(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (path !== "/healthz" && path !== "/readyz") return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    answer(response, 405, { status: "method not allowed" }, { Allow: "GET, HEAD" });
  } else if (path === "/healthz") {
    answer(response, 200, { status: "ok" });
  } else {
    isDatabaseMigrated().then(
      (isReady) => answer(response, isReady ? 200 : 503, getReadiness(isReady)),
      () => answer(response, 503, getReadiness(false), { "Retry-After": "1" }),
    );
  }
  return true;
}

function getReadiness(isReady: boolean) {
  return { status: isReady ? "ready" : "not ready" };
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
