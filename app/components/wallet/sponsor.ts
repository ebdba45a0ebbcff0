import { encodeFunctionData, type Hex } from "viem";
import type { Config } from "wagmi";
import { getCallsStatus, getCapabilities, sendCalls } from "wagmi/actions";
import type { Address } from "../../domain/address";

// Transactions whose gas a paymaster pays: EIP-5792 with the capability `paymasterService`
// (ERC-7677). The wallet itself talks to the paymaster.

const POLLING_MS = 1_500;
/** The status of calls that are under way. */
const PENDING_END = 200;
const CONFIRMED_END = 300;

/**
 * Asks the wallet whether it has a paymaster pay on a chain. A wallet that does not know the
 * question does not.
 */
export async function hasSponsor(
  config: Config,
  account: Address | undefined,
  chainId: number,
  paymasterUrl: string | null,
): Promise<boolean> {
  if (!account || paymasterUrl === null) return false;
  const found = await getCapabilities(config, { account, chainId }).catch(() => null);
  const { paymasterService } = (found ?? {}) as { paymasterService?: { supported?: unknown } };
  return paymasterService?.supported === true;
}

/**
 * Sends a call whose gas the paymaster pays.
 * @returns the wallet's id of it
 */
export async function sendSponsored(
  config: Config,
  call: Parameters<typeof encodeFunctionData>[0] & { address: Address; value: bigint },
  { account, chainId, paymasterUrl }: { account: Address; chainId: number; paymasterUrl: string },
): Promise<string> {
  const data = encodeFunctionData(call);
  const { id } = await sendCalls(config, {
    account,
    chainId,
    calls: [{ to: call.address, data, value: call.value }],
    capabilities: { paymasterService: { url: paymasterUrl } },
  });
  return id;
}

/**
 * Waits until the wallet says how its calls ended.
 * @throws when the signal aborts
 */
export async function followSponsored(
  config: Config,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly end: "mined" | "reverted"; readonly hash: Hex }> {
  for (;;) {
    signal.throwIfAborted();
    // After a reload the wallet may not be connected yet.
    const found = await getCallsStatus(config, { id }).catch(() => null);
    const code = found?.statusCode ?? 0;
    const hash = found?.receipts?.at(-1)?.transactionHash;
    if (code >= PENDING_END && code < CONFIRMED_END && hash) {
      const isReverted = found?.receipts?.some(({ status }) => status === "reverted");
      return { end: isReverted ? "reverted" : "mined", hash };
    }
    if (code >= CONFIRMED_END) return { end: "reverted", hash: hash ?? "0x" };
    await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
  }
}
