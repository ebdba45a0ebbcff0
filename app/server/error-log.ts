import type { Logger } from "pino";
import { isDatabaseUnavailable, isOverdue } from "../db/errors";
import { Failure } from "../domain/failure";
import { FoldError } from "../services/point-systems/fold";

/** The time for which failures of one kind are one line. */
const SAME_MS = 30_000;

/**
 * Why the database gave no answer. One locked or slow point system is `slow`, and must not hide that the database is
 * `unavailable`.
 */
type Trouble = "slow" | "unavailable";

/** Writes an unexpected error to the log; `fields` name the request or the job. */
export type LogError = (fields: object, error: unknown, message: string) => void;

/** Finds why the database gave no answer; null for an error of another reason. */
function findTrouble(error: unknown): Trouble | null {
  // A fold reports the failure of one point system so, and throws that of the database.
  if (error instanceof FoldError) return null;
  if (error instanceof Failure) {
    if (error.code !== "service_unavailable") return null;
    // Without a cause, a queue was full or a call's time over.
    return findTrouble(error.cause) ?? "slow";
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    const troubles = error.errors.map(findTrouble);
    if (troubles.includes(null)) return null;
    return troubles.includes("unavailable") ? "unavailable" : "slow";
  }
  if (isOverdue(error)) return "slow";
  if (isDatabaseUnavailable(error)) return "unavailable";
  return error instanceof Error ? findTrouble(error.cause) : null;
}

/**
 * Creates the log of errors. While the database is unavailable, the first failure is one line with the cause, and those
 * that follow are counted. So are those while it is slow.
 */
export function createErrorLog(logger: Logger): LogError {
  /** The failures since the last line of each kind. */
  const failures = new Map<Trouble, number>();

  function endWindow(trouble: Trouble): void {
    const count = failures.get(trouble) ?? 0;
    failures.delete(trouble);
    if (count === 0) return;
    logger.error({ component: "database", failures: count }, `the database is still ${trouble}`);
    beginWindow(trouble);
  }

  function beginWindow(trouble: Trouble): void {
    failures.set(trouble, 0);
    setTimeout(endWindow, SAME_MS, trouble).unref();
  }

  return (fields, thrown, message) => {
    const error = thrown instanceof Failure ? (thrown.cause ?? thrown) : thrown;
    const trouble = findTrouble(error);
    if (trouble === null) return logger.error({ ...fields, err: error }, message);
    const count = failures.get(trouble);
    if (count !== undefined) {
      failures.set(trouble, count + 1);
      return;
    }
    logger.error({ ...fields, component: "database", err: error }, `the database is ${trouble}`);
    beginWindow(trouble);
  };
}
