import { and, eq, sql } from "drizzle-orm";
import { hexToBytes, type PublicClient, toHex } from "viem";
import { classifyChainError, createChainError } from "../chain/chain-problem";
import { getCampaignContract, getChainClient, getChainSettings } from "../chain/chains";
import {
  type ChainHead,
  type ClaimLog,
  checkChain,
  confirmDropped,
  createRangeSize,
  type RangeSize,
  readClaimLogs,
  readHead,
} from "../chain/claim-logs";
import { withDatabase } from "../db/client";
import { claimIndexers } from "../db/schema/claim-indexer";
import { endOverdueAirdrops } from "./airdrop-deadlines";
import { createLeadership, holdAsLeader } from "./claim-leadership";
import { type ChainContract, isContract, replaceClaims } from "./claim-store";

/** Follows the claims of the campaign contracts, a chain at a time. */
export interface ClaimIndexer {
  /**
   * Does a bounded piece of work on a chain, if it is this process that does it.
   * @returns whether there is more right away
   * @throws when none of its endpoints gives an answer that holds; the next call goes on from there
   */
  readonly look: (chainId: number, signal?: AbortSignal) => Promise<boolean>;
  /** Lets another process go on. */
  readonly close: () => Promise<void>;
}

/** A chain on which something can be claimed, and one on which nothing can. */
const LOOK_EVERY_MS = 4_000;
const LOOK_EVERY_IDLE_MS = 60_000;
/** Of one look. */
const CHUNKS_MAX = 25;
const WORK_MS_MAX = 20_000;
/** After that, a chain that is lower than it was is believed: what was seen before was wrong. */
const BEHIND_SECONDS_MAX = 600;

type Row = typeof claimIndexers.$inferSelect;
type Task = ChainContract & {
  readonly epoch: number;
  readonly client: PublicClient;
  readonly size: RangeSize;
  readonly signal: AbortSignal | undefined;
};

/** @param options.everyMs how long a chain rests between two looks; 0 in tests */
export function createClaimIndexer(options: { readonly everyMs?: number } = {}): ClaimIndexer {
  const leadership = createLeadership();
  const sizes = new Map<string, RangeSize>();
  const restsUntil = new Map<number, number>();
  const checked = new Set<string>();

  async function lookThrough(
    of: ChainContract,
    epoch: number,
    url: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const client = getChainClient(of.chainId, url);
    if (!checked.has(url)) await checkChain(client, of.chainId);
    checked.add(url);
    const size = sizes.get(url) ?? createRangeSize(of.chainId);
    sizes.set(url, size);
    return followChain({ ...of, epoch, client, size, signal });
  }

  return {
    async look(chainId, signal) {
      if (signal?.aborted || performance.now() < (restsUntil.get(chainId) ?? 0)) return false;
      const of = { chainId, contract: getCampaignContract(chainId) };
      const isBusy = await ensureRow(of);
      const rest = options.everyMs ?? (isBusy ? LOOK_EVERY_MS : LOOK_EVERY_IDLE_MS);
      restsUntil.set(chainId, performance.now() + rest);
      const epoch = await leadership.lead(of);
      if (epoch === null) return false;
      const hasMore = await askEach(of, epoch, (url) => lookThrough(of, epoch, url, signal));
      if (hasMore) restsUntil.delete(chainId);
      return hasMore;
    },
    close: leadership.close,
  };
}

/** @returns whether there is an airdrop that can be claimed from */
async function ensureRow(of: ChainContract): Promise<boolean> {
  const [found] = await withDatabase((db) =>
    db.execute<{ exists: boolean; isBusy: boolean; firstBlock: number | null }>(sql`
      select exists (
        select from claim_indexers
        where chain_id = ${of.chainId} and contract = ${hexToBytes(of.contract)}
      ) as exists, exists (
        select from airdrops where chain_id = ${of.chainId}
          and contract_address = ${hexToBytes(of.contract)} and status = 'active'
      ) as "isBusy", (
        select min(creation_block) from airdrops
        where chain_id = ${of.chainId} and contract_address = ${hexToBytes(of.contract)}
      )::float8 as "firstBlock"`),
  );
  const { exists = false, isBusy = false, firstBlock = null } = found ?? {};
  if (exists) return isBusy;
  const startBlock = firstBlock ?? (await readFirstHead(of.chainId));
  await withDatabase((db) =>
    db
      .insert(claimIndexers)
      .values({ ...of, startBlock, finalBlock: startBlock - 1 })
      .onConflictDoNothing(),
  );
  return isBusy;
}

