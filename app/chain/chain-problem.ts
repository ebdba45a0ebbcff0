import {
  BaseError,
  BlockNotFoundError,
  HttpRequestError,
  TimeoutError,
  TransactionReceiptNotFoundError,
} from "viem";

/** What can be wrong with an endpoint's answer. Pages say each in words of its own. */
export type ChainProblem =
  | "unreachable"
  | "too_slow"
  | "rate_limited"
  | "range_refused"
  | "wrong_chain"
  | "behind"
  | "moved"
  | "incomplete"
  | "unreadable"
  | "refused";

const WORDS: Readonly<Record<ChainProblem, string>> = {
  unreachable: "The endpoint does not answer",
  too_slow: "The endpoint does not answer in time",
  rate_limited: "The endpoint says that its limit on calls is reached",
  range_refused: "The endpoint refuses to look for logs, even in a single block",
  wrong_chain: "The endpoint is one of another chain",
  behind: "The endpoint is behind what was seen of the chain before",
  moved: "The chain changed while it was read",
  incomplete: "The endpoint leaves out logs that are in its own blocks",
  unreadable: "The endpoint's answer could not be read",
  refused: "The endpoint refuses the call",
};

/** An answer that is none. Its text holds no address and no key: logs and pages may have it. */
export interface ChainError extends Error {
  readonly chainProblem: ChainProblem;
}

export function createChainError(chainProblem: ChainProblem): ChainError {
  return Object.assign(new Error(WORDS[chainProblem]), { name: "ChainError", chainProblem });
}

/** The words for a problem that was stored. */
export function describeChainProblem(problem: string): string {
  return WORDS[problem as ChainProblem] ?? WORDS.refused;
}

/** What is wrong, as far as the library and the endpoint tell. Null for what no endpoint caused. */
export function classifyChainError(error: unknown): ChainProblem | null {
  if (error instanceof Error && "chainProblem" in error) return (error as ChainError).chainProblem;
  if (!(error instanceof BaseError)) return null;
  if (isRangeError(error)) return "range_refused";
  if (error.walk((cause) => cause instanceof TimeoutError)) return "too_slow";
  if (/rate|too many requests|per (second|minute)|capacity|throttl/i.test(error.details)) {
    return "rate_limited";
  }
  if (error instanceof BlockNotFoundError || error instanceof TransactionReceiptNotFoundError) {
    return "behind";
  }
  const http = error.walk((cause) => cause instanceof HttpRequestError) as HttpRequestError | null;
  if (http?.status === 429) return "rate_limited";
  if (http) return "unreachable";
  return "refused";
}

/** Whether an endpoint refused a question for being about too many blocks or logs. */
export function isRangeError(error: unknown): boolean {
  if (error instanceof HttpRequestError && error.status === 413) return true;
  // What the endpoint itself says; the library's own words are the same for a limit on calls.
  const details = error instanceof BaseError ? error.details : "";
  const isOfCalls = /rate|too many requests|per (second|minute)|capacity/i.test(details);
  return !isOfCalls && /range|too (many|large)|more than|exceed|limit|max(imum)?\b/i.test(details);
}
