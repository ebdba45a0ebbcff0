import { useState } from "react";
import { useConnect, useConnection, useConnectors, useDisconnect } from "wagmi";
import { describeChainError } from "../../domain/campaigns/errors";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { WalletConnectCode } from "./connect-code";
import { DemoWalletNote } from "./demo-wallet-note";
import { useSafeApp } from "./safe-app";

/** The wallets to choose from; once one is connected, which it is and the way out. */
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
          {/* In lower case, as an address that is looked up: the two are compared by eye. */}
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

/** Wallets that announce themselves have a name; the nameless one stands in where there is none. */
function useListedConnectors() {
  const connectors = useConnectors();
  const isAnnounced = connectors.some(({ type, id }) => type === "injected" && id !== "injected");
  return isAnnounced ? connectors.filter(({ id }) => id !== "injected") : connectors;
}

/** Only an image that is in the announcement itself: nothing is fetched for it. */
function WalletIcon({ src }: { src: string | undefined }) {
  if (!src?.startsWith("data:image/")) return null;
  return <img src={src} alt="" className="size-4 rounded" />;
}
