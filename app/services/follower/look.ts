import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import {
  type CampaignLog,
  type ChainHead,
  confirmDropped,
  type FollowedContracts,
  type RangeSize,
  readCampaignLogs,
} from "../../chain/campaigns/logs";
import { findBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";
import type { Address } from "../../domain/address";
import { listExistingAirdrops } from "./books";
import type { WitnessRests } from "./endpoints";
import { agree, goBack } from "./final-blocks";
import { judgeHead } from "./head";
import { type Lease, writeAsLeader } from "./lease";
import {
  type FollowerRow,
  listAirdropsFromFiles,
  listMissingBlocks,
  replaceLogs,
  settleContracts,
} from "./store";

// Final blocks are read once. The window from the last final block that was agreed on to the head is
// read at each look, and replaces what is stored of it: a reorganisation is a replacement like any
// other.

/** The bounds of the final blocks that one look reads; the window waits for them. */
const CHUNKS_MAX = 25;
const WORK_MS_MAX = 5_000;
/** The requests that a window may take. It is larger only while endpoints contradict each other. */
const WINDOW_CALLS_MAX = 50;
/**
 * The time after which an unchanged chain is read again too: an answer may have left logs out.
 */
const RESCAN_AFTER_MS = 15_000;

/** A leader's state for a chain from one look to the next. */
export interface LookMemory {
  /** The time of the last read up to the head. */
  readAt: number;
  readonly witnessRests: WitnessRests;
  /** The airdrops from files for whose creation the whole chain was read, or is being read. */
  fromFiles: string;
  /** Whether the books are to be compared at once. */
  isAlarmed: boolean;
}

/** One look at a chain through one endpoint. */
export interface Look {
  readonly lease: Lease;
  readonly url: string;
  readonly client: PublicClient;
  readonly size: RangeSize;
  readonly memory: LookMemory;
  readonly signal: AbortSignal | undefined;
  /** A block that must be read, for somebody who waits for it; null when nobody does. */
  readonly asked: { readonly block: number; readonly isFirst: boolean } | null;
}

interface Task extends Look, FollowedContracts {}

/**
 * Reads new logs of a chain's campaign contracts.
 * @returns whether there is more to read
 * @throws {ChainError} when the endpoint gives no consistent answer; what was written stays valid
 */
export async function readChain(look: Look, head: ChainHead): Promise<boolean> {
  const { client, lease, memory, asked, size } = look;
  const { chainId } = lease;
  if (asked && head.number < asked.block) throw new ChainError("behind");
  const givesUpAt = performance.now() + WORK_MS_MAX;
  const wholly = await listToReadWholly(look);
  const settled = await settleContracts(
    lease,
    head.finalNumber,
    wholly,
    asked?.isFirst ? asked.block : null,
  );
  const task = { ...look, chainId, contracts: settled.contracts };
  const verdict = await judgeHead(client, settled.row, head);
  let { row } = settled;
  if (verdict.isBelowFinal) row = await goBack(task, row, head);
  row = await agree(task, row, head);
  const agreed = row.agreedBlock ?? row.finalBlock;
  const isSameHead = row.headHash !== null && toHex(row.headHash) === head.hash;
  const isDue =
    !isSameHead || asked !== null || performance.now() > memory.readAt + RESCAN_AFTER_MS;
  for (;;) {
    // Final blocks that one request covers together with the window are a part of it.
    const isWide = () => row.finalBlock < agreed && head.number - row.finalBlock > size.blocks;
    if (isWide()) row = await readFinal(task, row, agreed, givesUpAt);
    if (look.signal?.aborted) return false;
    const hasGap = isWide();
    // An endpoint that is behind removes nothing.
    if (verdict.isBehind || !(isDue || row.finalBlock < agreed)) return hasGap;
    if (hasGap && !isDue) return true;
    const fromBlock = (hasGap ? agreed : row.finalBlock) + 1;
    if (!(await readWindow(task, row, head, { ...verdict, fromBlock }))) continue;
    memory.readAt = performance.now();
    return hasGap;
  }
}

/**
 * Lists the contracts to read from the first block on, for airdrops that came from a file. Ids that
 * a contract does not have are left out, since their creation is nowhere.
 */
async function listToReadWholly({ client, lease, memory }: Look): Promise<Address[]> {
  const airdrops = await listAirdropsFromFiles(lease.chainId);
  const names = airdrops.map(({ contract, onchainId }) => `${contract} ${onchainId}`).join();
  if (airdrops.length === 0 || memory.fromFiles === names) return [];
  memory.fromFiles = names;
  return listExistingAirdrops(client, airdrops);
}

/**
 * Reads final blocks from the cursor on, chunk by chunk; each chunk and the cursor are written in
 * one transaction.
 */
async function readFinal(
  task: Task,
  row: FollowerRow,
  agreed: number,
  givesUpAt: number,
): Promise<FollowerRow> {
  let next = row;
  for (let chunk = 0; chunk < CHUNKS_MAX && next.finalBlock < agreed; chunk += 1) {
    if (task.signal?.aborted || performance.now() > givesUpAt) break;
    const fromBlock = next.finalBlock + 1;
    const { logs, toBlock } = await read(task, fromBlock, agreed);
    const dropped = await findDropped(task, { fromBlock, toBlock }, logs, toBlock);
    next = await withDatabase((db) =>
      db.transaction(async (tx) => {
        const { finalBlock } = await writeAsLeader(tx, task.lease);
        // The cursor was moved back meanwhile, so that earlier blocks are read too.
        if (finalBlock !== fromBlock - 1) return next;
        await replaceLogs(tx, task, { fromBlock, toBlock }, logs, dropped, toBlock);
        return writeAsLeader(tx, task.lease, { finalBlock: toBlock });
      }),
    );
    if (next.finalBlock !== toBlock) break;
  }
  return next;
}

const read = ({ client, chainId, contracts, size }: Task, fromBlock: number, lastBlock: number) =>
  readCampaignLogs(client, { chainId, contracts }, size, { fromBlock, lastBlock });

/**
 * Reads all blocks that may still be dropped, up to the head. While the final blocks are far behind,
 * there is a gap below, which they close.
 * @returns false when the window's final blocks did not fit a request, and are to be read first
 */
async function readWindow(
  task: Task,
  row: FollowerRow,
  head: ChainHead,
  options: { hasChanged: boolean; wentBack: boolean; fromBlock: number },
): Promise<boolean> {
  const { fromBlock, hasChanged, wentBack } = options;
  const logs: CampaignLog[] = [];
  let calls = 0;
  for (let next = fromBlock; next <= head.number; calls += 1) {
    if (task.signal?.aborted) return true;
    if (calls === WINDOW_CALLS_MAX && (row.agreedBlock ?? head.finalNumber) < head.finalNumber) {
      throw new ChainError("contradicted");
    }
    const part = await read(task, next, head.number);
    if (part.toBlock < (row.agreedBlock ?? 0)) return false;
    logs.push(...part.logs);
    next = part.toBlock + 1;
  }
  // Logs above the head of a chain that went back are no longer in it. If the head is only another
  // one, they may still be.
  const toBlock = wentBack ? Number.MAX_SAFE_INTEGER : head.number;
  const dropped = await findDropped(task, { fromBlock, toBlock }, logs, head.number);
  // The answers belong to one chain if the head is still the same.
  const stands = await findBlock(task.client, head.number);
  if (stands?.hash !== head.hash) throw new ChainError(stands ? "moved" : "behind");
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const { headBlock, finalBlock } = await writeAsLeader(tx, task.lease);
      const isWhole = finalBlock + 1 === fromBlock && row.agreedBlock !== null;
      const final = isWhole ? Math.max(finalBlock, row.agreedBlock ?? 0) : null;
      await replaceLogs(tx, task, { fromBlock, toBlock }, logs, dropped, final);
      await writeAsLeader(tx, task.lease, {
        ...(final !== null && { finalBlock: final }),
        headBlock: head.number,
        headHash: hexToBytes(head.hash),
        headMinedAt: head.minedAt,
        ...(headBlock !== head.number && { headSeenAt: sql`now()` }),
        ...(hasChanged && { reorgs: sql`${chainFollowers.reorgs} + 1` }),
      });
    }),
  );
  return true;
}

/**
 * Finds the blocks that the chain has dropped among those of stored logs that an answer lacks.
 * @returns the hashes of these blocks
 * @throws {ChainError} `incomplete` when the chain still has such a block, so the answer lacks
 *   logs; `behind`
 */
async function findDropped(
  { client, chainId }: Task,
  range: { readonly fromBlock: number; readonly toBlock: number },
  found: readonly CampaignLog[],
  headNumber: number,
): Promise<Hex[]> {
  const missing = await listMissingBlocks(chainId, range, found);
  await confirmDropped(
    client,
    missing.filter(({ number }) => number <= headNumber),
  );
  return missing.map(({ hash }) => hash);
}
