import type { Logger } from "pino";
import { isDatabaseUnavailable } from "../db/errors";
import { Failure } from "../domain/failure";
import { FoldError } from "../services/point-systems/fold";

/** The time for which the failures of an outage are one line. */
const OUTAGE_MS = 30_000;

/** Writes an unexpected error to the log; `fields` name the request or the job. */
export type LogError = (fields: object, error: unknown, message: string) => void;

function isOutage(error: unknown): boolean {
  // A fold reports the failure of one point system so, and throws that of the database.
  if (error instanceof FoldError) return false;
  if (error instanceof Failure) return error.code === "service_unavailable";
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  return isDatabaseUnavailable(error) || (error instanceof Error && isOutage(error.cause));
}

/**
 * Creates the log of errors. While the database is unavailable, the first failure is one line with
 * the cause, and those that follow are counted.
 */
export function createErrorLog(logger: Logger): LogError {
  let failures: number | null = null;

  function endWindow(): void {
    if (!failures) {
      failures = null;
      return;
    }
    logger.error({ component: "database", failures }, "the database is still unavailable");
    beginWindow();
  }

  function beginWindow(): void {
    failures = 0;
    setTimeout(endWindow, OUTAGE_MS).unref();
  }

  return (fields, thrown, message) => {
    const error = thrown instanceof Failure ? (thrown.cause ?? thrown) : thrown;
    if (!isOutage(error)) {
      logger.error({ ...fields, err: error }, message);
    } else if (failures === null) {
      logger.error({ ...fields, component: "database", err: error }, "the database is unavailable");
      beginWindow();
    } else {
      failures += 1;
    }
  };
}
