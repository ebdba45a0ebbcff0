import { createHash } from "node:crypto";

/** What can be wrong with a provider's answer. Each is told to people in its own words. */
export type ProviderProblem =
  | "unreachable"
  | "too_slow"
  | "rate_limited"
  | "query_timeout"
  | "budget_used"
  | "key_refused"
  | "plan_refused"
  | "chain_unknown"
  | "unreadable"
  | "distrusted"
  | "too_long";

const WORDS: Record<ProviderProblem, string> = {
  unreachable: "It did not answer",
  too_slow: "It did not answer in time",
  rate_limited: "Its rate limit is reached",
  query_timeout: "It aborted the query",
  budget_used: "This service's own call budget is used up",
  key_refused: "It rejects the API key",
  plan_refused: "The API key's plan does not include this chain",
  chain_unknown: "It does not support this chain",
  unreadable: "Its answer could not be read",
  distrusted: "It listed fewer transactions than the account has sent",
  too_long: "Its list is longer than it can deliver",
};

/** These pass by themselves; a call that met one is worth another try. */
const PASSING: ReadonlySet<ProviderProblem> = new Set(["rate_limited", "query_timeout"]);

/** An answer that is none. Its text holds no address, key or body: logs and pages may have it. */
export interface ProviderError extends Error {
  readonly problem: ProviderProblem;
  /** How long the provider asked to be left alone. */
  readonly retryAfterMs: number;
}

export function createProviderError(problem: ProviderProblem, retryAfterMs = 0): ProviderError {
  return Object.assign(new Error(WORDS[problem]), {
    name: "ProviderError",
    problem,
    retryAfterMs,
  });
}

export function isProviderError(error: unknown): error is ProviderError {
  return error instanceof Error && "problem" in error;
}

export function isPassing({ problem }: ProviderError): boolean {
  return PASSING.has(problem);
}

/** Somebody who is asked, and how often that may be. */
export interface Provider {
  /** Names the provider and the key, and gives neither away. */
  readonly id: string;
  readonly callsPerSecond: number;
  readonly callsPerDay: number;
}

/** What a call costs, and how it went: kept by whoever has the database. */
export interface ProviderHooks {
  /**
   * Waits until the provider may be called.
   * @throws {ProviderError} `budget_used` when that would be too late
   */
  readonly takeTurn: (provider: Provider) => Promise<void>;
  /** Leaves the provider alone for a while, in every process. */
  readonly pause: (provider: Provider, pauseMs: number) => Promise<void>;
  readonly report: (provider: Provider, chainId: number, problem: ProviderProblem | null) => void;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
}

/** The words for a problem. */
export function describeProblem(problem: string): string {
  return WORDS[problem as ProviderProblem] ?? "It failed";
}

/** @param kind what people read before the address */
export function getProviderId(kind: string, url: string, apiKey = ""): string {
  const hash = createHash("sha256").update(`${url} ${apiKey}`).digest("hex").slice(0, 12);
  return `${kind}:${hash}`;
}
