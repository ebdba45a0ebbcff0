import type { Hex } from "viem";

// What was sent and not yet found, so that a reload goes on waiting for it.

export interface PendingTransaction {
  readonly hash: Hex;
  readonly chainId: number;
  /** What it does, in the page's own words. */
  readonly kind: string;
  /**
   * Whose hash it is when it is not the transaction's own yet: the Safe's around the page, or that of
   * another wallet which is a contract, and may be either.
   */
  readonly via?: "safe" | "contract" | undefined;
}

const toName = (key: string) => `pending-transaction:${key}`;

/** What is kept under a key. Null when there is nothing, or the browser keeps nothing. */
export function findPending(key: string): PendingTransaction | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(toName(key)) ?? "null");
    return isPending(value) ? value : null;
  } catch {
    return null;
  }
}

/** Keeps a transaction, or forgets it. */
export function keepPending(key: string, pending: PendingTransaction | null): void {
  try {
    if (pending) localStorage.setItem(toName(key), JSON.stringify(pending));
    else localStorage.removeItem(toName(key));
  } catch {
    // A browser that keeps nothing: a reload then begins anew.
  }
}

function isPending(value: unknown): value is PendingTransaction {
  const { hash, chainId, kind, via } = (value ?? {}) as Partial<PendingTransaction>;
  return (
    typeof hash === "string" &&
    /^0x[0-9a-f]{64}$/.test(hash) &&
    typeof chainId === "number" &&
    typeof kind === "string" &&
    (via === undefined || via === "safe" || via === "contract")
  );
}
