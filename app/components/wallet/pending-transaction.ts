import type { Hex } from "viem";

// The transactions that were sent and not found yet, so that a reload continues to wait for them.

export interface PendingTransaction {
  readonly hash: Hex;
  readonly chainId: number;
  /** The purpose of the transaction, in the page's own words. */
  readonly kind: string;
  /**
   * The kind of hash when it is not the transaction's own yet: that of the Safe around the page, or
   * that of another contract wallet, which may be either. "calls" has the wallet's own id instead
   * (EIP-5792).
   */
  readonly via?: "safe" | "contract" | "calls" | undefined;
}

const toName = (key: string) => `pending-transaction:${key}`;

/** The longest id that EIP-5792 allows: 4,096 bytes in hexadecimal digits. */
const CALLS_ID_MAX = 8_194;
/** A month: a Safe's owners may take their time. */
const COOKIE_SECONDS = 30 * 86_400;

/**
 * Finds the transaction that is kept under a key. Returns null when there is none, or when the
 * browser keeps nothing.
 */
export function findPending(key: string): PendingTransaction | null {
  try {
    const value: unknown = JSON.parse(readItem(toName(key)) ?? "null");
    return isPending(value) ? value : null;
  } catch {
    return null;
  }
}

/** Keeps a transaction; null deletes it. */
export function keepPending(key: string, pending: PendingTransaction | null): void {
  const name = toName(key);
  try {
    if (pending) localStorage.setItem(name, JSON.stringify(pending));
    else localStorage.removeItem(name);
  } catch {
    writeCookie(name, pending && JSON.stringify(pending));
  }
}

// Browsers that refuse a frame of another site all storage leave it partitioned cookies (CHIPS),
// which only this frame on that site can read. The server does not read them.

const toCookieName = (name: string) => `__Secure-${encodeURIComponent(name)}`;

function readItem(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    const start = `${toCookieName(name)}=`;
    const cookie = document.cookie.split("; ").find((one) => one.startsWith(start));
    return cookie ? decodeURIComponent(cookie.slice(start.length)) : null;
  }
}

function writeCookie(name: string, value: string | null): void {
  const maxAge = value === null ? 0 : COOKIE_SECONDS;
  const pair = `${toCookieName(name)}=${encodeURIComponent(value ?? "")}`;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${pair}; Path=/claim; Secure; SameSite=None; Partitioned; Max-Age=${maxAge}`;
}

function isPending(value: unknown): value is PendingTransaction {
  const { hash, chainId, kind, via } = (value ?? {}) as Partial<PendingTransaction>;
  return (
    typeof hash === "string" &&
    (via === "calls" ? hash.length <= CALLS_ID_MAX : /^0x[0-9a-f]{64}$/.test(hash)) &&
    typeof chainId === "number" &&
    typeof kind === "string" &&
    (via === undefined || via === "safe" || via === "contract" || via === "calls")
  );
}
