import { sql } from "drizzle-orm";
import { type Hex, hexToBytes } from "viem";
import { findCampaignTransaction } from "../../chain/campaigns/events";
import { decodeEvent } from "../../chain/campaigns/logs";
import { getCampaignContract, listConfiguredChainIds } from "../../chain/rpc/chains";
import { withDatabase } from "../../db/client";
import { Failure } from "../../domain/failure";
import { lookNow } from "../follower/follower";
import { listContracts } from "../follower/store";
import { createLimiter } from "../runtime/limiter";
import { createSingleFlightCache } from "../runtime/single-flight-cache";

/**
 * The outcome of a hint:
 * - `claimed`: the claim is stored now, or was before;
 * - `pending`: its transaction is in no block yet, or its block is not read yet;
 * - `reverted`: it failed on chain;
 * - `nothing`: it claims no share of this installation.
 */
export type HintOutcome = "claimed" | "pending" | "reverted" | "nothing";

// Any caller can send a hash, and each costs calls to an endpoint that may be paid for.
// A chain whose node is slow takes its part of the places.
const limitReads = createLimiter({
  atOnceMax: 8,
  waitingMax: 80,
  waitMs: 3_000,
  partOfGroup: 1 / 2,
});
const remember = createSingleFlightCache<HintOutcome>({ keepMs: 2_000, entriesMax: 1_000 });
/** The longest wait for the look that a hint asks for. */
const LOOK_MS_MAX = 3_000;

/**
 * Has the chain looked at now, for a claim in the transaction with this hash. The hint stores
 * nothing: the look reads the chain like any other.
 * @throws {Failure} `invalid_hint` for a chain that is not followed; `chain_unavailable`
 */
export async function takeHint(chainId: number, txHash: Hex): Promise<HintOutcome> {
  if (!listConfiguredChainIds().some((id) => id === chainId)) throw new Failure("invalid_hint");
  const hash = txHash.toLowerCase() as Hex;
  return remember(`${chainId} ${hash}`, () =>
    limitReads(() => readHint(chainId, hash), String(chainId)),
  );
}

async function readHint(chainId: number, hash: Hex): Promise<HintOutcome> {
  let outcome = await findOutcome(chainId, hash);
  if (outcome === "claimed") return outcome;
  const transaction = await findCampaignTransaction(chainId, hash);
  if (!transaction) return "pending";
  if (transaction.isReverted) return "reverted";
  const followed = (await listContracts(chainId)).map(({ contract }) => contract);
  const contracts = [getCampaignContract(chainId), ...followed];
  const isClaim = transaction.logs.some(
    (log) => contracts.includes(log.address) && decodeEvent(log)?.kind === "claim",
  );
  if (!isClaim) return "nothing";
  const asked = { block: transaction.block.number, isFirst: false };
  const isStored = async () => {
    outcome = await findOutcome(chainId, hash);
    return outcome !== null;
  };
  await lookNow(chainId, asked, isStored, LOOK_MS_MAX);
  return outcome ?? "pending";
}

/** Finds what is stored of a transaction's claims; null when nothing is. */
async function findOutcome(chainId: number, hash: Hex): Promise<HintOutcome | null> {
  const [found] = await withDatabase((db) =>
    db.execute<{ isStored: boolean; isApplied: boolean }>(sql`
      select count(*) > 0 as "isStored",
        coalesce(bool_or(a.reward_id is not null and l.problem is null), false) as "isApplied"
      from chain_logs l
      left join airdrops a on a.chain_id = l.chain_id and a.contract_address = l.contract
        and a.onchain_id = l.onchain_id
      where l.chain_id = ${chainId} and l.tx_hash = ${hexToBytes(hash)} and l.kind = 'claim'`),
  );
  if (!found?.isStored) return null;
  return found.isApplied ? "claimed" : "nothing";
}
