import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import type { ChainHead } from "../../chain/campaigns/logs";
import { findBlock, readBlock } from "../../chain/rpc/answers";
import { getChainSettings } from "../../chain/rpc/chains";
import { ChainError } from "../../chain/rpc/problem";
import { inTransaction, withDatabase } from "../../db/client";
import { BLOCK_UNKNOWN, chainFollowers } from "../../db/schema/chain-follower";
import { askWitness, type Look } from "./endpoints";
import { writeAsLeader } from "./lease";
import { type FollowerRow, listStoredBlocks } from "./store";

// Judges an endpoint's head, and moves the last final block: on when endpoints agree, and back when
// the chain dropped it.

/**
 * The lag, in blocks, that is no failure. An endpoint is often several nodes, some a few blocks
 * behind the others.
 */
const BEHIND_BLOCKS_MAX = 20;
/** The time after which a lower head is accepted: the head that was seen before was wrong. */
const SLIGHTLY_BEHIND_SECONDS_MAX = 120;
const BEHIND_SECONDS_MAX = 600;

/**
 * Compares an endpoint's head with the one up to which logs were read. A lower head means that the
 * endpoint is behind, unless there is proof of another chain or the head stays low for long.
 * @returns `changed` when the chain has dropped the head that was read before
 * @throws {ChainError} `behind` when it is far behind, or denies a block below its own head
 */
export async function judgeHead(
  client: PublicClient,
  { chainId, headBlock, headHash, headSeenAt, headMinedAt }: FollowerRow,
  head: ChainHead,
): Promise<"continued" | "behind" | "changed"> {
  if (headBlock === null || headHash === null) return "continued";
  if (head.number >= headBlock) {
    const there = head.number === headBlock ? head : await readBlock(client, headBlock);
    return there.hash === toHex(headHash) ? "continued" : "changed";
  }
  const isSlightly = headBlock - head.number <= BEHIND_BLOCKS_MAX;
  const patience = isSlightly ? SLIGHTLY_BEHIND_SECONDS_MAX : BEHIND_SECONDS_MAX;
  const isOld = Date.now() - (headSeenAt?.getTime() ?? 0) > patience * 1_000;
  // On one chain, a lower block is never later.
  const isLater = headMinedAt !== null && head.minedAt > headMinedAt;
  if (isOld || isLater) return "changed";
  const [newest] = await listStoredBlocks(chainId, { fromBlock: 0, toBlock: head.number }, 1);
  const there = newest && (await findBlock(client, newest.number));
  if (there && there.hash !== newest?.hash) return "changed";
  if (!isSlightly) throw new ChainError("behind");
  return "behind";
}

/** Makes the changes of an alarm. People see them. */
const alarm = (words: string) => ({
  contradictions: sql`${chainFollowers.contradictions} + 1`,
  contradictedAt: sql`now()`,
  contradiction: words,
});

const ALARM_EVERY_MS = 60_000;

/** Raises an alarm, and one that lasts once a minute. The books are compared at once. */
async function raise({ lease, memory }: Look, row: FollowerRow, words: string): Promise<void> {
  memory.compare.comparedAt = Number.NEGATIVE_INFINITY;
  const { contradiction, contradictedAt } = row;
  const isRecent = Date.now() - (contradictedAt?.getTime() ?? 0) < ALARM_EVERY_MS;
  if (contradiction === words && isRecent) return;
  await withDatabase((db) => writeAsLeader(db, lease, alarm(words)));
}

/**
 * Moves the last final block on, if another endpoint has the same block. Without another that
 * answers, this one must repeat it.
 */
export async function agree(
  look: Look,
  row: FollowerRow,
  { final }: ChainHead,
): Promise<FollowerRow> {
  if (final.number <= (row.agreedBlock ?? -1)) return row;
  const witness = await askWitness(look, final.number);
  const isOther = witness !== null && witness !== "none";
  const again = isOther ? witness : (await findBlock(look.client, final.number))?.hash;
  if (again !== final.hash) {
    if (!isOther) throw new ChainError("moved");
    await raise(look, row, "Two endpoints have different final blocks");
    return row;
  }
  return inTransaction(async (tx) => {
    const agreed = await writeAsLeader(tx, look.lease, {
      agreedBlock: final.number,
      agreedHash: hexToBytes(final.hash),
      agreedMinedAt: final.minedAt,
    });
    await tx.execute(sql`
        select end_overdue_airdrops(${look.lease.chainId}, ${final.number}::bigint,
          ${final.minedAt.toISOString()}::timestamptz)`);
    return agreed;
  });
}

const STORED_BLOCKS_SEARCHED = 1_000;

/**
 * Moves the last final block back if the chain dropped it: to the newest block with a stored log that
 * still stands. With several endpoints, a second one must deny it too.
 * @returns whether it went back; the chain is then read from there by another look
 * @throws {ChainError} `contradicted` when no second one denies it
 */
export async function goBack(look: Look, row: FollowerRow, head: ChainHead): Promise<boolean> {
  const { client, lease } = look;
  const { agreedBlock } = row;
  if (agreedBlock === null || row.agreedHash === null) return false;
  const agreedHash = toHex(row.agreedHash);
  const isBelow = head.number < agreedBlock;
  if (!isBelow && (await readBlock(client, agreedBlock)).hash === agreedHash) return false;
  if (getChainSettings(lease.chainId).rpcUrls.length > 1) {
    const witness = await askWitness(look, agreedBlock);
    // One that lacks the block may only be behind, unless the first one's head is below it too.
    const isDenied = witness === "none" ? isBelow : witness !== null && witness !== agreedHash;
    if (!isDenied) {
      await raise(look, row, "An endpoint denies a final block, and no other one does");
      throw new ChainError("contradicted");
    }
  }
  if ((await findBlock(client, head.number))?.hash !== head.hash) throw new ChainError("moved");
  look.memory.compare.comparedAt = Number.NEGATIVE_INFINITY;
  const range = { fromBlock: 0, toBlock: Math.min(agreedBlock, head.final.number) };
  const stored = await listStoredBlocks(lease.chainId, range, STORED_BLOCKS_SEARCHED);
  const standing = await findNewestStanding(client, stored);
  const back = standing?.number ?? BLOCK_UNKNOWN;
  await inTransaction(async (tx) => {
    const { finalBlock, confirmedBlock } = await writeAsLeader(tx, lease);
    await tx.execute(sql`
        select say_claims('claim.reverted', array(
          select l from chain_logs l
          where l.chain_id = ${lease.chainId} and l.kind = 'claim'
            and l.block_number > ${back}::bigint and l.block_number <= ${confirmedBlock}::bigint))`);
    await writeAsLeader(tx, lease, {
      finalBlock: Math.min(finalBlock, back),
      confirmedBlock: Math.min(confirmedBlock, back),
      agreedBlock: standing?.number ?? null,
      agreedHash: standing ? hexToBytes(standing.hash) : null,
      ...alarm(`Blocks from ${back + 1} on were final and are others now; they were read again`),
    });
  });
  return true;
}

/** Finds the newest of these blocks that the chain still has; the newest comes first. */
async function findNewestStanding(
  client: PublicClient,
  blocks: readonly { readonly number: number; readonly hash: Hex }[],
) {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const asked = blocks[middle];
    const there = asked && (await findBlock(client, asked.number));
    if (there?.hash === asked?.hash) high = middle;
    else low = middle + 1;
  }
  return blocks[low];
}
