import { eq, sql } from "drizzle-orm";
import { type Hex, hexToBytes } from "viem";
import { type ClaimLog, readClaimsOfTransaction } from "../../chain/campaigns/claim-logs";
import { askChainUntil } from "../../chain/campaigns/events";
import { getCampaignContract, listConfiguredChainIds } from "../../chain/rpc/chains";
import { type Transaction, withDatabase } from "../../db/client";
import { claimIndexers, claims, START_UNKNOWN } from "../../db/schema/claim-indexer";
import { Failure } from "../../domain/failure";
import { createLimiter } from "../runtime/limiter";
import { createSingleFlightCache } from "../runtime/single-flight-cache";
import { type ChainContract, isContract, replaceClaims } from "./store";

/**
 * The outcome of a hint:
 * - `claimed`: the claim is stored now, or was before;
 * - `pending`: its transaction is in no block yet;
 * - `reverted`: it failed on chain;
 * - `nothing`: it claims no share of this installation.
 */
export type HintOutcome = "claimed" | "pending" | "reverted" | "nothing";

// Any caller can send a hash, and each costs calls to an endpoint that may be paid for.
const limitReads = createLimiter({ atOnceMax: 4, waitingMax: 40, waitMs: 3_000 });
const remember = createSingleFlightCache<HintOutcome>({ keepMs: 2_000, entriesMax: 1_000 });

/**
 * Stores a claim by its transaction's hash, ahead of the indexer. The hash only locates the
 * transaction: its effects are the contract's logs, and the indexer settles the claim like any
 * other.
 * @throws {Failure} `invalid_hint` for a chain that is not followed; `chain_unavailable`
 */
export async function takeHint(chainId: number, txHash: Hex): Promise<HintOutcome> {
  if (!listConfiguredChainIds().some((id) => id === chainId)) throw new Failure("invalid_hint");
  const hash = txHash.toLowerCase() as Hex;
  return remember(`${chainId} ${hash}`, () => limitReads(() => readHint(chainId, hash)));
}

async function readHint(chainId: number, hash: Hex): Promise<HintOutcome> {
  const of = { chainId, contract: getCampaignContract(chainId) };
  const transaction = await askChainUntil(chainId, (client) =>
    readClaimsOfTransaction(client, of.contract, hash),
  );
  if (!transaction) return "pending";
  if (transaction.isReverted) return "reverted";
  if (transaction.claims.length === 0) return "nothing";
  return withDatabase((db) => db.transaction((tx) => storeHint(tx, of, hash, transaction.claims)));
}

async function storeHint(
  tx: Transaction,
  of: ChainContract,
  hash: Hex,
  found: readonly ClaimLog[],
): Promise<HintOutcome> {
  const [row] = await tx
    .select({ startBlock: claimIndexers.startBlock, finalBlock: claimIndexers.finalBlock })
    .from(claimIndexers)
    .where(isContract(of))
    .for("no key update");
  // Without an indexer, a claim whose block is dropped would never be removed.
  if (!row || row.startBlock === START_UNKNOWN) return "pending";
  const isOfTransaction = sql`${claims.chainId} = ${of.chainId}
    and ${eq(claims.contract, of.contract)} and ${claims.txHash} = ${hexToBytes(hash)}`;
  const stored = await tx.select({ one: sql`1` }).from(claims).where(isOfTransaction).limit(1);
  // If the transaction was stored in another block before, the indexer finds its block.
  if (stored.length === 0) {
    const blockNumber = found[0]?.blockNumber ?? 0;
    await replaceClaims(tx, of, { fromBlock: blockNumber, toBlock: blockNumber }, found, {
      dropped: [],
      // The indexer does not read this block again.
      isFinal: blockNumber <= row.finalBlock,
    });
  }
  const [applied] = await tx.execute(sql`
    select from claims c
    join airdrops a on a.chain_id = c.chain_id and a.contract_address = c.contract
      and a.onchain_id = c.onchain_id
    where c.chain_id = ${of.chainId} and c.contract = ${hexToBytes(of.contract)}
      and c.tx_hash = ${hexToBytes(hash)} and c.problem is null
    limit 1`);
  return applied ? "claimed" : "nothing";
}
