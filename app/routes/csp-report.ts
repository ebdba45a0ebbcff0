import type { ActionFunctionArgs } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { parseViolations } from "../domain/policy-violation";
import { page } from "../http/page";
import { readBoundedText } from "../http/request";

const CONTENT_TYPE = /^\s*application\/(csp-report|reports\+json|json)\s*(;|$)/i;
const LOG_LINES_PER_MINUTE_MAX = 60;

const mayLog = createLogAllowance(LOG_LINES_PER_MINUTE_MAX);

const refuseMethod = page(async () => {
  throw new Failure("method_not_allowed", { allow: "POST" });
});

export const loader = refuseMethod;

/**
 * Takes POST /csp-report: browsers report the resources that a page's policy blocked, and the
 * relevant parts are logged.
 */
export const action = page(async (args: ActionFunctionArgs) => {
  const { request, context } = args;
  if (request.method !== "POST") return refuseMethod(args);
  if (!CONTENT_TYPE.test(request.headers.get("content-type") ?? "")) {
    return new Response(null, { status: 415 });
  }
  const violations = parseViolations(parseJson(await readBoundedText(request)));
  if (!violations) return new Response(null, { status: 400 });
  for (const violation of violations) if (mayLog()) context.logViolation(violation);
  return new Response(null, { status: 204 });
});

/** Returns undefined, which is not a report, when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Limits the log lines per minute that unknown callers can cause.
 * @returns a function that tells whether one more line may be written now
 */
function createLogAllowance(linesPerMinuteMax: number): () => boolean {
  let startedAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return () => {
    const now = performance.now();
    if (now - startedAt >= 60_000) {
      startedAt = now;
      lines = 0;
    }
    if (lines >= linesPerMinuteMax) return false;
    lines += 1;
    return true;
  };
}
