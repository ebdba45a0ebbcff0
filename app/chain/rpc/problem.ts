import {
  BaseError,
  BlockNotFoundError,
  HttpRequestError,
  ResponseBodyTooLargeError,
  TimeoutError,
  TransactionReceiptNotFoundError,
} from "viem";

/** The problems that an endpoint's answer can have. Pages describe each in their own words. */
export type ChainProblem =
  | "unreachable"
  | "too_slow"
  | "rate_limited"
  | "range_refused"
  | "wrong_chain"
  | "behind"
  | "moved"
  | "incomplete"
  | "contradicted"
  | "unreadable"
  | "refused";

const WORDS: Readonly<Record<ChainProblem, string>> = {
  unreachable: "The endpoint does not answer",
  too_slow: "The endpoint does not answer in time",
  rate_limited: "The endpoint's call limit is reached",
  range_refused: "The endpoint refuses log queries, even for one block",
  wrong_chain: "The endpoint serves another chain",
  behind: "The endpoint is behind the blocks already seen",
  moved: "The chain changed while it was read",
  incomplete: "The endpoint omits logs of its own blocks",
  contradicted: "The endpoints contradict each other about final blocks",
  unreadable: "The endpoint's answer could not be read",
  refused: "The endpoint refuses the call",
};

/**
 * An unusable answer of an endpoint. Its text contains no address and no key: logs and pages may
 * show it.
 */
export class ChainError extends Error {
  override readonly name = "ChainError";

  constructor(readonly chainProblem: ChainProblem) {
    super(WORDS[chainProblem]);
  }
}

/** Describes a problem that was stored. */
export function describeChainProblem(problem: string): string {
  return WORDS[problem as ChainProblem] ?? WORDS.refused;
}

/** Matches limits on the number of calls. Limits on the size of one call use similar words. */
const LIMIT_ON_CALLS =
  /\brate\b|too many requests|requests? (limit|count)|per (second|minute|day)|\bcapacity\b|throttl|quota/i;
const LIMIT_ON_RANGE =
  /range|too (many|large|big|wide|long)|more than|exceed|limit|max(imum)?\b|response size/i;

/**
 * Classifies an error by what the library and the endpoint report. Returns null for an error that
 * no endpoint caused.
 */
export function classifyChainError(error: unknown): ChainProblem | null {
  if (error instanceof ChainError) return error.chainProblem;
  if (error instanceof DOMException && error.name === "AbortError") return "too_slow";
  if (!(error instanceof BaseError)) return null;
  const own = error.walk((cause) => cause instanceof ChainError);
  if (own instanceof ChainError) return own.chainProblem;
  if (error.walk((cause) => cause instanceof ResponseBodyTooLargeError)) return "range_refused";
  if (error.walk((cause) => cause instanceof TimeoutError)) return "too_slow";
  const http = findHttpError(error);
  if (http?.status === 413) return "range_refused";
  // `details` is the endpoint's own text. The library's text is the same for both limits.
  const { details } = error;
  if (http?.status === 429 || LIMIT_ON_CALLS.test(details)) return "rate_limited";
  if (/time(d)?[ -]?out|deadline/i.test(details)) return "too_slow";
  if (LIMIT_ON_RANGE.test(details)) return "range_refused";
  if (error instanceof BlockNotFoundError || error instanceof TransactionReceiptNotFoundError) {
    return "behind";
  }
  return http ? "unreachable" : "refused";
}

function findHttpError(error: BaseError): HttpRequestError | null {
  const http = error.walk((cause) => cause instanceof HttpRequestError);
  return http instanceof HttpRequestError ? http : null;
}

/**
 * Checks whether an endpoint refused a request because it covers too many blocks or logs, or may
 * have. Some endpoints say so in their own words, some answer only HTTP 500.
 */
export function isAskedTooMuch(error: unknown): boolean {
  const problem = classifyChainError(error);
  if (problem === "range_refused" || problem === "refused") return true;
  const status = error instanceof BaseError ? findHttpError(error)?.status : undefined;
  return problem === "unreachable" && status !== undefined && status !== 401 && status !== 403;
}
