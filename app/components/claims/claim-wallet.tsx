import { createPortal } from "react-dom";
import { useConnection } from "wagmi";
import { ConnectWallet } from "../wallet/connect-wallet";
import { WalletProvider } from "../wallet/provider";
import { useDemoWallet } from "../wallet/use-demo-wallet";
import { type ClaimPageData, CONNECT_PLACE_ID } from "./claim-page";
import { ClaimResults } from "./claim-results";
import { LinkWallets } from "./link-wallets";

/**
 * Shows the parts of the claim page that need a wallet: the connection above the form, and the rewards. It includes
 * wagmi, and is loaded separately.
 */
export default function ClaimWallet(props: { page: ClaimPageData; typed: string }) {
  if (!useDemoWallet(props.page.chains)) return null;
  return (
    <WalletProvider options={props.page}>
      <Parts {...props} />
    </WalletProvider>
  );
}

function Parts({ page, typed }: { page: ClaimPageData; typed: string }) {
  const { address, status } = useConnection();
  const place = document.getElementById(CONNECT_PLACE_ID);
  const wallet = typed || address?.toLowerCase();
  return (
    <>
      {place &&
        createPortal(
          <section aria-label="Your wallet" className="text-sm">
            <ConnectWallet />
          </section>,
          place,
        )}
      <div className="mt-8">
        {wallet ? (
          <ClaimResults key={wallet} page={page} wallet={wallet} />
        ) : (
          <p role="status" className="text-sm text-ink-muted">
            {status === "reconnecting"
              ? "Looking for your wallet…"
              : "Look up a wallet, or connect yours, to see its rewards."}
          </p>
        )}
      </div>
      <div className="mt-8">
        <LinkWallets path={`/claim/${page.pointSystem.id}`} />
      </div>
    </>
  );
}
