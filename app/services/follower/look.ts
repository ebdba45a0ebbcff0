import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import { type CampaignLog, type ChainHead, readCampaignLogs } from "../../chain/campaigns/logs";
import { readViews } from "../../chain/campaigns/views";
import { readBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { inTransaction } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";
import type { Address } from "../../domain/address";
import type { Look } from "./endpoints";
import { agree, goBack, judgeHead } from "./final-blocks";
import { writeAsLeader } from "./lease";
import {
  type BlockRange,
  type FollowerRow,
  listAirdropsFromFiles,
  listStoredBlocks,
  replaceLogs,
  settleContracts,
} from "./store";

// Final blocks are read once. The window from the last final block that was agreed on to the head is
// read at each look, and replaces what is stored of it: a reorganisation is a replacement like any
// other.

/** The time for final blocks in one look; the window waits for them. */
const WORK_MS_MAX = 5_000;
/** The requests that a window may take. It is larger only while endpoints contradict each other. */
const WINDOW_CALLS_MAX = 50;
/**
 * The time after which an unchanged chain is read again too: an answer may have left logs out.
 */
const RESCAN_AFTER_MS = 15_000;

/**
 * Reads new logs of a chain's campaign contracts, from the cursor up to the head. An endpoint that is
 * behind changes nothing.
 * @returns whether there is more to read
 * @throws {ChainError} when the endpoint gives no consistent answer; what was written stays valid
 */
export async function readChain(look: Look, head: ChainHead): Promise<boolean> {
  const { client, lease, size, memory, signal, asked } = look;
  if (asked && head.number < asked.block) throw new ChainError("behind");
  const givesUpAt = performance.now() + WORK_MS_MAX;
  const wholly = await listToReadWholly(look);
  const first = asked?.isFirst ? asked.block : null;
  const settled = await settleContracts(lease, head.final.number, wholly, first);
  const verdict = await judgeHead(client, settled.row, head);
  if (verdict === "behind") return false;
  if (verdict === "changed" && (await goBack(look, settled.row, head))) return true;
  let row = await agree(look, settled.row, head);
  const agreed = row.agreedBlock ?? row.finalBlock;
  const isSameHead = row.headHash !== null && toHex(row.headHash) === head.hash;
  const isDue =
    !isSameHead || asked !== null || performance.now() > memory.readAt + RESCAN_AFTER_MS;
  if (!isDue && row.finalBlock >= agreed) return false;

  const isContradicted = agreed < head.final.number;
  const followed = { chainId: lease.chainId, contracts: settled.contracts };
  let fromBlock = row.finalBlock + 1;
  let logs: CampaignLog[] = [];
  let hasGap = false;
  for (let next = fromBlock; next <= head.number; ) {
    if (signal?.aborted) return false;
    const callsLeft = (head.number - next) / size.blocks;
    if (isContradicted && next > agreed && callsLeft > WINDOW_CALLS_MAX) {
      throw new ChainError("contradicted");
    }
    const range = { fromBlock: next, lastBlock: head.number };
    const part = await readCampaignLogs(client, followed, size, range);
    logs.push(...part.logs);
    next = part.toBlock + 1;
    if (part.toBlock > agreed) continue;
    // Parts that are wholly final are stored one by one. When that takes long, the window is read
    // meanwhile, with a gap below it.
    row = await store(look, row, { fromBlock, toBlock: part.toBlock }, logs, head);
    hasGap = row.finalBlock < agreed && performance.now() > givesUpAt;
    if (hasGap && !isDue) return true;
    fromBlock = (hasGap ? agreed : row.finalBlock) + 1;
    next = fromBlock;
    logs = [];
  }
  // The answers belong to one chain if the head is still the same.
  if ((await readBlock(client, head.number)).hash !== head.hash) throw new ChainError("moved");
  // Logs above the head of a chain that went back are no longer in it. If the head is only another
  // one, they may still be.
  const wentBack = row.headBlock !== null && head.number < row.headBlock;
  const toBlock = wentBack ? Number.MAX_SAFE_INTEGER : head.number;
  await store(look, row, { fromBlock, toBlock }, logs, head, {
    headBlock: head.number,
    headHash: hexToBytes(head.hash),
    headMinedAt: head.minedAt,
    ...(row.headBlock !== head.number && { headSeenAt: sql`now()` }),
    ...(verdict === "changed" && { reorgs: sql`${chainFollowers.reorgs} + 1` }),
  });
  memory.readAt = performance.now();
  return hasGap;
}

/**
 * Lists the contracts to read from the first block on, for airdrops that came from a file. Ids that
 * a contract does not have are left out, since their creation is nowhere.
 */
async function listToReadWholly({ client, lease, memory }: Look): Promise<Address[]> {
  const airdrops = await listAirdropsFromFiles(lease.chainId);
  const names = airdrops.map(({ contract, onchainId }) => `${contract} ${onchainId}`).join();
  if (memory.fromFiles === names) return [];
  memory.fromFiles = names;
  const found: Address[] = [];
  for (const contract of new Set(airdrops.map((airdrop) => airdrop.contract))) {
    if ((await client.getCode({ address: contract })) === undefined) continue;
    const ids = airdrops.flatMap((airdrop) =>
      airdrop.contract === contract ? BigInt(airdrop.onchainId) : [],
    );
    const states = await readViews(
      client,
      ids.map((id) => ({ address: contract, functionName: "airdrop", args: [id] })),
    ).catch(() => []);
    if (states.some((state) => (state as [unknown, unknown, number])[2] !== 0))
      found.push(contract);
  }
  return found;
}

/**
 * Replaces what is stored of a range of blocks, and moves the cursor on over those that are final. If
 * the cursor was moved back meanwhile, it stays, so that earlier blocks are read too.
 */
async function store(
  { client, lease }: Look,
  { agreedBlock }: FollowerRow,
  range: BlockRange,
  logs: readonly CampaignLog[],
  head: ChainHead,
  changes: Parameters<typeof writeAsLeader>[2] = {},
): Promise<FollowerRow> {
  const missing = await listStoredBlocks(lease.chainId, range, null, logs);
  await confirmDropped(
    client,
    missing.filter(({ number }) => number <= head.number),
  );
  const dropped = missing.map(({ hash }) => hash);
  return inTransaction(async (tx) => {
    const { finalBlock } = await writeAsLeader(tx, lease);
    const isWhole = finalBlock + 1 === range.fromBlock && agreedBlock !== null;
    const final = isWhole ? Math.max(finalBlock, Math.min(agreedBlock, range.toBlock)) : null;
    await replaceLogs(tx, lease.chainId, range, logs, dropped, final);
    return writeAsLeader(tx, lease, { ...(final !== null && { finalBlock: final }), ...changes });
  });
}

/**
 * Checks that the chain has dropped the blocks of stored logs that an answer lacks, by reading the
 * blocks now at the lowest and the highest of their heights: what lies above a dropped block is
 * dropped too.
 * @throws {ChainError} `incomplete` when a block still stands, so the answer lacks logs; `behind`
 */
async function confirmDropped(
  client: PublicClient,
  blocks: readonly { readonly number: number; readonly hash: Hex }[],
): Promise<void> {
  for (const asked of new Set([blocks[0], blocks.at(-1)])) {
    if (asked && (await readBlock(client, asked.number)).hash === asked.hash) {
      throw new ChainError("incomplete");
    }
  }
}
