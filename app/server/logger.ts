import cluster from "node:cluster";
import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Env } from "../env";

/** The least that is written at once. Processes that share a pipe write what it takes whole. */
const BYTES_A_WRITE = cluster.isWorker ? 3_000 : 15_000;
/** Codes of PostgreSQL's errors whose text quotes values: invalid data, and raised by a function. */
const QUOTING_SQLSTATE = /^(22|P0)/;

export interface ServerLog {
  readonly logger: Logger;
  /** Writes the lines that are still in memory. */
  readonly flush: () => void;
}

/**
 * Creates a logger that writes each entry as one line of JSON, or as readable text on a terminal.
 * Entries contain only listed fields: no token, body, query or cookie is ever passed in.
 */
export function createLogger(level: Env["LOG_LEVEL"]): ServerLog {
  const options = {
    level,
    base: cluster.isWorker ? { pid: process.pid } : null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Errors keep their type, message and stack, but lose a query's statement and values.
    serializers: { err: describeError },
  };
  if (process.stdout.isTTY) {
    const stream = pretty({ colorize: true, ignore: "pid,hostname", sync: true });
    return { logger: pino(options, stream), flush: () => {} };
  }
  const destination = pino.destination({ dest: 1, sync: false, minLength: BYTES_A_WRITE });
  const timer = setInterval(() => destination.flush(), 250);
  timer.unref();
  return {
    logger: pino(options, destination),
    flush: () => {
      clearInterval(timer);
      destination.flushSync();
    },
  };
}

/**
 * Describes an error for the log. Drizzle's error contains the statement and its parameters; its
 * cause contains the reason. PostgreSQL's own text is written, except where it quotes a value.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  if (error.name === "DrizzleQueryError" || "query" in error) {
    const cause = error.cause instanceof Error ? error.cause : error;
    const code = "code" in cause ? String(cause.code) : undefined;
    const isSafe = cause.name !== "DrizzleQueryError" && !QUOTING_SQLSTATE.test(code ?? "");
    const message = isSafe ? cause.message : "A statement failed";
    return { type: cause.name, code, message, stack: stripMessage(error) };
  }
  const code = "code" in error ? error.code : undefined;
  return { type: error.name, code, message: error.message, stack: error.stack };
}

function stripMessage(error: Error): string {
  const lines = (error.stack ?? "").split("\n");
  return lines.filter((line) => line.startsWith("    at ")).join("\n");
}
