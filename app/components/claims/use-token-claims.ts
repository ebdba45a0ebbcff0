import { useQueries } from "@tanstack/react-query";
import type { Hex } from "viem";
import { type Config, useConfig, useConnection } from "wagmi";
import { getBlock, readContract } from "wagmi/actions";
import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import { computeRoot, hashLeaf } from "../../domain/trees/proof";
import { askService, type Proof, SERVICE_QUERY, type TokenEntry, toRefusal } from "./claim-service";
import { type Answered, type ChainFacts, type ClaimStage, getClaimStage } from "./claim-stage";

const PROOF_AGAIN_MS = 5_000;
const UNFUNDED_AGAIN_MS = 30_000;
const CHAIN_AGAIN_MS = 10_000;
const CONFIRMED_AGAIN_MS = 2_000;
/** The contract's values for the state of an airdrop. */
const CANCELLED = 2;

/** A claim, with the facts that the browser found out about it. */
export interface PageClaim {
  readonly entry: TokenEntry;
  readonly stage: ClaimStage;
  /** The leaf and the root that the browser computed from address, amount and proof. */
  readonly tree: { readonly leaf: Hex; readonly root: Hex } | null;
  readonly proof: Proof | null;
  /** Whether the chain has a bucket of that root. */
  readonly isVerified: boolean;
  readonly tryAgain: () => void;
}

/**
 * Fetches the proofs that are missing, computes their roots, and asks the chain about them.
 * @param isAwaited whether a claim that was sent may be done at any moment
 * @param minedIds the claims whose transaction is in a block
 */
export function useTokenClaims(
  entries: readonly TokenEntry[],
  address: Address,
  isAwaited: boolean,
  minedIds: readonly string[],
): PageClaim[] {
  const config = useConfig();
  const connection = useConnection();
  const wallet = connection.address
    ? { address: connection.address, chainId: connection.chainId }
    : null;
  const proofs = useQueries({
    queries: entries.map(({ chainId, onchainId, hasProof, contractAddress, proof: given }) => ({
      queryKey: ["proof", chainId, contractAddress, onchainId, address],
      queryFn: () =>
        askService<Proof>(
          `/rewards/proof?onchainId=${onchainId}&chainId=${chainId}&address=${address}`,
        ),
      enabled: hasProof && given === null,
      staleTime: Number.POSITIVE_INFINITY,
      ...SERVICE_QUERY,
    })),
  });
  const proofOf = (entry: TokenEntry, i: number) => entry.proof ?? proofs[i]?.data ?? null;
  const trees = entries.map((entry, i) => {
    const proof = proofOf(entry, i);
    if (!proof) return null;
    const leaf = hashLeaf(address, BigInt(proof.amount));
    return { leaf, root: computeRoot(leaf, proof.merkleProof), index: proof.merkleProof[0] };
  });
  const isPaid = ({ distributionId, claimedAt }: TokenEntry) =>
    claimedAt !== null || minedIds.includes(distributionId);
  const chains = useQueries({
    queries: entries.map((entry, i) => ({
      queryKey: ["on-chain", entry.chainId, entry.contractAddress, entry.onchainId, trees[i]?.root],
      queryFn: () => askChain(config, entry, trees[i]?.root ?? "0x", trees[i]?.index ?? "0x0"),
      enabled: trees[i] !== null,
      refetchInterval: ({ state }: { state: { data: ChainFacts | undefined } }) => {
        if (isPaid(entry) && state.data?.isClaimed === false) return CONFIRMED_AGAIN_MS;
        return isAwaited ? CHAIN_AGAIN_MS : false;
      },
      retry: 3,
      networkMode: "always" as const,
    })),
  });
  return entries.map((entry, i) => {
    const proof = proofs[i];
    const chain = chains[i];
    const tree = trees[i] ?? null;
    const facts = chain?.data;
    const stage = getClaimStage({
      proof: toProofAnswer(entry, proof),
      chain: toAnswer(chain),
      wallet,
      address,
      chainId: entry.chainId,
      isPaid: isPaid(entry),
    });
    return {
      entry,
      stage,
      tree,
      proof: proofOf(entry, i),
      isVerified: facts?.isKnown ?? false,
      tryAgain: () => void (proof?.isError ? proof.refetch() : chain?.refetch()),
    };
  });
}

/**
 * Returns the interval at which the page asks for the state of proofs that are being built, or that
 * wait for the operator's tokens.
 */
export function getStatusInterval(
  entries: readonly { kind: string; hasProof?: boolean; isUnfunded?: boolean }[] = [],
) {
  const waiting = entries.filter(({ hasProof }) => hasProof === false);
  if (waiting.length === 0) return false;
  return waiting.every(({ isUnfunded }) => isUnfunded) ? UNFUNDED_AGAIN_MS : PROOF_AGAIN_MS;
}

interface Asked<Value> {
  readonly data: Value | undefined;
  readonly isError: boolean;
  readonly error: unknown;
}

function toAnswer<Value>(query: Asked<Value> | undefined): Answered<Value> {
  if (query?.data !== undefined) return { is: "there", value: query.data };
  return { is: query?.isError ? "failed" : "waiting" };
}

function toProofAnswer(
  { hasProof, isUnfunded, proof }: TokenEntry,
  query: Asked<Proof> | undefined,
) {
  if (hasProof && proof) return { is: "there" as const, value: proof };
  if (!hasProof && isUnfunded) return { is: "unfunded" as const };
  const isBuilding = query?.isError && toRefusal(query.error).code === "proof_not_built";
  return !hasProof || isBuilding ? { is: "building" as const } : toAnswer(query);
}

async function askChain(
  config: Config,
  { chainId, contractAddress, onchainId }: TokenEntry,
  root: Hex,
  index: Hex,
): Promise<ChainFacts> {
  const call = { abi: campaignAbi, address: contractAddress, chainId } as const;
  const id = BigInt(onchainId);
  const [airdrop, bucket, isClaimed, block] = await Promise.all([
    readContract(config, { ...call, functionName: "airdrop", args: [id] }),
    readContract(config, { ...call, functionName: "bucket", args: [id, root] }),
    readContract(config, { ...call, functionName: "isClaimed", args: [id, root, BigInt(index)] }),
    getBlock(config, { chainId }),
  ]);
  const [, deadlineSeconds, status] = airdrop;
  return {
    isKnown: bucket[0],
    isClaimed,
    isCancelled: status === CANCELLED,
    deadlineSeconds,
    nowSeconds: Number(block.timestamp),
  };
}
