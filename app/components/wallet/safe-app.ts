import { createContext, useContext } from "react";
import { type Hex, isHex, withTimeout } from "viem";
import type { CreateConnectorFn } from "wagmi";
import { safe } from "wagmi/connectors/safe";

// The page in a frame of Safe's web app, as one of the apps of a Safe: a wallet whose owners sign one
// after the other. Its SDK is loaded there only.

/** How many of a Safe's owners have signed, of how many who must. */
export interface Signatures {
  readonly have: number;
  readonly needed: number;
}

/** How a Safe's transaction ended. Only an executed one has a hash of its own. */
type SafeEnd =
  | { readonly end: "executed"; readonly hash: Hex }
  | { readonly end: "reverted"; readonly hash: Hex }
  | { readonly end: "rejected" };

/** The Safe around this page. */
export interface SafeApp {
  readonly connector: CreateConnectorFn;
  /**
   * Waits until the owners have executed or rejected what was handed to the Safe.
   * @throws when the waiting is ended
   */
  readonly follow: (
    safeTxHash: Hex,
    options: { signal: AbortSignal; tell: (signatures: Signatures | null) => void },
  ) => Promise<SafeEnd>;
  /**
   * Lets the Safe sign a text, and waits until its owners have.
   * @param options.onOwners is told that others have to sign as well
   * @returns `0x` when the Safe remembers on chain what it signed (ERC-1271)
   * @throws when the waiting is ended, or the owners reject it
   */
  readonly sign: (
    text: string,
    options: { signal: AbortSignal; onOwners: () => void },
  ) => Promise<Hex>;
}

const ANSWER_DEADLINE_MS = 15_000;
/** Safe's page asks its own service each time. */
const ASK_AGAIN_MS = 4_000;

/** Whether another page shows this one in a frame: only Safe's can. */
export function isFramed(): boolean {
  return window.parent !== window;
}

/** @param origins of Safe's web app: nobody else's messages are read */
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
      // It may not be known yet, or Safe's service may be away for a moment.
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

/** @throws what the signal says, once it is given */
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

/** @param info what Safe's service tells of a transaction that needs owners */
function toSignatures(info: object | null | undefined): Signatures | null {
  const { confirmations, confirmationsRequired } = (info ?? {}) as Record<string, unknown>;
  if (!Array.isArray(confirmations) || typeof confirmationsRequired !== "number") return null;
  return { have: confirmations.length, needed: confirmationsRequired };
}

/** The origin itself, and nothing that begins or ends like it. */
function toPattern(origin: string): RegExp {
  return new RegExp(`^${origin.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

/** Null where the page is not in a frame. */
export const SafeAppContext = createContext<SafeApp | null>(null);

/** The Safe around this page, if there is one. */
export function useSafeApp(): SafeApp | null {
  return useContext(SafeAppContext);
}
