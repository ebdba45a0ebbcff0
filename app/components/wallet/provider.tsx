import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { WagmiProvider } from "wagmi";
import { createWalletConfig, type WalletOptions } from "./config";
import { createSafeApp, isFramed, SafeAppContext } from "./safe-app";

/** Provides wallets on some chains to its children. It is not rendered on the server. */
export function WalletProvider({
  options,
  children,
}: {
  options: WalletOptions;
  children: ReactNode;
}) {
  const { safeAppOrigins = [] } = options;
  const [safeApp] = useState(() =>
    safeAppOrigins.length > 0 && isFramed() ? createSafeApp(safeAppOrigins) : null,
  );
  const [config] = useState(() => createWalletConfig(options, safeApp));
  const [queries] = useState(() => new QueryClient());
  return (
    <WagmiProvider config={config} reconnectOnMount>
      <QueryClientProvider client={queries}>
        <SafeAppContext.Provider value={safeApp}>{children}</SafeAppContext.Provider>
      </QueryClientProvider>
    </WagmiProvider>
  );
}
