import cluster from "node:cluster";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Env } from "../env";
import { RELEASE } from "../process/release";

/** The least that is written at once. Processes that share a pipe write what it takes whole. */
const BYTES_A_WRITE = cluster.isWorker ? 3_000 : 15_000;
/** The most that waits to be written, as on a full disk. Further lines are lost. */
const BYTES_WAITING_MAX = 16_000_000;
/** The time for the last lines. A stop waits no longer for a log that cannot be written. */
const FLUSH_MS = 1_000;
/** The causes of an error that are described with it, one of the other. */
const CAUSES_MAX = 5;
/** Codes of PostgreSQL's errors whose text quotes values: invalid data, and raised by a function. */
const QUOTING_SQLSTATE = /^(22|P0)/;

export interface ServerLog {
  readonly logger: Logger;
  /** Writes the lines that are still in memory, where they can be written. */
  readonly flush: () => Promise<void>;
}

/**
 * Creates a logger that writes each entry as one line of JSON, or as readable text on a terminal.
 * Entries contain only listed fields: no token, body, query or cookie is ever passed in.
 */
export function createLogger(level: Env["LOG_LEVEL"]): ServerLog {
  const options = {
    level,
    base: {
      instance: os.hostname(),
      version: RELEASE,
      ...(cluster.isWorker && { pid: process.pid }),
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Errors keep their type, message and stack, but lose a query's statement and values.
    serializers: { err: (error: unknown) => toLogFields(error) },
  };
  if (process.stdout.isTTY) {
    const stream = pretty({ colorize: true, ignore: "pid,hostname,instance,version", sync: true });
    return { logger: pino(options, stream), flush: async () => {} };
  }
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BYTES_A_WRITE,
    maxLength: BYTES_WAITING_MAX,
  });
  let isFailing = false;
  // An error that nobody listens for would end the process. Each flush tries again.
  destination.on("error", (error) => {
    if (!isFailing) console.error(`The log cannot be written: ${error.message}`);
    isFailing = true;
  });
  destination.on("drain", () => {
    isFailing = false;
  });
  const flushSync = destination.flushSync.bind(destination);
  // Pino calls it at the process's end. It returns only when all is written.
  destination.flushSync = () => {
    if (!isFailing) flushSync();
  };
  const timer = setInterval(() => destination.flush(), 250);
  timer.unref();
  /** Ends a write that is under way, or writes what waits. */
  const write = () => new Promise<void>((resolve) => destination.flush(() => resolve()));
  return {
    logger: pino(options, destination),
    async flush() {
      clearInterval(timer);
      await Promise.race([write().then(write), sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Describes an error for the log, by its class: the only place where errors lose their secrets.
 * - Drizzle's error contains the statement and its parameters; its cause contains the reason.
 *   PostgreSQL's own text is written, except where it quotes a value.
 * - viem's errors contain the endpoint's address, with its key, and the request. Their classes, from
 *   the outermost to the cause, and the HTTP status are written.
 * - Every other text loses what follows the host in its addresses. Its cause, and the errors that it stands for, are
 *   described alike.
 */
function toLogFields(error: unknown, causesMax = CAUSES_MAX): object {
  if (!(error instanceof Error)) return { message: hideAddresses(String(error)) };
  if ("shortMessage" in error) {
    const classes = listClasses(error);
    return { type: error.name, message: classes.join(" < "), stack: stripMessage(error) };
  }
  if (error.name === "DrizzleQueryError" || "query" in error) {
    const cause = error.cause instanceof Error ? error.cause : error;
    const code = "code" in cause ? String(cause.code) : undefined;
    const isSafe = cause.name !== "DrizzleQueryError" && !QUOTING_SQLSTATE.test(code ?? "");
    const message = isSafe ? cause.message : "A statement failed";
    return { type: cause.name, code, message, stack: stripMessage(error) };
  }
  const code = "code" in error ? error.code : undefined;
  const message = hideAddresses(error.message);
  return {
    ...{ type: error.name, code, message, stack: hideAddresses(error.stack ?? "") },
    ...(causesMax > 0 &&
      error.cause instanceof Error && { cause: toLogFields(error.cause, causesMax - 1) }),
    ...(causesMax > 0 &&
      error instanceof AggregateError && {
        errors: error.errors.map((each) => toLogFields(each, causesMax - 1)),
      }),
  };
}

/** Lists the classes of an error and of its causes, each with its HTTP status if it has one. */
function listClasses(error: Error): string[] {
  const classes: string[] = [];
  for (
    let layer: unknown = error;
    layer instanceof Error && classes.length < 10;
    layer = layer.cause
  ) {
    const status = "status" in layer && typeof layer.status === "number" ? ` ${layer.status}` : "";
    classes.push(`${layer.name}${status}`);
  }
  return classes;
}

/** Removes paths, queries and passwords from the addresses in a text: they hold keys. */
function hideAddresses(text: string): string {
  return text.replace(/\b([a-z]{2,10}:\/\/)([^\s"'<>()]*)/gi, (_, scheme: string, rest: string) => {
    const authority = rest.split(/[/?#]/, 1)[0] ?? "";
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    return scheme.toLowerCase() === "file://" ? scheme + rest : `${scheme}${host}/…`;
  });
}

function stripMessage(error: Error): string {
  const lines = (error.stack ?? "").split("\n");
  return lines.filter((line) => line.startsWith("    at ")).join("\n");
}
