import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type Hex,
  hashMessage,
  parseAbi,
  parseErc6492Signature,
  verifyMessage,
} from "viem";
import { askChain } from "../../chain/campaigns/events";
import type { Address } from "../../domain/address";
import type { RewardChainId } from "../../domain/rewards/reward-chain";
import { createLimiter } from "../runtime/limiter";
import { findContractWalletChain } from "./contract-wallets";

/** The chain in the message for a wallet that is on no reward chain. */
export const DEFAULT_CHAIN_ID: RewardChainId = 8453;

const ERC1271_ABI = parseAbi(["function isValidSignature(bytes32, bytes) view returns (bytes4)"]);
const ERC1271_YES = "0x1626ba7e";
/** Limits the calls to chains that strangers order by sending signatures, and those of one point system among them. */
const limitCalls = createLimiter({
  atOnceMax: 16,
  waitingMax: 128,
  waitMs: 4_000,
  partOfGroup: 1 / 2,
});

interface SignedMessage {
  readonly address: Address;
  readonly message: string;
  readonly signature: Hex;
}

/**
 * Checks whether a wallet has signed a message: with its key, or as a contract on the only chain on which signatures of
 * contract wallets count for the point system.
 * @param chainId the chain in the message
 * @throws {Failure} `chain_unavailable`
 */
export async function isSignedByWallet(
  pointSystemId: string,
  chainId: number,
  signed: SignedMessage,
): Promise<boolean> {
  return (
    (await verifyMessage(signed).catch(() => false)) ||
    (chainId === (await findContractWalletChain(pointSystemId)) &&
      (await isSignedByContract(pointSystemId, chainId, signed)))
  );
}

/** Calls a contract wallet on a chain, to check its signature (ERC-1271). */
async function isSignedByContract(
  pointSystemId: string,
  chainId: number,
  signed: SignedMessage,
): Promise<boolean> {
  const { address, message } = signed;
  // A wallet that is not deployed yet wraps its signature (ERC-6492). Here the wallet must be
  // deployed, so the signature inside is checked.
  const signature = readInnerSignature(signed.signature);
  if (signature === null) return false;
  return limitCalls(
    () =>
      askChain(chainId, async (client) => {
        try {
          const answer = await client.readContract({
            address,
            abi: ERC1271_ABI,
            functionName: "isValidSignature",
            // The signature is empty for a message that a Safe has signed on chain.
            args: [hashMessage(message), signature],
          });
          return answer === ERC1271_YES;
        } catch (error) {
          // A refusal is an answer: the next endpoint is not asked.
          if (isRefusal(error)) return false;
          throw error;
        }
      }),
    pointSystemId,
  );
}

/** Reads the signature inside a wrapping one; null when what is there cannot be read. */
function readInnerSignature(wrapped: Hex): Hex | null {
  try {
    return parseErc6492Signature(wrapped).signature;
  } catch {
    return null;
  }
}

/**
 * Checks whether the error means that the chain answered: the contract did not confirm the
 * signature, or there is no contract.
 */
function isRefusal(error: unknown): boolean {
  const isOne = (layer: unknown) =>
    layer instanceof ContractFunctionRevertedError ||
    layer instanceof ContractFunctionZeroDataError ||
    layer instanceof AbiDecodingDataSizeTooSmallError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}
