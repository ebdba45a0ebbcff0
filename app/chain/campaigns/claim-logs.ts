import { decodeEventLog, type Hex, type PublicClient } from "viem";
import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import {
  type Block,
  findBlock,
  findReceipt,
  type LogAnswer,
  readBlock,
  readBlockWithHash,
  readLogs,
  toDate,
} from "../rpc/answers";
import { ChainError, classifyChainError, isAskedTooMuch } from "../rpc/problem";
import { getBlocksACall, getSelector, readFinalBlockNumber } from "./events";

// Reads the claims of the campaign contract from one endpoint.

/** A claim as the contract logged it. */
export interface ClaimLog {
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly minedAt: Date;
  readonly onchainId: bigint;
  readonly account: Address;
  readonly amountWei: bigint;
}

/** The head of a chain and its newest final block, as one endpoint reports them. */
export interface ChainHead extends Block {
  readonly finalNumber: number;
}

/**
 * An answer with more logs is requested again in smaller parts, so that storing each part is quick.
 */
const LOGS_MAX = 2_000;
const BLOCKS_AT_ONCE = 10;
/** After this many answers in a row, the next request covers twice as many blocks. */
const GROWS_AFTER = 4;

export async function readHead(client: PublicClient, chainId: number): Promise<ChainHead> {
  const head = await readBlock(client, "latest");
  const finalNumber = await readFinalBlockNumber(client, chainId, head.number);
  return { ...head, finalNumber: Math.min(head.number, finalNumber) };
}

/** The number of blocks in one request to an endpoint. It adapts to what the endpoint accepts. */
export interface RangeSize {
  blocks: number;
  answers: number;
}

export function createRangeSize(chainId: number): RangeSize {
  return { blocks: getBlocksACall(chainId), answers: 0 };
}

/**
 * Reads the claims from a block on, in as many blocks as the endpoint accepts, at most up to
 * `lastBlock`.
 * @returns the claims, and the last block up to which they are complete
 */
export async function readClaimLogs(
  client: PublicClient,
  chainId: number,
  contract: Address,
  size: RangeSize,
  { fromBlock, lastBlock }: { fromBlock: number; lastBlock: number },
): Promise<{ claims: ClaimLog[]; toBlock: number }> {
  for (;;) {
    const toBlock = Math.min(lastBlock, fromBlock + size.blocks - 1);
    try {
      const logs = await requestLogs(client, contract, fromBlock, toBlock);
      if (logs.length > LOGS_MAX && toBlock > fromBlock) throw new ChainError("range_refused");
      grow(size, chainId);
      return { claims: await addTimes(client, logs), toBlock };
    } catch (error) {
      const isTooMuch = isAskedTooMuch(error);
      const isTooSlow = classifyChainError(error) === "too_slow";
      if (toBlock === fromBlock || !(isTooMuch || isTooSlow)) throw error;
      size.blocks = Math.ceil((toBlock - fromBlock + 1) / 2);
      size.answers = 0;
      // This endpoint is skipped for now. The next request to it is smaller.
      if (!isTooMuch) throw error;
    }
  }
}

/**
 * Reads logs backwards from a block until some are found, in as many blocks as the endpoint
 * accepts.
 * @returns the logs, and the lowest block that was read
 */
export async function readBackwards(
  client: PublicClient,
  filter: { readonly address: Address; readonly topics: (Hex | Hex[])[] },
  size: RangeSize,
  { lastBlock, callsMax }: { lastBlock: number; callsMax: number },
): Promise<{ logs: LogAnswer[]; fromBlock: number }> {
  let next = lastBlock;
  for (let call = 0; call < callsMax && next >= 0; call += 1) {
    const fromBlock = Math.max(0, next - size.blocks + 1);
    try {
      const logs = await readLogs(client, { ...filter, fromBlock, toBlock: next });
      if (logs.length > 0) return { logs, fromBlock };
      next = fromBlock - 1;
    } catch (error) {
      if (next === fromBlock || !isAskedTooMuch(error)) throw error;
      size.blocks = Math.ceil((next - fromBlock + 1) / 2);
      size.answers = 0;
    }
  }
  return { logs: [], fromBlock: next + 1 };
}

