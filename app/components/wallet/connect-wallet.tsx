import { useState } from "react";
import { useConnect, useConnection, useConnectors, useDisconnect } from "wagmi";
import { describeChainError } from "../../domain/campaigns/errors";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { WalletConnectCode } from "./connect-code";
import { DemoWalletNote } from "./demo-wallet-note";
import { OpenInApp } from "./open-in-app";
import { useSafeApp } from "./safe-app";

/**
 * Offers the wallets to choose from. Once one is connected, it shows that wallet and the way to
 * disconnect.
 */
export function ConnectWallet() {
  const { address, connector, isConnected } = useConnection();
  const connect = useConnect();
  const disconnect = useDisconnect();
  const [uri, setUri] = useState<string | null>(null);
  const connectors = useListedConnectors();
  const safeApp = useSafeApp();
  if (isConnected && address) {
    return (
      <div className="space-y-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="text-ink-muted">Connected:</span>
          {/* In lower case, like a searched address: readers compare the two by eye. */}
          <Address address={address.toLowerCase()} />
          <span className="text-ink-muted">{connector?.name}</span>
          {!safeApp && (
            <Button variant="quiet" size="small" onClick={() => disconnect.mutate({})}>
              Disconnect
            </Button>
          )}
        </div>
        <DemoWalletNote />
      </div>
    );
  }
  const choose = (chosen: (typeof connectors)[number]) => {
    if (chosen.type === "walletConnect") {
      chosen.emitter.on("message", ({ type, data }) => {
        if (type === "display_uri") setUri(String(data));
      });
    }
    connect.mutate({ connector: chosen }, { onSettled: () => setUri(null) });
  };
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        {connectors.map((one) => (
          <Button
            key={one.uid}
            size="small"
            isBusy={connect.isPending && connect.variables?.connector === one}
            onClick={() => choose(one)}
          >
            <WalletIcon src={one.icon} />
            {one.name === "Injected" ? "Browser wallet" : one.name}
          </Button>
        ))}
      </div>
      {!safeApp && <OpenInApp />}
      <DemoWalletNote />
      {connect.error && (
        <Alert>
          {safeApp
            ? "The Safe does not answer. Open this page again from the Safe's apps."
            : describeChainError(connect.error)}
        </Alert>
      )}
      {uri && <WalletConnectCode uri={uri} onClose={() => setUri(null)} />}
    </div>
  );
}

/**
 * Lists the connectors. Wallets that announce themselves have a name; the unnamed connector is
 * offered when there are none.
 */
function useListedConnectors() {
  const connectors = useConnectors();
  const isAnnounced = connectors.some(({ type, id }) => type === "injected" && id !== "injected");
  return isAnnounced ? connectors.filter(({ id }) => id !== "injected") : connectors;
}

/**
 * Shows a wallet's icon, only if the announcement contains the image itself: nothing is fetched for
 * it.
 */
function WalletIcon({ src }: { src: string | undefined }) {
  if (!src?.startsWith("data:image/")) return null;
  return <img src={src} alt="" className="size-4 rounded" />;
}
