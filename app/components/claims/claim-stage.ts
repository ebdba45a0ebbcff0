/** The state of one claim on chain. */
export interface ChainFacts {
  /** Whether the airdrop has a bucket of the root that the browser computed. */
  readonly isKnown: boolean;
  readonly isClaimed: boolean;
  readonly isCancelled: boolean;
  /** The last second at which the claim is paid, since 1970; 0 for none. */
  readonly deadlineSeconds: number;
  /** The chain's own clock. */
  readonly nowSeconds: number;
}

/** The state of a query: waiting, failed, or there with its value. */
export type Answered<Value> =
  | { readonly is: "waiting" }
  | { readonly is: "failed" }
  | { readonly is: "there"; readonly value: Value };

/** The stage of one claim, by which the page shows its state and the next step. */
export type ClaimStage =
  | "proof-building"
  | "unfunded"
  | "loading"
  | "service-unreachable"
  | "chain-unreachable"
  | "unverified"
  | "claimed"
  | "confirming"
  | "cancelled"
  | "deadline-passed"
  | "connect"
  | "other-account"
  | "wrong-network"
  | "claimable";

/** The stages in which an amount is left to be claimed, by whoever has the wallet. */
const READY: readonly ClaimStage[] = ["connect", "other-account", "wrong-network", "claimable"];

/** Checks whether a claim is left to be made. */
export const isReady = (stage: ClaimStage) => READY.includes(stage);

/** The connected wallet. */
export interface ConnectedWallet {
  readonly address: string;
  readonly chainId: number | undefined;
}

/** Decides the stage of a claim. The chain's state comes before the wallet's. */
export function getClaimStage({
  proof,
  chain,
  wallet,
  address,
  chainId,
  isPaid,
}: {
  readonly proof: Answered<unknown> | { readonly is: "building" | "unfunded" };
  readonly chain: Answered<ChainFacts>;
  readonly wallet: ConnectedWallet | null;
  /** The address that the claim belongs to. */
  readonly address: string;
  readonly chainId: number;
  /** Whether a block has the claim, as its receipt or the service says. */
  readonly isPaid: boolean;
}): ClaimStage {
  if (proof.is === "building") return "proof-building";
  if (proof.is === "unfunded") return "unfunded";
  if (proof.is === "failed") return "service-unreachable";
  if (chain.is === "failed") return "chain-unreachable";
  if (proof.is === "waiting" || chain.is === "waiting") return "loading";
  const facts = chain.value;
  if (facts.isClaimed) return "claimed";
  // The endpoint that the page asks may be a block behind.
  if (isPaid) return "confirming";
  if (facts.isCancelled) return "cancelled";
  if (facts.deadlineSeconds > 0 && facts.nowSeconds > facts.deadlineSeconds) {
    return "deadline-passed";
  }
  if (!facts.isKnown) return "unverified";
  if (!wallet) return "connect";
  if (wallet.address.toLowerCase() !== address) return "other-account";
  return wallet.chainId === chainId ? "claimable" : "wrong-network";
}
