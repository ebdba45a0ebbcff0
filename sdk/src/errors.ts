import type { components } from "./openapi.js";

/** A stable code of the service's errors. The reference has a page for each, at /docs/errors. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/** Base class of every error that a call ends in. */
export class PointsError extends Error {
  /** The answer's X-Request-Id, which the service's log has too; null when no answer came. */
  requestId: string | null = null;
  /** The key of a credit: with it, the same credit is safe to send again. */
  idempotencyKey: string | null = null;
  /** The same of each item of a batch. */
  declare idempotencyKeys?: readonly string[];
}

/** No answer came: the connection was refused or lost. */
export class ConnectionError extends PointsError {
  override name = "ConnectionError";
}

/** No answer came in time. */
export class TimeoutError extends PointsError {
  override name = "TimeoutError";
}

/** An error's answer, as far as it could be read. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly item: number | null;
}

/** The service refused the call. Its subclasses follow from the code. */
export class ApiError extends PointsError {
  override name = "ApiError";
  declare readonly status: number;
  /** One of the documented codes, or of a later version; `unexpected_answer` for what is no error's JSON. */
  declare readonly code: ErrorCode | "unexpected_answer" | (string & {});
  /** Seconds after which the call can succeed; null when the answer does not say. */
  declare readonly retryAfterSeconds: number | null;
  /** The place of the refused item, for a batch that is credited whole or not at all. */
  declare readonly item: number | null;

  constructor({ message, ...answer }: ErrorAnswer) {
    super(`${answer.code}: ${message}`);
    Object.assign(this, answer);
  }
}

/** The API key is missing, malformed or revoked. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}

/** The key lacks the permission or the point system. */
export class PermissionError extends ApiError {
  override name = "PermissionError";
}

/** The service cannot take the request as it is: the program that sent it has a mistake. */
export class InvalidRequestError extends ApiError {
  override name = "InvalidRequestError";
}

/** The trigger, wallet, airdrop, share or path does not exist, or not yet. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** A rule forbids the credit or spend: inactive trigger, blacklisted wallet, cap, balance, or the most points. */
export class RefusedCreditError extends ApiError {
  override name = "RefusedCreditError";
}

/** The same Idempotency-Key came before with another request. */
export class IdempotencyError extends ApiError {
  override name = "IdempotencyError";
}

/** Too many calls. `retryAfterSeconds` says when the next one is admitted. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/** The service, its database or a provider did not answer in time. */
export class UnavailableError extends ApiError {
  override name = "UnavailableError";
}

/** The service has a bug. Report the request id to its operator. */
export class ServerError extends ApiError {
  override name = "ServerError";
}

/** Codes whose class does not follow from their status. */
const BY_CODE: { readonly [code: string]: typeof ApiError } = {
  trigger_inactive: RefusedCreditError,
  wallet_blacklisted: RefusedCreditError,
  points_limit_reached: RefusedCreditError,
  trigger_cap_reached: RefusedCreditError,
  insufficient_points: RefusedCreditError,
  idempotency_key_reused: IdempotencyError,
  // In a batch that is credited whole or not at all, these have the status 409 too.
  trigger_not_found: NotFoundError,
  rate_limit_exceeded: RateLimitError,
  not_credited: UnavailableError,
  outcome_unknown: UnavailableError,
  unexpected_answer: ApiError,
};

const BY_STATUS: { readonly [status: number]: typeof ApiError } = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: UnavailableError,
  429: RateLimitError,
  500: ServerError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
};

/**
 * Makes the error of an answer. A code that this version does not know goes by its status.
 * @internal
 */
export function createApiError(answer: ErrorAnswer): ApiError {
  const { code, status } = answer;
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : BY_STATUS[status];
  const Class = known ?? (status >= 400 && status < 500 ? InvalidRequestError : ApiError);
  return new Class(answer);
}
