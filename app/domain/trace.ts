/** Characters that are safe in a log and in a header. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}/;

/**
 * Takes over the id that a caller gave its request.
 * @returns null when it gave none, or one that is not fit for a log
 */
export function parseRequestId(header: string | string[] | undefined): string | null {
  return typeof header === "string" && REQUEST_ID.test(header) ? header : null;
}

/**
 * Reads the trace of a W3C `traceparent`.
 * @returns null without a valid one
 */
export function parseTraceId(header: string | string[] | null | undefined): string | null {
  const [, traceId = "", parentId = ""] = TRACEPARENT.exec(String(header ?? "")) ?? [];
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(parentId) && !String(header).startsWith("ff");
  return isValid ? traceId : null;
}

/** Writes the `traceparent` of a call that this service makes, as a recorded span of a trace. */
export const writeTraceparent = (traceId: string, spanId: string) => `00-${traceId}-${spanId}-01`;
