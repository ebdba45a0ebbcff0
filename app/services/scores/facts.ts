import { and, eq, inArray, sql } from "drizzle-orm";
import { ProviderError, type ProviderHooks } from "../../chain/rpc/provider";
import { type AccountHistory, readHistory } from "../../chain/scores/history";
import { createListing } from "../../chain/scores/listing";
import { type AccountState, readAccount } from "../../chain/scores/node";
import { withDatabase } from "../../db/client";
import { scoreFacts } from "../../db/schema/scores";
import type { Address } from "../../domain/address";
import type { ScoreChain } from "../../domain/scores/chain";
import type { ChainActivity } from "../../domain/scores/score";

/** The time for which facts are used that could not be read again. */
const GOOD_FOR_MS = 30 * 86_400_000;

type Facts = typeof scoreFacts.$inferSelect;

/** The known activity of a wallet on all chains. */
export interface GatheredActivity {
  /** The activity on the chains of which any is known. */
  readonly chains: readonly ChainActivity[];
  /** The ids of the chains whose activity is not known, or not wholly. */
  readonly missingChains: readonly number[];
  /** Whether any chain answered now. */
  readonly isReached: boolean;
}

/**
 * Reads a wallet's facts from all chains in parallel, and stores them.
 * @param options.isForced also reads facts that cannot have changed by the nonce, since blocks may
 *   be reorganized
 */
export async function gatherActivity(
  chains: readonly ScoreChain[],
  address: Address,
  hooks: ProviderHooks,
  options: { readonly isForced: boolean },
): Promise<GatheredActivity> {
  const kept = await readKeptFacts(chains, address);
  const answers = await Promise.all(
    chains.map((chain) =>
      readFacts(chain, address, kept.get(chain.chainId) ?? null, hooks, options.isForced),
    ),
  );
  await keepFacts(answers.flatMap(({ facts }) => facts ?? []));
  const known = answers.map((answer, index) => {
    const { facts, glimpse } = answer;
    const good = facts ?? findGood(kept.get(chains[index]?.chainId ?? 0));
    return { activity: good ?? glimpse, isGood: good !== null };
  });
  return {
    chains: known.flatMap(({ activity }) => activity ?? []),
    missingChains: chains.filter((_, i) => !known[i]?.isGood).map(({ chainId }) => chainId),
    isReached: answers.some(({ facts, glimpse }) => facts !== null || glimpse !== null),
  };
}

/** The result of one chain: all facts, only those of its node, or none. */
interface ChainAnswer {
  readonly facts: Facts | null;
  readonly glimpse: ChainActivity | null;
}

/** Waits for work until the signal aborts, whatever the work waits for. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new ProviderError("too_slow"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

function findGood(facts: Facts | undefined): Facts | null {
  return facts && Date.now() - facts.fetchedAt.getTime() < GOOD_FOR_MS ? facts : null;
}

async function readFacts(
  chain: ScoreChain,
  address: Address,
  kept: Facts | null,
  hooks: ProviderHooks,
  isForced: boolean,
): Promise<ChainAnswer> {
  const { chainId } = chain;
  const account = await untilAborted(readAccount(chain, address, hooks), hooks.signal).catch(
    () => null,
  );
  if (!account) return { facts: null, glimpse: null };
  const { nonce, hasCode } = account;
  const base = { address, chainId, nonce, hasCode, fetchedAt: new Date() };
  const unknown = { firstAt: null, lastAt: null, sentAt: [] };
  if (nonce === 0) return { facts: { ...base, ...unknown, transactions: 0 }, glimpse: null };
  // An account with code can take part in transactions that do not change its nonce.
  if (kept && !isForced && !hasCode && !kept.hasCode && kept.nonce === nonce) {
    return { facts: { ...kept, ...base }, glimpse: null };
  }
  try {
    const reading = readHistoryOfAny(chain, address, account, hooks);
    return { facts: { ...base, ...(await untilAborted(reading, hooks.signal)) }, glimpse: null };
  } catch {
    // Without code, the number of sent transactions is still known, so the score is a lower bound.
    return { facts: null, glimpse: { ...unknown, transactions: hasCode ? 0 : nonce } };
  }
}

/** Reads the account's history from the first explorer whose answer can be trusted. */
async function readHistoryOfAny(
  chain: ScoreChain,
  address: Address,
  account: AccountState,
  hooks: ProviderHooks,
): Promise<AccountHistory> {
  const { chainId } = chain;
  let failure: unknown = new ProviderError("unreachable");
  for (const explorer of chain.explorers) {
    const list = createListing(explorer, chainId, address, hooks);
    try {
      return await readHistory({ list, explorer, chainId, address, account });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function readKeptFacts(
  chains: readonly ScoreChain[],
  address: Address,
): Promise<Map<number, Facts>> {
  const ids = chains.map(({ chainId }) => chainId);
  const rows = await withDatabase((db) =>
    db
      .select()
      .from(scoreFacts)
      .where(and(eq(scoreFacts.address, address), inArray(scoreFacts.chainId, ids))),
  );
  return new Map(rows.map((row) => [row.chainId, row]));
}

async function keepFacts(fresh: readonly Facts[]): Promise<void> {
  if (fresh.length === 0) return;
  await withDatabase((db) =>
    db
      .insert(scoreFacts)
      .values([...fresh])
      .onConflictDoUpdate({
        target: [scoreFacts.address, scoreFacts.chainId],
        set: {
          nonce: sql`excluded.nonce`,
          hasCode: sql`excluded.has_code`,
          transactions: sql`excluded.transactions`,
          firstAt: sql`excluded.first_at`,
          lastAt: sql`excluded.last_at`,
          sentAt: sql`excluded.sent_at`,
          fetchedAt: sql`excluded.fetched_at`,
        },
      }),
  );
}
