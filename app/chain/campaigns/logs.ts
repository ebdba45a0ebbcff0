import { decodeEventLog, type Hex, type PublicClient } from "viem";
import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import {
  type Block,
  findBlock,
  type LogAnswer,
  readBlock,
  readBlockWithHash,
  readLogs,
  toDate,
} from "../rpc/answers";
import { getCampaignContract } from "../rpc/chains";
import { ChainError, classifyChainError, isAskedTooMuch } from "../rpc/problem";
import { getSelector } from "./events";

// Reads the logs of the campaign contracts from one endpoint.

/** The events that are followed, by the kind under which each is stored. */
const KINDS = {
  AirdropCreated: "creation",
  BucketsAdded: "buckets",
  Claimed: "claim",
  Refunded: "refund",
  AirdropCancelled: "cancellation",
  AdminChanged: "admin",
  DeadlineExtended: "deadline",
} as const;
const TOPICS = (Object.keys(KINDS) as (keyof typeof KINDS)[]).map(getSelector);

/** A log of a campaign contract, in the form in which it is stored. */
export interface CampaignLog {
  readonly contract: Address;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly logIndex: number;
  readonly txHash: Hex;
  readonly minedAt: Date;
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly onchainId: bigint;
  readonly account: Address | null;
  readonly amountWei: bigint | null;
  readonly root: Hex | null;
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** The head of a chain and its newest final block, as one endpoint reports them. */
export interface ChainHead extends Block {
  readonly finalNumber: number;
  /** The newest final block; null when the endpoint was only asked for its number. */
  readonly final: Block | null;
}

/** Used for chains that have no `finalized` block. */
const FINAL_AFTER_BLOCKS = 100;
const CHAINS_WITH_FINALIZED: readonly number[] = [8453, 84532];
const BLOCKS_A_CALL: Readonly<Record<number, number>> = { 5031: 1_000, 50312: 1_000 };
const BLOCKS_A_CALL_DEFAULT = 2_000;
/**
 * An answer with more logs is requested again in smaller parts, so that storing each part is quick.
 */
const LOGS_MAX = 2_000;
const BLOCKS_AT_ONCE = 10;
/** After this many answers in a row, the next request covers twice as many blocks. */
const GROWS_AFTER = 4;

export async function readHead(client: PublicClient, chainId: number): Promise<ChainHead> {
  const head = await readBlock(client, "latest");
  const final = CHAINS_WITH_FINALIZED.includes(chainId)
    ? await readBlock(client, "finalized")
    : null;
  if (final && final.number > head.number)
    return { ...head, finalNumber: head.number, final: head };
  const finalNumber = final?.number ?? Math.max(0, head.number - FINAL_AFTER_BLOCKS);
  return { ...head, finalNumber, final };
}

/** The number of blocks in one request to an endpoint. It adapts to what the endpoint accepts. */
export interface RangeSize {
  blocks: number;
  readonly blocksMax: number;
  answers: number;
}

export function createRangeSize(chainId: number): RangeSize {
  const blocks = BLOCKS_A_CALL[chainId] ?? BLOCKS_A_CALL_DEFAULT;
  return { blocks, blocksMax: blocks, answers: 0 };
}

/** The contracts of a chain whose logs are read. */
export interface FollowedContracts {
  readonly chainId: number;
  readonly contracts: readonly Address[];
}

/**
 * Reads the logs of all contracts from a block on, in as many blocks as the endpoint accepts, at
 * most up to `lastBlock`.
 * @returns the logs, and the last block up to which they are complete
 */
export async function readCampaignLogs(
  client: PublicClient,
  of: FollowedContracts,
  size: RangeSize,
  { fromBlock, lastBlock }: { fromBlock: number; lastBlock: number },
): Promise<{ logs: CampaignLog[]; toBlock: number }> {
  for (;;) {
    const toBlock = Math.min(lastBlock, fromBlock + size.blocks - 1);
    try {
      const found = await readLogs(client, {
        address: of.contracts,
        topics: [TOPICS],
        fromBlock,
        toBlock,
      });
      if (found.length > LOGS_MAX && toBlock > fromBlock) throw new ChainError("range_refused");
      grow(size);
      const decoded = found.flatMap((log) => decodeLog(log, of) ?? []);
      return { logs: await addTimes(client, decoded), toBlock };
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

function grow(size: RangeSize): void {
  size.answers += 1;
  if (size.answers < GROWS_AFTER) return;
  size.blocks = Math.min(size.blocksMax, size.blocks * 2);
  size.answers = 0;
}

type Decoded = Pick<CampaignLog, "kind" | "onchainId"> & Partial<CampaignLog>;
type UntimedLog = Omit<CampaignLog, "minedAt"> & { readonly minedAt: Date | null };

/**
 * Decodes a log. Returns null for one of a foreign contract, which a file of airdrops may name.
 * @throws {ChainError} `unreadable`
 */
function decodeLog(log: LogAnswer, { chainId, contracts }: FollowedContracts): UntimedLog | null {
  const contract = log.address as Address;
  if (!contracts.includes(contract)) throw new ChainError("unreadable");
  const decoded = decodeEvent(log);
  if (!decoded) {
    if (contract === getCampaignContract(chainId)) throw new ChainError("unreadable");
    return null;
  }
  return {
    account: null,
    amountWei: null,
    root: null,
    fields: null,
    ...decoded,
    contract,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    logIndex: log.logIndex,
    txHash: log.transactionHash,
    minedAt: log.blockTimestamp ? toDate(log.blockTimestamp) : null,
  };
}

const lower = <Text extends string>(text: Text) => text.toLowerCase() as Text;
const bare = (hex: Hex) => hex.slice(2).toLowerCase();

/** Decodes a log's event. Returns null unless it is one that is followed. */
export function decodeEvent({ topics, data }: Pick<LogAnswer, "topics" | "data">): Decoded | null {
  const [selector, ...indexed] = topics;
  if (!selector) return null;
  try {
    const event = decodeEventLog({ abi: campaignAbi, data, topics: [selector, ...indexed] });
    switch (event.eventName) {
      case "Claimed": {
        const { id, account, amount, root } = event.args;
        return { kind: "claim", onchainId: id, account: lower(account), amountWei: amount, root };
      }
      case "AirdropCreated": {
        const { id, admin, ref, creator, token, deadline } = event.args;
        const fields = {
          ref,
          creator: lower(creator),
          token: lower(token),
          deadline: String(deadline),
        };
        return { kind: "creation", onchainId: id, account: lower(admin), fields };
      }
      case "BucketsAdded": {
        const buckets = event.args.buckets.map(({ root, total }) => [bare(root), String(total)]);
        return { kind: "buckets", onchainId: event.args.id, fields: { buckets } };
      }
      case "Refunded": {
        const { id, to, amount, roots, amounts } = event.args;
        const refunded = roots.map((root, i) => [bare(root), String(amounts[i])]);
        const fields = { to: lower(to), buckets: refunded };
        return { kind: "refund", onchainId: id, amountWei: amount, fields };
      }
      case "AirdropCancelled":
        return { kind: "cancellation", onchainId: event.args.id };
      case "AdminChanged":
        return { kind: "admin", onchainId: event.args.id, account: lower(event.args.admin) };
      case "DeadlineExtended": {
        const fields = { deadline: String(event.args.deadline) };
        return { kind: "deadline", onchainId: event.args.id, fields };
      }
      default:
        return null;
    }
  } catch {
    return null;
  }
}

/**
 * Adds the time to each log. Some endpoints leave it out; it is then read from the block with the
 * log's hash.
 */
async function addTimes(client: PublicClient, logs: readonly UntimedLog[]): Promise<CampaignLog[]> {
  const times = new Map<Hex, Date>();
  const unknown = [
    ...new Set(logs.flatMap(({ minedAt, blockHash }) => (minedAt ? [] : [blockHash]))),
  ];
  for (let next = 0; next < unknown.length; next += BLOCKS_AT_ONCE) {
    const some = unknown.slice(next, next + BLOCKS_AT_ONCE);
    await Promise.all(
      some.map(async (blockHash) => {
        times.set(blockHash, (await readBlockWithHash(client, blockHash)).minedAt);
      }),
    );
  }
  return logs.map((log) => {
    const minedAt = log.minedAt ?? times.get(log.blockHash);
    if (!minedAt) throw new ChainError("unreadable");
    return { ...log, minedAt };
  });
}

/**
 * Checks that the chain has dropped these blocks, by reading the blocks now at the lowest and the
 * highest of their heights: what lies above a dropped block is dropped too.
 * @throws {ChainError} `behind` when the endpoint has not reached a height; `incomplete` when a
 *   block still stands: the logs that led to the question were incomplete
 */
export async function confirmDropped(
  client: PublicClient,
  blocks: readonly { readonly number: number; readonly hash: Hex }[],
): Promise<void> {
  const sorted = blocks.toSorted((a, b) => a.number - b.number);
  for (const asked of new Set([sorted[0], sorted.at(-1)])) {
    if (!asked) continue;
    const block = await findBlock(client, asked.number);
    if (!block) throw new ChainError("behind");
    if (block.hash === asked.hash) throw new ChainError("incomplete");
  }
}
