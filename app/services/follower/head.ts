import type { PublicClient } from "viem";
import { toHex } from "viem";
import type { ChainHead } from "../../chain/campaigns/logs";
import { findBlock, readBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { type FollowerRow, listStoredBlocks } from "./store";

/**
 * The lag, in blocks, that is no failure. An endpoint is often several nodes, some a few blocks
 * behind the others.
 */
const BEHIND_BLOCKS_MAX = 20;
/** The time after which a lower head is accepted: the head that was seen before was wrong. */
const SLIGHTLY_BEHIND_SECONDS_MAX = 120;
const BEHIND_SECONDS_MAX = 600;

/** The relation of an endpoint's head to the head that was read before. */
interface HeadVerdict {
  /** The endpoint is behind: its answers remove nothing. */
  readonly isBehind: boolean;
  /** The chain has dropped the head that was read before. */
  readonly hasChanged: boolean;
  /** The chain is lower than before. */
  readonly wentBack: boolean;
  /** It has dropped blocks that were final. */
  readonly isBelowFinal: boolean;
}

const AS_BEFORE: HeadVerdict = {
  isBehind: false,
  hasChanged: false,
  wentBack: false,
  isBelowFinal: false,
};

/**
 * Compares an endpoint's head with the one up to which logs were read. A lower head means that the
 * endpoint is behind, unless there is proof of another chain or the head stays low for long.
 * @throws {ChainError} `behind` when it is far behind, or denies a block below its own head
 */
export async function judgeHead(
  client: PublicClient,
  row: FollowerRow,
  head: ChainHead,
): Promise<HeadVerdict> {
  const { chainId, headBlock, headSeenAt, headMinedAt, agreedBlock } = row;
  const headHash = row.headHash && toHex(row.headHash);
  if (headBlock === null || headHash === null || head.hash === headHash) return AS_BEFORE;
  const wentBack = head.number < headBlock;
  if (!wentBack) {
    const there = head.number === headBlock ? head : await readBlock(client, headBlock);
    if (there.hash === headHash) return AS_BEFORE;
  } else {
    const blocksBehind = headBlock - head.number;
    const isSlightly = blocksBehind <= BEHIND_BLOCKS_MAX;
    const patience = isSlightly ? SLIGHTLY_BEHIND_SECONDS_MAX : BEHIND_SECONDS_MAX;
    const isOld = Date.now() - (headSeenAt?.getTime() ?? 0) > patience * 1_000;
    // On one chain, a lower block is never later.
    const isLater = headMinedAt !== null && head.minedAt > headMinedAt;
    if (!isOld && !isLater && !(await hasDropped(client, chainId, head.number))) {
      if (!isSlightly) throw new ChainError("behind");
      return { ...AS_BEFORE, isBehind: true };
    }
  }
  const isBelowFinal = agreedBlock !== null && (await isDenied(client, row, head, agreedBlock));
  return { isBehind: false, hasChanged: true, wentBack, isBelowFinal };
}

async function isDenied(
  client: PublicClient,
  { chainId, agreedHash }: FollowerRow,
  head: ChainHead,
  agreedBlock: number,
): Promise<boolean> {
  if (head.number < agreedBlock) return true;
  if (agreedHash === null) return hasDropped(client, chainId, agreedBlock);
  return (await readBlock(client, agreedBlock)).hash !== toHex(agreedHash);
}

/** Checks whether the chain dropped the block of the newest stored log up to a height. */
async function hasDropped(
  client: PublicClient,
  chainId: number,
  upToBlock: number,
): Promise<boolean> {
  const [newest] = await listStoredBlocks(chainId, upToBlock, 1);
  if (!newest) return false;
  const block = await findBlock(client, newest.number);
  return block !== null && block.hash !== newest.hash;
}