/** Where to begin with nothing to look for: what is created later is higher. */
async function readFirstHead(chainId: number): Promise<number> {
  let problem = createChainError("unreachable");
  for (const url of getChainSettings(chainId).rpcUrls) {
    try {
      const client = getChainClient(chainId, url);
      await checkChain(client, chainId);
      return (await readHead(client, chainId)).finalNumber;
    } catch (error) {
      problem = createChainError(classifyChainError(error) ?? "refused");
    }
  }
  throw problem;
}

/** Asks the endpoints in turn, the one that did well last first. Each does all of a look, or none. */
async function askEach(
  of: ChainContract,
  epoch: number,
  look: (url: string) => Promise<boolean>,
): Promise<boolean> {
  const { rpcUrls } = getChainSettings(of.chainId);
  const { provider = 0 } = (await readRow(of)) ?? {};
  let problem = createChainError("unreachable");
  for (let turn = 0; turn < rpcUrls.length; turn += 1) {
    const index = (provider + turn) % rpcUrls.length;
    const url = rpcUrls[index] ?? "";
    try {
      const hasMore = await look(url);
      await note(of, epoch, { provider: index, succeededAt: sql`now()`, failure: null });
      return hasMore;
    } catch (error) {
      const chainProblem = classifyChainError(error);
      if (chainProblem === null) throw error;
      problem = createChainError(chainProblem);
    }
  }
  await note(of, epoch, { failedAt: sql`now()`, failure: problem.chainProblem });
  throw problem;
}

async function readRow(of: ChainContract): Promise<Row | undefined> {
  const [row] = await withDatabase((db) => db.select().from(claimIndexers).where(isContract(of)));
  return row;
}

type RowChanges = Parameters<ReturnType<typeof updateRow>["set"]>[0];
const updateRow = (db: Parameters<Parameters<typeof withDatabase>[0]>[0]) =>
  db.update(claimIndexers);

/** Writes down how it goes, unless another leads since. */
async function note(of: ChainContract, epoch: number, changes: RowChanges): Promise<void> {
  await withDatabase((db) =>
    updateRow(db)
      .set(changes)
      .where(and(isContract(of), eq(claimIndexers.epoch, epoch))),
  );
}

/** One look at the chain through one endpoint. */
async function followChain(task: Task): Promise<boolean> {
  const row = await readRow(task);
  if (!row) return false;
  const givesUpAt = performance.now() + WORK_MS_MAX;
  const head = await readHead(task.client, task.chainId);
  if (isBehind(row, head)) throw createChainError("behind");
  const chainFinalBlock = Math.max(head.finalNumber, row.finalBlock);
  const isSameHead = row.headHash !== null && toHex(row.headHash) === head.hash;
  const wasLeft = await readFinal(task, row, head, givesUpAt);
  if (task.signal?.aborted) return false;
  if (!isSameHead) await readTentative(task, row, head, chainFinalBlock);
  await endOverdueAirdrops(task, task.client, head.finalNumber);
  return wasLeft;
}

function isBehind({ headBlock, headSeenAt }: Row, head: ChainHead): boolean {
  if (headBlock === null || head.number >= headBlock) return false;
  const seenAgoMs = Date.now() - (headSeenAt?.getTime() ?? 0);
  return seenAgoMs < BEHIND_SECONDS_MAX * 1_000;
}

/**
 * The final lane: chunk after chunk from where the last one ended, each with the cursor in one
 * transaction.
 * @returns whether there is more
 */
