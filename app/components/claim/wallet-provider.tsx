import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { WagmiProvider } from "wagmi";
import { createWalletConfig, type WalletOptions } from "./wallet-config";

/** Gives the parts beneath it wallets on one chain. It is not rendered on the server. */
export function WalletProvider({
  options,
  children,
}: {
  options: WalletOptions;
  children: ReactNode;
}) {
  const [config] = useState(() => createWalletConfig(options));
  const [queries] = useState(() => new QueryClient());
  return (
    <WagmiProvider config={config} reconnectOnMount>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </WagmiProvider>
  );
}
