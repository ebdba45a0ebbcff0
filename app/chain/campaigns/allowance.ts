import { erc20Abi } from "viem";
import type { Address } from "../../domain/address";
import { isNativeCoin } from "../../domain/campaigns/native-coin";
import { Failure } from "../../domain/failure";
import { askChain } from "./events";

/**
 * What an account lets another take of a token. None for a chain's own coin, and where the chain
 * does not say: whoever then approves finds out.
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
