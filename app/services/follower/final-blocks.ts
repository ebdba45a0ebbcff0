import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import type { ChainHead } from "../../chain/campaigns/logs";
import { type Block, findBlock, readBlock } from "../../chain/rpc/answers";
import { getChainSettings } from "../../chain/rpc/chains";
import { ChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";
import { askWitness, type WitnessRests } from "./endpoints";
import { type Lease, writeAsLeader } from "./lease";
import { type FollowerRow, listStoredBlocks } from "./store";

// Moves the last final block on when endpoints agree, and back when the chain dropped it.

const STORED_BLOCKS_SEARCHED = 1_000;

/** A look through one endpoint, as far as final blocks need it. */
interface FinalTask {
  readonly chainId: number;
  readonly lease: Lease;
  readonly url: string;
  readonly client: PublicClient;
  readonly memory: { readonly witnessRests: WitnessRests; isAlarmed: boolean };
}

/** Makes the changes of an alarm. People see them, and the books are compared at once. */
const alarm = (words: string) => ({
  contradictions: sql`${chainFollowers.contradictions} + 1`,
  contradictedAt: sql`now()`,
  contradiction: words,
});

/**
 * Moves the last final block on, if another endpoint has the same block. Without another that
 * answers, this one must repeat it.
 */
export async function agree(
  task: FinalTask,
  row: FollowerRow,
  head: ChainHead,
): Promise<FollowerRow> {
  const { client, lease, url, memory } = task;
  if (head.finalNumber <= (row.agreedBlock ?? -1)) return row;
  const final: Block = head.final ?? (await readBlock(client, head.finalNumber));
  const witness = await askWitness(task.chainId, url, final.number, memory.witnessRests);
  const isOther = witness !== null && witness !== "none";
  const again = isOther ? witness : (await findBlock(client, final.number))?.hash;
  if (again === final.hash) {
    return withDatabase((db) =>
      db.transaction(async (tx) => {
        const agreed = await writeAsLeader(tx, lease, {
          agreedBlock: final.number,
          agreedHash: hexToBytes(final.hash),
          agreedMinedAt: final.minedAt,
        });
        await tx.execute(sql`
          select end_overdue_airdrops(
            ${task.chainId}, ${final.number}::bigint, ${final.minedAt.toISOString()}::timestamptz)`);
        return agreed;
      }),
    );
  }
  if (!isOther) throw new ChainError("moved");
  memory.isAlarmed = true;
  await raise(lease, row, "Two endpoints have different final blocks");
  return row;
}

const ALARM_EVERY_MS = 60_000;

/** Raises an alarm, and one that lasts once a minute. */
async function raise(lease: Lease, row: FollowerRow, words: string): Promise<void> {
  const { contradiction, contradictedAt } = row;
  const isRecent = Date.now() - (contradictedAt?.getTime() ?? 0) < ALARM_EVERY_MS;
  if (contradiction === words && isRecent) return;
  await withDatabase((db) => writeAsLeader(db, lease, alarm(words)));
}

/**
 * Moves the last final block back, because the chain dropped it: to the newest block with a stored
 * log that still stands. With several endpoints, a second one must say so too.
 * @throws {ChainError} `contradicted` when it does not
 */
export async function goBack(
  task: FinalTask,
  row: FollowerRow,
  head: ChainHead,
): Promise<FollowerRow> {
  const { client, lease, chainId, memory } = task;
  const { agreedBlock, agreedHash } = row;
  if (agreedBlock === null) return row;
  memory.isAlarmed = true;
  const [newest] = await listStoredBlocks(chainId, agreedBlock, 1);
  const denied = agreedHash ? { number: agreedBlock, hash: toHex(agreedHash) } : newest;
  if (denied && !(await isDeniedBySecond(task, denied, head))) {
    await raise(lease, row, "An endpoint denies a final block, and no other one does");
    throw new ChainError("contradicted");
  }
  const there = await findBlock(client, head.number);
  if (there?.hash !== head.hash) throw new ChainError("moved");
  const stored = await listStoredBlocks(
    chainId,
    Math.min(agreedBlock, head.number),
    STORED_BLOCKS_SEARCHED,
  );
  const standing = await findNewestStanding(client, stored);
  const back = Math.min(standing?.number ?? (await findFirstBlock(chainId)) - 1, head.finalNumber);
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const { confirmedBlock } = await writeAsLeader(tx, lease);
      await tx.execute(sql`
        select say_claims('claim.reverted', array(
          select l from chain_logs l
          where l.chain_id = ${chainId} and l.kind = 'claim'
            and l.block_number > ${back}::bigint and l.block_number <= ${confirmedBlock}::bigint))`);
      return writeAsLeader(tx, lease, {
        finalBlock: Math.min(row.finalBlock, back),
        confirmedBlock: Math.min(confirmedBlock, back),
        agreedBlock: back < 0 ? null : back,
        agreedHash: back === standing?.number ? hexToBytes(standing.hash) : null,
        ...alarm(`Blocks after ${back} were final and are others now; they were read again`),
      });
    }),
  );
}

/**
 * Checks that a second endpoint denies a block too. One that lacks it may only be behind, which
 * counts if the first one's head is below it as well. The only endpoint of a chain needs no second.
 */
async function isDeniedBySecond(
  { chainId, url, memory }: FinalTask,
  { number, hash }: { readonly number: number; readonly hash: Hex },
  head: ChainHead,
): Promise<boolean> {
  if (getChainSettings(chainId).rpcUrls.length === 1) return true;
  const witness = await askWitness(chainId, url, number, memory.witnessRests);
  if (witness === "none") return head.number < number;
  return witness !== null && witness !== hash;
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

async function findFirstBlock(chainId: number): Promise<number> {
  const [first] = await withDatabase((db) =>
    db.execute<{ block: number }>(sql`
      select coalesce(min(from_block), 0)::float8 as block from chain_contracts
      where chain_id = ${chainId}`),
  );
  return first?.block ?? 0;
}
