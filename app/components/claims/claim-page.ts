import type { PublicPointSystem } from "../../domain/point-systems/brand";
import type { WalletOptions } from "../wallet/config";

/** The element above the form, in which the wallet is connected once wagmi is there. */
export const CONNECT_PLACE_ID = "connect-wallet";

/** A chain on which rewards can be claimed. */
export type ClaimChain = WalletOptions["chains"][number] & {
  readonly name: string;
  readonly nativeSymbol: string;
  readonly explorerUrl: string;
  /** The paymaster that pays claims' gas, where a wallet can have one pay; null for none. */
  readonly paymasterUrl: string | null;
};

/** The data of the claim page, as its loader answers it. */
export interface ClaimPageData {
  readonly pointSystem: PublicPointSystem;
  readonly chains: readonly ClaimChain[];
  readonly walletConnectProjectId: string | null;
  readonly safeAppOrigins: readonly string[];
  readonly origin: string;
  /** Whether wallets can be looked up by their ENS names. */
  readonly canResolveNames: boolean;
}
