import { createContext, useContext } from "react";
import { type Hex, isHex, withTimeout } from "viem";
import type { CreateConnectorFn } from "wagmi";
import { safe } from "wagmi/connectors/safe";

// The connection of a page that Safe's web app frames, as an app of a Safe: a wallet whose owners
// sign one after the other. The SDK is loaded only in such a frame.

/** The number of a Safe's owners who have signed, and the number of those who must. */
export interface Signatures {
  readonly have: number;
  readonly needed: number;
}

/** The end of a Safe's transaction. Only an executed one has a hash of its own. */
type SafeEnd =
  | { readonly end: "executed"; readonly hash: Hex }
  | { readonly end: "reverted"; readonly hash: Hex }
  | { readonly end: "rejected" };

/** The Safe around this page. */
export interface SafeApp {
  readonly connector: CreateConnectorFn;
  /**
   * Waits until the owners have executed or rejected the transaction that was handed to the Safe.
   * @throws when the signal aborts
   */
  readonly follow: (
    safeTxHash: Hex,
    options: { signal: AbortSignal; tell: (signatures: Signatures | null) => void },
  ) => Promise<SafeEnd>;
  /**
   * Asks the Safe to sign a text, and waits until its owners have signed.
   * @param options.onOwners is called when other owners have to sign as well
   * @returns `0x` when the Safe records its signature on chain (ERC-1271)
   * @throws when the signal aborts, or when the owners reject it
   */
  readonly sign: (
    text: string,
    options: { signal: AbortSignal; onOwners: () => void },
  ) => Promise<Hex>;
}

const ANSWER_DEADLINE_MS = 15_000;
/** The wait between questions: Safe's page asks its own service each time. */
const ASK_AGAIN_MS = 4_000;

/** Checks whether another page frames this one: only Safe's can. */
export function isFramed(): boolean {
  return window.parent !== window;
}

/**
 * Creates the connection to the Safe around the page.
 * @param origins of Safe's web app: messages from other origins are not read
 */
export function createSafeApp(origins: readonly string[]): SafeApp {
  const options = { allowedDomains: origins.map(toPattern) };
  const openSdk = async () => {
    const { default: SafeSdk } = await import("@safe-global/safe-apps-sdk");
    return new SafeSdk(options);
  };
  let opened: ReturnType<typeof openSdk> | undefined;
  const getSdk = () => {
    opened ??= openSdk().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  const follow: SafeApp["follow"] = async (safeTxHash, { signal, tell }) => {
    const find = () => getSdk().then(({ txs }) => txs.getBySafeTxHash(safeTxHash));
    for (;;) {
      // The transaction may not be known yet, or Safe's service may be away for a moment.
      const found = await answer(find()).catch(() => null);
      signal.throwIfAborted();
      const status = String(found?.txStatus);
      const hash = found?.txHash;
      if (status === "CANCELLED") return { end: "rejected" };
      if (isHex(hash) && status === "SUCCESS") return { end: "executed", hash };
      if (isHex(hash) && status === "FAILED") return { end: "reverted", hash };
      tell(toSignatures(found?.detailedExecutionInfo));
      await rest(signal);
    }
  };

  const sign: SafeApp["sign"] = async (text, { signal, onOwners }) => {
    const sdk = await getSdk();
    const signed = await until(signal, sdk.txs.signMessage(text));
    if ("signature" in signed && isSignature(signed.signature)) return signed.signature;
    onOwners();
    if ("messageHash" in signed) {
      for (;;) {
        const asked = answer(sdk.safe.getOffChainSignature(signed.messageHash));
        const signature = await asked.catch(() => null);
        signal.throwIfAborted();
        if (isSignature(signature)) return signature;
        await rest(signal);
      }
    }
    const { end } = await follow(signed.safeTxHash as Hex, { signal, tell: () => {} });
    if (end !== "executed") throw new Error("The Safe's owners rejected it.");
    // The chain that is asked afterwards may be a moment behind.
    while (!(await answer(sdk.safe.isMessageSigned(text)).catch(() => false))) await rest(signal);
    return "0x";
  };

  return {
    connector: safe({ ...options, unstable_getInfoTimeout: ANSWER_DEADLINE_MS }),
    follow,
    sign,
  };
}

const answer = <Value>(asked: Promise<Value>) =>
  withTimeout(() => asked, { timeout: ANSWER_DEADLINE_MS });

function rest(signal: AbortSignal): Promise<void> {
  return until(signal, new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS)));
}

/**
 * Waits for a value until the signal aborts.
 * @throws the signal's reason, once it aborts
 */
async function until<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function isSignature(value: unknown): value is Hex {
  return isHex(value) && value.length > 2;
}

/**
 * Reads the signatures of a transaction.
 * @param info the answer of Safe's service about a transaction that needs owners
 */
function toSignatures(info: object | null | undefined): Signatures | null {
  const { confirmations, confirmationsRequired } = (info ?? {}) as Record<string, unknown>;
  if (!Array.isArray(confirmations) || typeof confirmationsRequired !== "number") return null;
  return { have: confirmations.length, needed: confirmationsRequired };
}

/** Makes a pattern that matches the origin exactly. */
function toPattern(origin: string): RegExp {
  return new RegExp(`^${origin.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

/** The Safe around the page; null when the page is not in a frame. */
export const SafeAppContext = createContext<SafeApp | null>(null);

/** Returns the Safe around this page, or null when there is none. */
export function useSafeApp(): SafeApp | null {
  return useContext(SafeAppContext);
}
