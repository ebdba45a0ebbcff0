import { useEffect } from "react";
import { useConnection } from "wagmi";
import type { ClaimPageData } from "./claim-page";
import { ClaimResults } from "./claim-results";
import { ConnectWallet } from "./connect-wallet";
import { WalletProvider } from "./wallet-provider";

/** The part of the page that needs a wallet. It comes with wagmi, and is loaded for itself. */
export default function ClaimWallet(props: { page: ClaimPageData; typed: string }) {
  useDemoWallet(props.page);
  return (
    <WalletProvider options={props.page}>
      <Parts {...props} />
    </WalletProvider>
  );
}

function Parts({ page, typed }: { page: ClaimPageData; typed: string }) {
  const { address, status } = useConnection();
  const wallet = typed || address?.toLowerCase();
  return (
    <>
      <section aria-label="Your wallet" className="mt-4 text-sm">
        <ConnectWallet />
      </section>
      <div className="mt-8">
        {wallet ? (
          <ClaimResults key={wallet} page={page} wallet={wallet} />
        ) : (
          <p role="status" className="text-sm text-ink-muted">
            {status === "reconnecting"
              ? "Looking for your wallet…"
              : "Look a wallet up, or connect yours, to see what it gets."}
          </p>
        )}
      </div>
    </>
  );
}

const DEMO_CHAIN_ID = 84532;
let isDemoWalletThere = false;

/** The condition is settled at build time: other builds do not contain the wallet. */
function useDemoWallet({ chains }: ClaimPageData): void {
  useEffect(() => {
    if (import.meta.env.MODE !== "demo" || isDemoWalletThere) return;
    const chain = chains.find(({ id }) => id === DEMO_CHAIN_ID);
    if (!chain) return;
    isDemoWalletThere = true;
    void import("./demo-wallet").then(({ announceDemoWallet }) => announceDemoWallet(chain));
  }, [chains]);
}