async function readFinal(
  task: Task,
  row: Row,
  head: ChainHead,
  givesUpAt: number,
): Promise<boolean> {
  let next = row.finalBlock + 1;
  for (let chunk = 0; chunk < CHUNKS_MAX && next <= head.finalNumber; chunk += 1) {
    if (task.signal?.aborted || performance.now() > givesUpAt) break;
    const fromBlock = next;
    const { claims, toBlock } = await read(task, fromBlock, head.finalNumber);
    const dropped = await findDropped(task, fromBlock, toBlock, claims);
    await withDatabase((db) =>
      db.transaction(async (tx) => {
        const { finalBlock } = await holdAsLeader(tx, task, task.epoch);
        // It was sent back meanwhile, to read an older airdrop's blocks as well.
        if (finalBlock !== fromBlock - 1) return;
        await tx
          .update(claimIndexers)
          .set({ finalBlock: toBlock, chainFinalBlock: head.finalNumber, aliveAt: sql`now()` })
          .where(isContract(task));
        await replaceClaims(tx, task, { fromBlock, toBlock }, claims, { dropped, isFinal: true });
      }),
    );
    next = toBlock + 1;
  }
  return next <= head.finalNumber;
}

const read = ({ client, chainId, contract, size }: Task, fromBlock: number, lastBlock: number) =>
  readClaimLogs(client, chainId, contract, size, { fromBlock, lastBlock });

/**
 * The tentative lane: what may still be dropped, up to the head, all of it anew. Where the final lane
 * is far behind, there is a gap between the two, which that one closes.
 */
async function readTentative(
  task: Task,
  row: Row,
  head: ChainHead,
  chainFinalBlock: number,
): Promise<void> {
  const fromBlock = chainFinalBlock + 1;
  const claims: ClaimLog[] = [];
  for (let next = fromBlock; next <= head.number; ) {
    const part = await read(task, next, head.number);
    claims.push(...part.claims);
    next = part.toBlock + 1;
  }
  const dropped = await findDropped(task, fromBlock, head.number, claims);
  // What was read is of one chain if that chain is still the one.
  const stands = await readHash(task, head.number);
  if (stands !== head.hash) throw createChainError(stands === null ? "behind" : "moved");
  const { headBlock, headHash } = row;
  const hasChanged =
    headBlock !== null &&
    headHash !== null &&
    (await readHash(task, headBlock)) !== toHex(headHash);
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      await holdAsLeader(tx, task, task.epoch);
      const range = { fromBlock, toBlock: head.number };
      await replaceClaims(tx, task, range, claims, { dropped, isFinal: false });
      await tx
        .update(claimIndexers)
        .set({
          headBlock: head.number,
          headHash: hexToBytes(head.hash),
          chainFinalBlock: head.finalNumber,
          ...(headBlock !== head.number && { headSeenAt: sql`now()` }),
          ...(hasChanged && { reorgs: sql`${claimIndexers.reorgs} + 1` }),
        })
        .where(isContract(task));
    }),
  );
}

async function readHash({ client }: Task, number: number) {
  const block = await client.getBlock({ blockNumber: BigInt(number) }).catch(() => null);
  return block?.hash ?? null;
}

/**
 * Stored claims that an answer lacks: the hashes of their blocks, which the chain has dropped.
 * @throws {ChainError} `incomplete` when it has not, and the answer is not all there is; `behind`
 */
async function findDropped(
  { client, ...of }: Task,
  fromBlock: number,
  toBlock: number,
  found: readonly ClaimLog[],
): Promise<string[]> {
  const stored = await withDatabase((db) =>
    db.execute<{ txHash: Uint8Array; logIndex: number; number: number; hash: Uint8Array }>(sql`
      select tx_hash as "txHash", log_index as "logIndex", block_number::float8 as number,
        block_hash as hash
      from claims
      where chain_id = ${of.chainId} and contract = ${hexToBytes(of.contract)}
        and block_number between ${fromBlock}::bigint and ${toBlock}::bigint`),
  );
  const known = new Set(
    found.map(({ txHash, logIndex, blockHash }) => `${txHash} ${logIndex} ${blockHash}`),
  );
  const blocks = new Map(
    stored
      .filter((row) => !known.has(`${toHex(row.txHash)} ${row.logIndex} ${toHex(row.hash)}`))
      .map(({ number, hash }) => [toHex(hash), number]),
  );
  await confirmDropped(
    client,
    [...blocks].map(([hash, number]) => ({ hash, number })),
  );
  return [...blocks.keys()];
}
