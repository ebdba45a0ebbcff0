import { sql } from "drizzle-orm";
import { hexToBytes, type PublicClient, toHex } from "viem";
import { createChainError } from "../chain/chain-problem";
import {
  type ChainHead,
  type ClaimLog,
  confirmDropped,
  type RangeSize,
  readClaimLogs,
  readHead,
} from "../chain/claim-logs";
import { withDatabase } from "../db/client";
import { claimIndexers, START_UNKNOWN } from "../db/schema/claim-indexer";
import { endOverdueAirdrops } from "./airdrop-deadlines";
import { holdAsLeader } from "./claim-leadership";
import { type ChainContract, findContractRow, isContract, replaceClaims } from "./claim-store";

// The two lanes in which claims are read: what is final, for good; what may be dropped, again and again.

/** Of one look. */
const CHUNKS_MAX = 25;
const WORK_MS_MAX = 20_000;
/** Endpoints are often several nodes, some a few blocks behind the others: that is no failure. */
const BEHIND_BLOCKS_MAX = 20;
/** After that, a chain that is lower than it was is believed: what was seen before was wrong. */
const BEHIND_SECONDS_MAX = 600;

type Row = typeof claimIndexers.$inferSelect;
/** What is read by whom. */
interface Task extends ChainContract {
  readonly epoch: number;
  readonly client: PublicClient;
  readonly size: RangeSize;
  readonly signal: AbortSignal | undefined;
}

/**
 * One look at the chain through one endpoint, as its leader.
 * @returns whether there is more to read
 * @throws {ChainError} when the endpoint gives no answer that holds; what was written stays true
 */
export async function followChain(task: Task): Promise<boolean> {
  const found = await findContractRow(task);
  if (!found) return false;
  const givesUpAt = performance.now() + WORK_MS_MAX;
  const head = await readHead(task.client, task.chainId);
  const row = found.startBlock === START_UNKNOWN ? await settleStart(task, head) : found;
  const blocksBehind = countBlocksBehind(row, head);
  if (blocksBehind > BEHIND_BLOCKS_MAX) throw createChainError("behind");
  const chainFinalBlock = Math.max(head.finalNumber, row.finalBlock);
  const isSameHead = row.headHash !== null && toHex(row.headHash) === head.hash;
  const wasLeft = await readFinal(task, row, head, givesUpAt);
  if (task.signal?.aborted) return false;
  // Who knows less than was seen already takes nothing back.
  if (!isSameHead && blocksBehind === 0) await readTentative(task, row, head, chainFinalBlock);
  await endOverdueAirdrops(task, task.client, head.finalNumber);
  return wasLeft;
}

/** Begins at the oldest airdrop, or here: what is created later is higher. */
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

function countBlocksBehind({ headBlock, headSeenAt }: Row, head: ChainHead): number {
  if (headBlock === null || head.number >= headBlock) return 0;
  const seenAgoMs = Date.now() - (headSeenAt?.getTime() ?? 0);
  return seenAgoMs > BEHIND_SECONDS_MAX * 1_000 ? 0 : headBlock - head.number;
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
