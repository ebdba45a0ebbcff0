import { Failure } from "../domain/failure";

/** Codes of postgres.js and of the socket for a missing connection, and of `NotSentError`. */
const CONNECTION_CODES = new Set([
  "NOT_SENT",
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
 * SQLSTATE classes and codes of a server that cannot serve now: connection exceptions, insufficient
 * resources, shutdown and recovery, a statement or lock over its time, a standby.
 */
const UNAVAILABLE_SQLSTATE = /^(08|53|57P0|57014|55P03|25006|40001|40P01|58)/;

/** SQLSTATEs of a server that refuses the connection itself: the login, or a database that is not there. */
const REFUSED_CONNECTION_SQLSTATE = /^(28|3D000)/;

/** Finds the driver's error, since Drizzle and `Failure` wrap the driver's errors. */
function findDriverError(error: unknown): (Error & { readonly code: string }) | null {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof Failure) continue;
    if ("code" in e && typeof e.code === "string") return e as Error & { readonly code: string };
  }
  return null;
}

const getDriverCode = (error: unknown) => findDriverError(error)?.code ?? null;

/** Finds the detail of PostgreSQL's error; null without one. */
export function getErrorDetail(error: unknown): string | null {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ("detail" in e && typeof e.detail === "string") return e.detail;
  }
  return null;
}

/** Checks whether the database failed, rather than the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = getDriverCode(error) ?? "";
  return isDatabaseAway(error) || REFUSED_CONNECTION_SQLSTATE.test(code) || isSocketFailure(error);
}

/** Checks whether the database is not there for now: without anyone's help, it may be there again soon. */
export function isDatabaseAway(error: unknown): boolean {
  const code = getDriverCode(error) ?? "";
  return CONNECTION_CODES.has(code) || UNAVAILABLE_SQLSTATE.test(code);
}

/**
 * Checks whether the socket of a connection failed, whatever its code is. postgres.js gives the error of a socket to each
 * statement that was under way, and names the statement in it.
 */
function isSocketFailure(error: unknown): boolean {
  const found = findDriverError(error);
  if (!found || !("query" in found)) return false;
  const isOfSystem = "syscall" in found || found instanceof AggregateError;
  return isOfSystem || isTlsFailure(found) || /^ERR_(SOCKET|STREAM)_/.test(found.code);
}

/** Checks whether a connection was never made: its socket, or the check of the server's certificate, failed. */
function isOfConnecting(error: unknown): boolean {
  const found = findDriverError(error);
  if (!found) return false;
  if ("syscall" in found) return found.syscall === "connect" || found.syscall === "getaddrinfo";
  // Several addresses were tried. OpenSSL's own failures may come later than the check of a certificate.
  return found instanceof AggregateError || /^(?!ERR_SSL_).*(CERT|LEAF_SIGNATURE)/.test(found.code);
}

/** Checks whether TLS with the server failed: above all, its certificate is not trusted. */
export function isTlsFailure(error: unknown): boolean {
  return /^(ERR_TLS_|ERR_SSL_|EPROTO$)|CERT|LEAF_SIGNATURE/.test(getDriverCode(error) ?? "");
}

/** Work was given up before anything was sent, or was rolled back. */
export class NotSentError extends Error {
  readonly code = "NOT_SENT";
  constructor() {
    super("The work was given up in time");
    this.name = "NotSentError";
  }
}

/** The database takes no writes: it may be a replica that becomes the primary soon. */
export class ReadOnlyError extends Error {
  readonly code = "25006";
  constructor() {
    super(
      "PostgreSQL at DATABASE_URL takes no writes: it is a replica, or default_transaction_read_only is on for the role, the database or the server.",
    );
    this.name = "ReadOnlyError";
  }
}

/** A code of PostgreSQL, and not one of a socket, such as EPIPE. */
const SQLSTATE = /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/;

/** Codes of a connection that was never made, so that no statement was sent. */
const UNSENT_CODES = new Set([
  "NOT_SENT",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "57P03", // PostgreSQL is starting or stopping
]);

/**
 * Checks whether a statement certainly changed nothing: PostgreSQL refused it, or never received
 * it. After a lost connection or a shutdown, it may have been committed.
 */
export function hasChangedNothing(error: unknown): boolean {
  const code = getDriverCode(error) ?? "";
  if (UNSENT_CODES.has(code) || isOfConnecting(error)) return true;
  return SQLSTATE.test(code) && !/^(08|57P0)/.test(code);
}

/** Checks whether the same transaction can succeed at once: serialization failure, deadlock. */
export function isRetryable(error: unknown): boolean {
  return ["40001", "40P01"].includes(getDriverCode(error) ?? "");
}

/**
 * Checks whether a unique constraint refused the statement.
 * @param constraint the constraint's name; any by default
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (!("code" in e) || e.code !== "23505") continue;
    if (constraint === undefined) return true;
    // Citus names the constraint of a shard, with the shard's number at its end, in the message alone.
    const [, named] = /unique constraint "(.+?)(?:_\d{6,})?"$/.exec(e.message) ?? [];
    return ("constraint_name" in e && e.constraint_name === constraint) || named === constraint;
  }
  return false;
}

/** Checks whether a row that must not be waited for is locked by another transaction. */
export function isLocked(error: unknown): boolean {
  return getDriverCode(error) === "55P03";
}

/** Checks whether a statement took too long, rather than the database being away. */
export function isTimedOut(error: unknown): boolean {
  return getDriverCode(error) === "57014";
}

/** Checks whether something waited too long: for a lock, for a statement's end, or for a turn before anything was sent. */
export function isOverdue(error: unknown): boolean {
  return isLocked(error) || isTimedOut(error) || getDriverCode(error) === "NOT_SENT";
}

/** Checks whether a check of a table refused a value. */
export function isCheckViolated(error: unknown): boolean {
  return getDriverCode(error) === "23514";
}
