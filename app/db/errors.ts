/** postgres.js's own codes and the socket's, for a connection that is not there. */
const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT", // the Unix socket's file
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * SQLSTATE classes and codes of a server that cannot serve now: connection exceptions, too few
 * resources, shutdown and recovery, a statement or lock over its time, a standby.
 */
const UNAVAILABLE_SQLSTATE = /^(08|53|57P0|57014|55P03|25006|40001|40P01|58)/;

/** Drizzle wraps what the driver throws. */
function getDriverCode(error: unknown): string | null {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ("code" in e && typeof e.code === "string") return e.code;
  }
  return null;
}

/** Whether the database, not the statement, is what failed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = getDriverCode(error);
  return code !== null && (CONNECTION_CODES.has(code) || UNAVAILABLE_SQLSTATE.test(code));
}

/** Whether the same transaction can succeed at once: serialization, deadlock. */
export function isRetryable(error: unknown): boolean {
  return ["40001", "40P01"].includes(getDriverCode(error) ?? "");
}

/**
 * Whether a unique constraint refused the statement.
 * @param constraint the one that counts; any when left out
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (!("code" in e) || e.code !== "23505") continue;
    return constraint === undefined || ("constraint_name" in e && e.constraint_name === constraint);
  }
  return false;
}

/** Whether a row that was not to be waited for is held by somebody else. */
export function isLocked(error: unknown): boolean {
  return getDriverCode(error) === "55P03";
}
