import type { Hex } from "viem";
import type { Address } from "../../domain/address";
import type { ClaimOverview } from "../../domain/claims/overview";

// The claim page's calls of this service, and their retries.

/** A wallet's share of an airdrop that is on chain. */
export interface TokenEntry {
  readonly kind: "token";
  readonly distributionId: string;
  readonly rewardId: string;
  readonly campaignName: string;
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly onchainId: string;
  readonly tokenAddress: Address | null;
  readonly tokenDecimals: number;
  readonly tokenSymbol: string;
  readonly claimDeadline: string | null;
  readonly amountWei: string;
  readonly claimedAt: string | null;
  readonly claimTxHash: Hex | null;
  readonly hasProof: boolean;
  /** Whether its tree is built, and its tokens are not in the contract yet. */
  readonly isUnfunded: boolean;
  /** Its proof; null when it was not ready, and GET /rewards/proof is to be asked. */
  readonly proof: Proof | null;
}

/** A gift card of a wallet. */
export interface GiftCardEntry {
  readonly kind: "giftcard";
  readonly distributionId: string;
  readonly rewardId: string;
  readonly campaignName: string;
  readonly tierLabel: string;
  readonly revealed: boolean;
  readonly claimedAt: string | null;
}

/** The answer to a look-up of a wallet. */
export interface WalletLookUp extends ClaimOverview {
  readonly distributions: readonly (TokenEntry | GiftCardEntry)[];
}

/** The answer of GET /rewards/proof. */
export interface Proof {
  readonly amount: string;
  readonly merkleProof: readonly Hex[];
}

/** The reason why the service refused a call; `status` is null when it did not answer at all. */
export class ServiceRefusal extends Error {
  override readonly name = "ServiceRefusal";

  constructor(
    readonly status: number | null,
    readonly code: string | null,
    readonly text: string,
    readonly retryAfterMs: number | null,
  ) {
    super(text);
  }
}

const DEADLINE_MS = 15_000;
const RETRIES_MAX = 4;
/** The most retries after status 429: the limit ends after a while. */
const REFUSALS_MAX = 20;
const BACK_OFF_MAX_MS = 15_000;

/**
 * Asks this service for JSON.
 * @param body is posted when there is one
 * @throws {ServiceRefusal}
 */
export async function askService<Answer>(path: string, body?: object): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(path, {
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(body && {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  } catch {
    throw refuse(null, {}, null);
  }
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer as Answer;
  const seconds = Number(response.headers.get("retry-after") ?? "none");
  throw refuse(response.status, answer, Number.isFinite(seconds) ? seconds * 1_000 : null);
}

function refuse(status: number | null, answer: unknown, retryAfterMs: number | null) {
  const { code, message } = (answer ?? {}) as { code?: unknown; message?: unknown };
  const text = typeof message === "string" ? `${message}.` : "The service does not answer.";
  return new ServiceRefusal(status, typeof code === "string" ? code : null, text, retryAfterMs);
}

/** Reads the refusal from an error; an error of another kind has no status and no code. */
export function toRefusal(error: unknown): ServiceRefusal {
  if (error instanceof ServiceRefusal) return error;
  return new ServiceRefusal(null, null, "Something went wrong.", null);
}

/**
 * The retries of a query of `askService`. A retry waits as long as the service asks for, or ever
 * longer. A final refusal is not retried.
 */
export const SERVICE_QUERY = {
  retry(failures: number, error: unknown) {
    const { status, code } = toRefusal(error);
    // The service asks ENS again after a minute at the earliest; the reader has the address by
    // then.
    if (code === "ens_unavailable") return false;
    if (status === 429) return failures < REFUSALS_MAX;
    return (status === null || status >= 500) && failures < RETRIES_MAX;
  },
  retryDelay(failures: number, error: unknown) {
    return toRefusal(error).retryAfterMs ?? Math.min(1_000 * 2 ** failures, BACK_OFF_MAX_MS);
  },
  // A service on this machine, or behind a browser that takes itself for offline, can still answer.
  networkMode: "always",
} as const;
