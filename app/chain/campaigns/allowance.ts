import { erc20Abi } from "viem";
import type { Address } from "../../domain/address";
import { isNativeCoin } from "../../domain/campaigns/native-coin";
import { Failure } from "../../domain/failure";
import { askChain } from "./events";

/**
 * Reads how much of a token a spender may take from its owner. The answer is 0 for a chain's native
 * coin. It is also 0 when the chain does not answer: the approval that follows then reports the
 * problem.
 */
export async function findAllowance(
  chainId: number,
  token: Address,
  owner: Address,
  spender: Address,
): Promise<bigint> {
  if (isNativeCoin(token)) return 0n;
  const call = { abi: erc20Abi, address: token, functionName: "allowance" } as const;
  try {
    return await askChain(chainId, (client) =>
      client.readContract({ ...call, args: [owner, spender] }),
    );
  } catch (error) {
    if (error instanceof Failure) return 0n;
    throw error;
  }
}