function grow(size: RangeSize, chainId: number): void {
  size.answers += 1;
  if (size.answers < GROWS_AFTER) return;
  size.blocks = Math.min(getBlocksACall(chainId), size.blocks * 2);
  size.answers = 0;
}

type RawClaim = Omit<ClaimLog, "minedAt"> & { readonly minedAt: Date | null };

async function requestLogs(
  client: PublicClient,
  contract: Address,
  fromBlock: number,
  toBlock: number,
): Promise<RawClaim[]> {
  const topics = [getSelector("Claimed")];
  const logs = await readLogs(client, { address: contract, topics, fromBlock, toBlock });
  return logs.map((log) => {
    const claim = decodeClaim(log, contract);
    if (!claim) throw new ChainError("unreadable");
    return claim;
  });
}

/** Decodes a claim of this contract. Returns null for any other log. */
function decodeClaim(log: LogAnswer, contract: Address): RawClaim | null {
  const { address, topics, data, blockTimestamp } = log;
  const [selector, ...indexed] = topics;
  if (address !== contract || selector !== getSelector("Claimed")) return null;
  try {
    const { args } = decodeEventLog({
      abi: campaignAbi,
      eventName: "Claimed",
      data,
      topics: [selector, ...indexed],
    });
    return {
      txHash: log.transactionHash,
      logIndex: log.logIndex,
      blockNumber: log.blockNumber,
      blockHash: log.blockHash,
      minedAt: blockTimestamp ? toDate(blockTimestamp) : null,
      onchainId: args.id,
      account: args.account.toLowerCase() as Address,
      amountWei: args.amount,
    };
  } catch {
    throw new ChainError("unreadable");
  }
}

/**
 * Adds the time to each claim. Some endpoints leave the time out of a log; it is then read from the
 * block with the log's hash.
 */
async function addTimes(client: PublicClient, claims: readonly RawClaim[]): Promise<ClaimLog[]> {
  const times = new Map<Hex, Date>();
  const unknown = [
    ...new Set(claims.flatMap(({ minedAt, blockHash }) => (minedAt ? [] : [blockHash]))),
  ];
  for (let next = 0; next < unknown.length; next += BLOCKS_AT_ONCE) {
    const some = unknown.slice(next, next + BLOCKS_AT_ONCE);
    await Promise.all(
      some.map(async (blockHash) => {
        times.set(blockHash, (await readBlockWithHash(client, blockHash)).minedAt);
      }),
    );
  }
  return claims.map((claim) => {
    const minedAt = claim.minedAt ?? times.get(claim.blockHash);
    if (!minedAt) throw new ChainError("unreadable");
    return { ...claim, minedAt };
  });
}

/**
 * Reads the claims of one transaction from its receipt. A reverted transaction has none.
 * @returns null while the transaction is in no block of the chain
 */
export async function readClaimsOfTransaction(
  client: PublicClient,
  contract: Address,
  hash: Hex,
): Promise<{ isReverted: boolean; claims: ClaimLog[] } | null> {
  const receipt = await findReceipt(client, hash);
  if (!receipt) return null;
  const block = await findBlock(client, receipt.blockNumber);
  if (block?.hash !== receipt.blockHash) return null;
  const claims = receipt.logs.flatMap((log) => {
    const claim = decodeClaim(log, contract);
    return claim?.blockHash === block.hash && claim.txHash === hash
      ? [{ ...claim, minedAt: block.minedAt }]
      : [];
  });
  const isReverted = receipt.status !== "0x1";
  return { isReverted, claims: isReverted ? [] : claims };
}

/**
 * Checks that the chain has dropped these blocks, by reading the blocks now at their heights.
 * @throws {ChainError} `behind` when the endpoint has not reached a height; `incomplete` when a
 *   block still stands: the logs that led to the question were incomplete
 */
export async function confirmDropped(
  client: PublicClient,
  blocks: readonly { readonly number: number; readonly hash: Hex }[],
): Promise<void> {
  for (const { number, hash } of blocks) {
    const block = await findBlock(client, number);
    if (!block) throw new ChainError("behind");
    if (block.hash === hash) throw new ChainError("incomplete");
  }
}
