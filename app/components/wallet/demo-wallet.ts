import { createWalletClient, type Hex, http, numberToHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import type { WalletChain } from "./config";

// A wallet within the page, so that the demo can be used in a browser without one. Only a build
// with `--mode demo` contains it: its key is public.

/** The usual mnemonic of development chains. */
const MNEMONIC = "test test test test test test test test test test test junk";
const ACCOUNT_INDEX = 2;
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><circle cx='4' cy='4' r='4' fill='%23888'/></svg>";

/** The storage key that remembers the permission to connect, as every wallet does. */
const CONNECTED_KEY = "demo-wallet";

type Listener = (value: unknown) => void;

/** Announces the demo's wallet to the page (EIP-6963). It knows only the given chain. */
export function announceDemoWallet({ id, publicRpcUrls }: WalletChain): void {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: ACCOUNT_INDEX });
  const client = createWalletClient({ account, transport: http(publicRpcUrls[0]) });
  const listeners = new Map<string, Set<Listener>>();
  const isConnected = () => localStorage.getItem(CONNECTED_KEY) !== null;
  const connect = () => localStorage.setItem(CONNECTED_KEY, "");

  const request = async ({ method, params = [] }: { method: string; params?: unknown[] }) => {
    switch (method) {
      case "eth_requestAccounts":
        connect();
        return [account.address];
      case "eth_accounts":
        return isConnected() ? [account.address] : [];
      case "wallet_requestPermissions":
        connect();
        return [{ parentCapability: "eth_accounts" }];
      case "wallet_revokePermissions":
        localStorage.removeItem(CONNECTED_KEY);
        return null;
      case "eth_chainId":
        return numberToHex(id);
      case "wallet_switchEthereumChain":
      case "wallet_addEthereumChain": {
        const [{ chainId }] = params as [{ chainId: Hex }];
        if (Number(chainId) === id) return null;
        throw Object.assign(new Error("It supports no other chain."), { code: 4902 });
      }
      case "wallet_watchAsset":
        return true;
      case "personal_sign":
        return account.signMessage({ message: { raw: params[0] as Hex } });
      case "eth_sendTransaction": {
        const [{ to, data, value }] = params as [{ to: Hex; data?: Hex; value?: Hex }];
        return client.sendTransaction({
          chain: null,
          to,
          ...(data && { data }),
          value: BigInt(value ?? 0),
        });
      }
      default:
        return client.request({ method, params } as never);
    }
  };
  const provider = {
    request,
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      return provider;
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
      return provider;
    },
  };
  const info = {
    uuid: "5b2f7c1e-7d2b-4c55-9a53-6f1f0a4c7d10",
    name: "Demo wallet (test only)",
    icon: ICON,
    rdns: "demo.points-and-rewards",
  };
  const detail = Object.freeze({ info: Object.freeze(info), provider });
  const announce = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
