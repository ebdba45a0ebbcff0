import type { Address } from "../../domain/address";
import { waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { CAMPAIGN_RUNTIME_CODE } from "./bytecode";
import { askChain } from "./events";

/** The campaign contract at an address: this version's code, no code, or another code. */
export type Deployment = "deployed" | "absent" | "different";

/** A page waits no longer for the chain. */
const PAGE_DEADLINE_MS = 3_000;

/**
 * Compares the code at an address with this version's campaign contract, byte for byte. The contract
 * has no settings in its code, so every deployment of it is the same.
 * @throws {Failure} `chain_not_configured`, `chain_unavailable`
 */
function readDeployment(chainId: number, contract: Address): Promise<Deployment> {
  return askChain(chainId, async (client) => {
    const code = await client.getCode({ address: contract });
    if (code === undefined) return "absent";
    return code.toLowerCase() === CAMPAIGN_RUNTIME_CODE ? "deployed" : "different";
  });
}

/** Reads the same for a page. Null when the chain does not tell in time. */
export async function findDeployment(
  chainId: number,
  contract: Address,
): Promise<Deployment | null> {
  const late = () => new Failure("chain_unavailable");
  try {
    return await waitInTime(readDeployment(chainId, contract), PAGE_DEADLINE_MS, late);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/**
 * Requires the campaign contract at an address before anything is sent there: an address without
 * code accepts the chain's coin and keeps it for good.
 * @throws {Failure} `contract_absent`, `contract_different`, and as `readDeployment`
 */
export async function requireDeployment(chainId: number, contract: Address): Promise<void> {
  const deployment = await readDeployment(chainId, contract);
  if (deployment === "absent") throw new Failure("contract_absent", { name: String(chainId) });
  if (deployment === "different") throw new Failure("contract_different", { name: contract });
}
