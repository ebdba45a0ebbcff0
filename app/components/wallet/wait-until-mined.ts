import type { Hex } from "viem";
import type { Config } from "wagmi";
import { getTransactionReceipt, waitForTransactionReceipt } from "wagmi/actions";

/** The end of a transaction. `hash` is the hash of the replacement, if there was one. */
export type Outcome =
  | { readonly end: "mined"; readonly hash: Hex }
  | { readonly end: "reverted"; readonly hash: Hex }
  | { readonly end: "cancelled" | "replaced"; readonly hash: Hex };

const POLLING_MS = 1_500;

/**
 * Waits until a transaction, or its sender's replacement of it, is in a block.
 * @param signal ends the wait
 * @throws when the signal aborts
 */
export async function waitUntilMined(
  config: Config,
  { hash, chainId, signal }: { hash: Hex; chainId: number; signal: AbortSignal },
): Promise<Outcome> {
  const done = new AbortController();
  const stop = () => done.abort();
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([
      pollReceipt(config, hash, chainId, done.signal),
      watchReplacement(config, hash, chainId),
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("The waiting was ended")));
      }),
    ]);
  } finally {
    done.abort();
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Asks for the receipt itself: a watcher of blocks gets no events on a chain that makes no blocks.
 */
async function pollReceipt(config: Config, hash: Hex, chainId: number, signal: AbortSignal) {
  while (!signal.aborted) {
    const receipt = await getTransactionReceipt(config, { hash, chainId }).catch(() => null);
    if (receipt) return toOutcome(receipt);
    await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
  }
  // The other wait ended first.
  return new Promise<never>(() => {});
}

async function watchReplacement(config: Config, hash: Hex, chainId: number): Promise<Outcome> {
  let reason: "cancelled" | "replaced" | "repriced" | undefined;
  try {
    const receipt = await waitForTransactionReceipt(config, {
      hash,
      chainId,
      timeout: 0,
      onReplaced: (replacement) => {
        reason = replacement.reason;
      },
    });
    if (reason === "cancelled" || reason === "replaced") {
      return { end: reason, hash: receipt.transactionHash };
    }
    return toOutcome(receipt);
  } catch {
    // A revert, or an endpoint that failed: `pollReceipt` finds out which.
    return new Promise<never>(() => {});
  }
}

function toOutcome({ status, transactionHash }: { status: string; transactionHash: Hex }): Outcome {
  return { end: status === "success" ? "mined" : "reverted", hash: transactionHash };
}
