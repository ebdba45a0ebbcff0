import { sql } from "drizzle-orm";
import { hexToBytes, type PublicClient, toHex } from "viem";
import {
  type ChainHead,
  type ClaimLog,
  confirmDropped,
  type RangeSize,
  readClaimLogs,
} from "../../chain/campaigns/claim-logs";
import { findBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { claimIndexers, START_UNKNOWN } from "../../db/schema/claim-indexer";
import { endOverdueAirdrops } from "./airdrop-deadlines";
import { type BackfillMemory, backfillAirdrops } from "./backfill";
import { judgeHead, type SeenHead } from "./head";
import { holdAsLeader } from "./leadership";
import { type ChainContract, findContractRow, isContract, replaceClaims } from "./store";

// Claims are read in two passes: final blocks once, and blocks that may still be dropped again and
// again.

/** The bounds of one call's final pass; the tentative pass waits for it. */
const CHUNKS_MAX = 25;
const WORK_MS_MAX = 5_000;
/**
 * The time after which an unchanged chain is read again too: an answer may have left claims out.
 */
const RESCAN_AFTER_MS = 15_000;

type Row = typeof claimIndexers.$inferSelect;
/** A leader's state for a contract from one call to the next. */
export interface FollowMemory extends BackfillMemory {
  /** The time of the last read up to the head. */
  readAt: number;
  /** The head at that time. */
  head: SeenHead | null;
}
/** The contract to read, with the leader's epoch, client and state. */
interface Task extends ChainContract {
  readonly epoch: number;
  readonly client: PublicClient;
  readonly size: RangeSize;
  readonly memory: FollowMemory;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads new claims of a contract through one endpoint, as its leader.
 * @returns whether there is more to read
 * @throws {ChainError} when the endpoint gives no consistent answer; what was written stays valid
 */
export async function followChain(task: Task, head: ChainHead): Promise<boolean> {
  const found = await findContractRow(task);
  if (!found) return false;
  const givesUpAt = performance.now() + WORK_MS_MAX;
  const { memory } = task;
  const standing = await judgeHead(task, task.client, found, head, memory.head);
  let row = found.startBlock === START_UNKNOWN ? await settleStart(task, head) : found;
  if (standing.droppedFrom !== null) row = await goBack(task, standing.droppedFrom);
  const chainFinalBlock = Math.max(head.finalNumber, row.finalBlock);
  const wasLeft = await readFinal(task, row, head, givesUpAt);
  if (task.signal?.aborted) return false;
  const isSameHead = row.headHash !== null && toHex(row.headHash) === head.hash;
  const isDue = !isSameHead || performance.now() > memory.readAt + RESCAN_AFTER_MS;
  // An endpoint that is behind removes no claims.
  if (isDue && !standing.isBehind) {
    await readTentative(task, head, chainFinalBlock, standing);
    Object.assign(memory, { readAt: performance.now(), head });
  }
  await endOverdueAirdrops(task, task.client, head);
  await backfillAirdrops(task, head.number);
  return wasLeft;
}

/**
 * Moves the final block back, because the chain dropped blocks that were final. They are read
 * again.
 */
function goBack(task: Task, droppedFrom: number): Promise<Row> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const row = await holdAsLeader(tx, task, task.epoch);
      const finalBlock = Math.min(row.finalBlock, droppedFrom - 1);
      await tx.update(claimIndexers).set({ finalBlock }).where(isContract(task));
      return { ...row, finalBlock };
    }),
  );
}

/**
 * Chooses the first block to read: the creation of the oldest airdrop, or the final block when
 * there is none. Later airdrops are in higher blocks.
 */
function settleStart(task: Task, head: ChainHead): Promise<Row> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const row = await holdAsLeader(tx, task, task.epoch);
      const [first] = await tx.execute<{ block: number | null }>(sql`
        select min(creation_block)::float8 as block from airdrops
        where chain_id = ${task.chainId} and contract_address = ${hexToBytes(task.contract)}`);
      const startBlock = first?.block ?? head.finalNumber;
      const start = { startBlock, finalBlock: startBlock - 1 };
      await tx.update(claimIndexers).set(start).where(isContract(task));
      return { ...row, ...start };
    }),
  );
}

/**
 * Runs the final pass: it continues chunk by chunk from the stored cursor, and writes each chunk
 * and the cursor in one transaction.
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
    const dropped = await findDropped(task, fromBlock, toBlock, claims, toBlock);
    await withDatabase((db) =>
      db.transaction(async (tx) => {
        const { finalBlock } = await holdAsLeader(tx, task, task.epoch);
        // The cursor was moved back meanwhile, so that an older airdrop's blocks are read too.
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
 * Runs the tentative pass: it reads all blocks that may still be dropped, up to the head, each time
 * again. While the final pass is far behind, there is a gap between the two, which the final pass
 * closes.
 */
async function readTentative(
  task: Task,
  head: ChainHead,
  chainFinalBlock: number,
  { hasChanged, wentBack }: { hasChanged: boolean; wentBack: boolean },
): Promise<void> {
  const fromBlock = chainFinalBlock + 1;
  const claims: ClaimLog[] = [];
  for (let next = fromBlock; next <= head.number; ) {
    if (task.signal?.aborted) return;
    const part = await read(task, next, head.number);
    claims.push(...part.claims);
    next = part.toBlock + 1;
  }
  // Claims above the head of a chain that went back are no longer in it. If the head is only
  // another one, they may still be.
  const toBlock = wentBack ? Number.MAX_SAFE_INTEGER : head.number;
  const dropped = await findDropped(task, fromBlock, toBlock, claims, head.number);
  // The answers belong to one chain if the head is still the same.
  const stands = await findBlock(task.client, head.number);
  if (stands?.hash !== head.hash) throw new ChainError(stands ? "moved" : "behind");
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const { headBlock } = await holdAsLeader(tx, task, task.epoch);
      await replaceClaims(tx, task, { fromBlock, toBlock }, claims, { dropped, isFinal: false });
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

/**
 * Finds the blocks that the chain has dropped among those of stored claims that an answer lacks.
 * @returns the hashes of these blocks
 * @throws {ChainError} `incomplete` when the chain still has such a block, so the answer lacks
 *   claims; `behind`
 */
async function findDropped(
  { client, ...of }: Task,
  fromBlock: number,
  toBlock: number,
  found: readonly ClaimLog[],
  headNumber: number,
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
  const below = [...blocks].flatMap(([hash, number]) =>
    number <= headNumber ? { hash, number } : [],
  );
  await confirmDropped(client, below);
  return [...blocks.keys()];
}
