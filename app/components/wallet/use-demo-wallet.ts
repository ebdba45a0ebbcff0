import { useEffect, useState } from "react";
import type { WalletChain } from "./config";

/** The chain of the demo. */
const DEMO_CHAIN_ID = 84532;
// Decided at build time: other builds contain neither the wallet nor a way to it.
const IS_DEMO = import.meta.env.MODE === "demo";
let isAnnounced = false;

/**
 * Announces the demo's wallet, in a demo.
 * @returns whether the page may look for wallets; true at once in all other builds
 */
export function useDemoWallet(chains: readonly WalletChain[]): boolean {
  const [isReady, setIsReady] = useState(!IS_DEMO || isAnnounced);
  useEffect(() => {
    if (!IS_DEMO || isReady) return;
    const chain = chains.find(({ id, isPublicRpcOverridden }) => {
      return id === DEMO_CHAIN_ID && isPublicRpcOverridden;
    });
    // A demo without a chain of its own has no use for its wallet, and neither has a real chain.
    if (!chain) return setIsReady(true);
    void import("./demo-wallet").then(({ announceDemoWallet }) => {
      isAnnounced = true;
      announceDemoWallet(chain);
      setIsReady(true);
    });
  }, [chains, isReady]);
  return isReady;
}
