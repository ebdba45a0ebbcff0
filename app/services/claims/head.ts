import { sql } from "drizzle-orm";
import { type Hex, hexToBytes, type PublicClient, toHex } from "viem";
import type { ChainHead } from "../../chain/campaigns/claim-logs";
import { findBlock, readBlock } from "../../chain/rpc/answers";
import { ChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import type { claimIndexers } from "../../db/schema/claim-indexer";
import type { ChainContract } from "./store";

/**
 * The lag, in blocks, that is no failure. An endpoint is often several nodes, some a few blocks
 * behind the others.
 */
const BEHIND_BLOCKS_MAX = 20;
/** The time after which a lower head is accepted: the head that was seen before was wrong. */
const SLIGHTLY_BEHIND_SECONDS_MAX = 120;
const BEHIND_SECONDS_MAX = 600;

/** A head that was read, and the time of its block. */
export interface SeenHead {
  readonly hash: Hex;
  readonly minedAt: Date;
}

/** The relation of an endpoint's head to the head that was read before. */
interface HeadVerdict {
  /** The endpoint is behind: its answers remove no claims. */
  readonly isBehind: boolean;
  /** The chain has dropped the head that was read before. */
  readonly hasChanged: boolean;
  /** The chain is lower than before. */
  readonly wentBack: boolean;
  /** The first block that was final and was dropped; null when there is none. */
  readonly droppedFrom: number | null;
}

const AS_BEFORE: HeadVerdict = {
  isBehind: false,
  hasChanged: false,
  wentBack: false,
  droppedFrom: null,
};

/**
 * Compares an endpoint's head with the one up to which the claims were read. A lower head means
 * that the endpoint is behind, unless there is proof of another chain or the head stays low for
 * long.
 * @param seen the head that was read before; null if it is not known
 * @throws {ChainError} `behind` when it is far behind, or denies a block below its own head
 */
export async function judgeHead(
  of: ChainContract,
  client: PublicClient,
  row: typeof claimIndexers.$inferSelect,
  head: ChainHead,
  seen: SeenHead | null,
): Promise<HeadVerdict> {
  const { headBlock, headSeenAt, finalBlock, startBlock } = row;
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
    const isLater = seen?.hash === headHash && head.minedAt > seen.minedAt;
    if (!isOld && !isLater && !(await hasDroppedClaim(of, client, head.number))) {
      if (!isSlightly) throw new ChainError("behind");
      return { ...AS_BEFORE, isBehind: true };
    }
  }
  const isDeep = await hasDroppedClaim(of, client, Math.min(finalBlock, head.number));
  const isCut = finalBlock > head.number;
  const droppedFrom = isDeep ? startBlock : isCut ? head.finalNumber + 1 : null;
  return { isBehind: false, hasChanged: true, wentBack, droppedFrom };
}

/** Checks whether the chain dropped the block of the newest claim up to a height. */
async function hasDroppedClaim(
  { chainId, contract }: ChainContract,
  client: PublicClient,
  upToBlock: number,
): Promise<boolean> {
  const [claim] = await withDatabase((db) =>
    db.execute<{ number: number; hash: Uint8Array }>(sql`
      select block_number::float8 as number, block_hash as hash from claims
      where chain_id = ${chainId} and contract = ${hexToBytes(contract)}
        and block_number <= ${upToBlock}::bigint
      order by block_number desc limit 1`),
  );
  if (!claim) return false;
  const block = await findBlock(client, claim.number);
  return block !== null && block.hash !== toHex(claim.hash);
}
