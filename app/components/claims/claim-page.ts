import type { AccentShades } from "../../domain/point-systems/brand";
import type { WalletOptions } from "../wallet/config";

/** A chain on which rewards can be claimed. */
export type ClaimChain = WalletOptions["chains"][number] & {
  readonly name: string;
  readonly nativeSymbol: string;
  readonly explorerUrl: string;
};

/** The data of the claim page, as its loader answers it. */
export interface ClaimPageData {
  readonly pointSystem: {
    readonly id: string;
    readonly slug: string | null;
    readonly name: string;
    readonly intro: string | null;
    readonly accent: Readonly<Record<"light" | "dark", AccentShades>> | null;
    readonly logoUrl: string | null;
  };
  readonly chains: readonly ClaimChain[];
  readonly walletConnectProjectId: string | null;
  readonly safeAppOrigins: readonly string[];
  readonly origin: string;
}
