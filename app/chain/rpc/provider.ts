import { createHash } from "node:crypto";

/** The problems that a provider's answer can have. Pages describe each in its own words. */
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

/** Problems that pass by themselves: the call is worth another try. */
const PASSING: ReadonlySet<ProviderProblem> = new Set(["rate_limited", "query_timeout"]);

/**
 * An unusable answer of a provider. Its text contains no address, key or body: logs and pages may
 * show it.
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";

  /** @param retryAfterMs the pause that the provider asked for */
  constructor(
    readonly problem: ProviderProblem,
    readonly retryAfterMs = 0,
  ) {
    super(WORDS[problem]);
  }
}

export function isPassing({ problem }: ProviderError): boolean {
  return PASSING.has(problem);
}

/** A provider of data, with its limits on calls. */
export interface Provider {
  /** Identifies the provider and its key without revealing either. */
  readonly id: string;
  readonly callsPerSecond: number;
  readonly callsPerDay: number;
}

/**
 * Callbacks that limit and record the calls to providers. The caller, which has the database,
 * supplies them.
 */
export interface ProviderHooks {
  /**
   * Waits until the provider may be called.
   * @throws {ProviderError} `budget_used` when that would be too late
   */
  readonly awaitSlot: (provider: Provider) => Promise<void>;
  /** Pauses calls to the provider, in every process. */
  readonly pause: (provider: Provider, pauseMs: number) => Promise<void>;
  readonly report: (provider: Provider, chainId: number, problem: ProviderProblem | null) => void;
  /** Ends all calls under way. */
  readonly signal: AbortSignal;
}

/** Describes a problem. */
export function describeProblem(problem: string): string {
  return WORDS[problem as ProviderProblem] ?? "It failed";
}

/**
 * Builds a provider's id from its kind and a hash of its URL and key.
 * @param kind the readable first part of the id
 */
export function getProviderId(kind: string, url: string, apiKey = ""): string {
  const hash = createHash("sha256").update(`${url} ${apiKey}`).digest("hex").slice(0, 12);
  return `${kind}:${hash}`;
}
