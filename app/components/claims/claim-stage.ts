/** What the chain says of one claim. */
export interface ChainFacts {
  /** Whether the airdrop has a bucket of the root that the browser computed. */
  readonly isKnown: boolean;
  readonly isClaimed: boolean;
  readonly isCancelled: boolean;
  /** The last second at which it is paid, since 1970; 0 for none. */
  readonly deadlineSeconds: number;
  /** The chain's own clock. */
  readonly nowSeconds: number;
}

/** How a question is answered. */
export type Answered<Value> =
  | { readonly is: "waiting" }
  | { readonly is: "failed" }
  | { readonly is: "there"; readonly value: Value };

/** Where one claim stands: the page says what it is, and what to do next. */
export type ClaimStage =
  | "proof-building"
  | "loading"
  | "service-unreachable"
  | "chain-unreachable"
  | "unverified"
  | "claimed"
  | "cancelled"
  | "deadline-passed"
  | "connect"
  | "other-account"
  | "wrong-network"
  | "claimable";

/** The wallet that is connected, if one is. */
export interface ConnectedWallet {
  readonly address: string;
  readonly chainId: number | undefined;
}

/** Decides where a claim stands. The chain decides before the wallet does. */
export function getClaimStage({
  proof,
  chain,
  wallet,
  address,
  chainId,
}: {
  readonly proof: Answered<unknown> | { readonly is: "building" };
  readonly chain: Answered<ChainFacts>;
  readonly wallet: ConnectedWallet | null;
  /** Whose claim it is. */
  readonly address: string;
  readonly chainId: number;
}): ClaimStage {
  if (proof.is === "building") return "proof-building";
  if (proof.is === "failed") return "service-unreachable";
  if (chain.is === "failed") return "chain-unreachable";
  if (proof.is === "waiting" || chain.is === "waiting") return "loading";
  const facts = chain.value;
  if (facts.isClaimed) return "claimed";
  if (facts.isCancelled) return "cancelled";
  if (facts.deadlineSeconds > 0 && facts.nowSeconds > facts.deadlineSeconds) {
    return "deadline-passed";
  }
  if (!facts.isKnown) return "unverified";
  if (!wallet) return "connect";
  if (wallet.address.toLowerCase() !== address) return "other-account";
  return wallet.chainId === chainId ? "claimable" : "wrong-network";
}
