import { decodeEventLog, type Hex, hexToNumber, type PublicClient, type RpcLog, toHex } from "viem";
import type { Address } from "../domain/address";
import { campaignAbi } from "../domain/campaign-contract";
import { findBlock, getBlocksACall, getFinalBlockNumber, getSelector } from "./campaign-events";
import { classifyChainError, createChainError } from "./chain-problem";

// The claims of the campaign contract, as one endpoint tells them.

/** A claim as the contract wrote it down. */
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

/** Where a chain stands, by one endpoint. */
export interface ChainHead {
  readonly number: number;
  readonly hash: Hex;
  readonly finalNumber: number;
}

/** An answer with more is asked for again in smaller parts, so that writing it is quick. */
const LOGS_MAX = 2_000;
const BLOCKS_AT_ONCE = 10;
/** After so many answers in a row the next question is about twice as many blocks. */
const GROWS_AFTER = 4;

/** @throws {ChainError} `wrong_chain` */
export async function checkChain(client: PublicClient, chainId: number): Promise<void> {
  if ((await client.getChainId()) !== chainId) throw createChainError("wrong_chain");
}

export async function readHead(client: PublicClient, chainId: number): Promise<ChainHead> {
  const { number, hash } = await client.getBlock({ blockTag: "latest" });
  const head = Number(number);
  return {
    number: head,
    hash,
    finalNumber: Math.min(head, await getFinalBlockNumber(client, chainId)),
  };
}

/** How many blocks an endpoint is asked about at once: as many as it takes. */
export interface RangeSize {
  blocks: number;
  answers: number;
}

export function createRangeSize(chainId: number): RangeSize {
  return { blocks: getBlocksACall(chainId), answers: 0 };
}

/**
 * Reads the claims from a block on, in as many blocks as the endpoint takes, at most up to `lastBlock`.
 * @returns them, and the block up to which they are all of them
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
      if (logs.length > LOGS_MAX && toBlock > fromBlock) throw createChainError("range_refused");
      grow(size, chainId);
      return { claims: await addTimes(client, logs), toBlock };
    } catch (error) {
      const problem = classifyChainError(error);
      // A range that takes too long is too large as well.
      const isTooLarge = problem === "range_refused" || problem === "too_slow";
      if (!isTooLarge || toBlock === fromBlock) throw error;
      size.blocks = Math.ceil((toBlock - fromBlock + 1) / 2);
      size.answers = 0;
      if (problem === "too_slow") throw error;
    }
  }
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
  const logs = await client.request({
    method: "eth_getLogs",
    params: [
      {
        address: contract,
        topics: [getSelector("Claimed")],
        fromBlock: toHex(fromBlock),
        toBlock: toHex(toBlock),
      },
    ],
  });
  if (!Array.isArray(logs)) throw createChainError("unreadable");
  return logs.map((log) => {
    const claim = decodeClaim(log, contract);
    const isAsked = claim && claim.blockNumber >= fromBlock && claim.blockNumber <= toBlock;
    if (!isAsked) throw createChainError("unreadable");
    return claim;
  });
}

/** Null for what is no claim in this contract that is in a block. */
function decodeClaim(log: RpcLog, contract: Address): RawClaim | null {
  const { transactionHash, logIndex, blockNumber, blockHash } = log;
  if (!transactionHash || !logIndex || !blockNumber || !blockHash || log.removed) return null;
  if (log.address.toLowerCase() !== contract || log.topics[0] !== getSelector("Claimed"))
    return null;
  const { args } = decodeEventLog({
    abi: campaignAbi,
    eventName: "Claimed",
    data: log.data,
    topics: log.topics as [Hex, ...Hex[]],
  });
  const { blockTimestamp } = log as { blockTimestamp?: Hex };
  return {
    txHash: transactionHash,
    logIndex: hexToNumber(logIndex),
    blockNumber: hexToNumber(blockNumber),
    blockHash,
    minedAt: blockTimestamp ? toDate(hexToNumber(blockTimestamp)) : null,
    onchainId: args.id,
    account: args.account.toLowerCase() as Address,
    amountWei: args.amount,
  };
}

const toDate = (seconds: number) => new Date(seconds * 1_000);

/** Not every endpoint says a log's time: then its block does, the one of this very hash. */
async function addTimes(client: PublicClient, claims: readonly RawClaim[]): Promise<ClaimLog[]> {
  const times = new Map<Hex, Date>();
  const unknown = [
    ...new Set(claims.flatMap(({ minedAt, blockHash }) => (minedAt ? [] : [blockHash]))),
  ];
  for (let next = 0; next < unknown.length; next += BLOCKS_AT_ONCE) {
    const some = unknown.slice(next, next + BLOCKS_AT_ONCE);
    await Promise.all(
      some.map(async (blockHash) => {
        const { timestamp } = await client.getBlock({ blockHash });
        times.set(blockHash, toDate(Number(timestamp)));
      }),
    );
  }
  return claims.map((claim) => {
    const minedAt = claim.minedAt ?? times.get(claim.blockHash);
    if (!minedAt) throw createChainError("unreadable");
    return { ...claim, minedAt };
  });
}

/**
 * The claims of one transaction, by its receipt. `isReverted` ones have none.
 * @returns null while it is in no block of the chain
 */
export async function readClaimsOfTransaction(
  client: PublicClient,
  contract: Address,
  hash: Hex,
): Promise<{ isReverted: boolean; claims: ClaimLog[] } | null> {
  const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [hash] });
  if (!receipt) return null;
  const block = await findBlock(client, hexToNumber(receipt.blockNumber));
  if (block?.hash !== receipt.blockHash || receipt.transactionHash !== hash) return null;
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
 * Which of these blocks the chain has dropped, by what stands at their heights now.
 * @throws {ChainError} `behind` when it is not that high; `incomplete` when one still stands: the
 *   logs that led to the question were not all of them
 */
export async function confirmDropped(
  client: PublicClient,
  blocks: readonly { readonly number: number; readonly hash: Hex }[],
): Promise<void> {
  for (const { number, hash } of blocks) {
    const block = await findBlock(client, number);
    if (!block) throw createChainError("behind");
    if (block.hash === hash) throw createChainError("incomplete");
  }
}
