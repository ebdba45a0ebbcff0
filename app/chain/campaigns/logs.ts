import { decodeEventLog, type Hex, type PublicClient } from "viem";
import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import {
  type Block,
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
  readonly final: Block;
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

/** Reads the head of a chain. */
export async function readHead(client: PublicClient, chainId: number): Promise<ChainHead> {
  const head = await readBlock(client, "latest");
  const hasFinalized = CHAINS_WITH_FINALIZED.includes(chainId);
  const finalNumber = Math.max(0, head.number - FINAL_AFTER_BLOCKS);
  const final = await readBlock(client, hasFinalized ? "finalized" : finalNumber);
  return { ...head, final: final.number > head.number ? head : final };
}

/** Creates the size of requests to an endpoint. It adapts to what the endpoint accepts. */
export function createRangeSize(chainId: number) {
  const blocks = BLOCKS_A_CALL[chainId] ?? BLOCKS_A_CALL_DEFAULT;
  return { blocks, blocksMax: blocks, answers: 0 };
}

export type RangeSize = ReturnType<typeof createRangeSize>;

/** The contracts of a chain whose logs are read. */
interface FollowedContracts {
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
      const filter = { address: of.contracts, topics: [TOPICS], fromBlock, toBlock };
      const found = await readLogs(client, filter);
      if (found.length > LOGS_MAX && toBlock > fromBlock) throw new ChainError("range_refused");
      size.answers += 1;
      if (size.answers % GROWS_AFTER === 0) size.blocks = Math.min(size.blocksMax, size.blocks * 2);
      return { logs: await decodeLogs(client, found, of), toBlock };
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
 * Decodes logs, and adds the times of their blocks, which some endpoints leave out of logs. Logs of
 * a foreign contract, which a file of airdrops may name, are left out.
 * @throws {ChainError} `unreadable`
 */
async function decodeLogs(
  client: PublicClient,
  found: readonly LogAnswer[],
  { chainId, contracts }: FollowedContracts,
): Promise<CampaignLog[]> {
  const times = new Map<Hex, Date | null>(
    found.map((log) => [log.blockHash, log.blockTimestamp ? toDate(log.blockTimestamp) : null]),
  );
  const unknown = [...times].flatMap(([hash, time]) => (time ? [] : hash));
  for (let next = 0; next < unknown.length; next += BLOCKS_AT_ONCE) {
    const some = unknown.slice(next, next + BLOCKS_AT_ONCE);
    const blocks = await Promise.all(some.map((hash) => readBlockWithHash(client, hash)));
    for (const { hash, minedAt } of blocks) times.set(hash, minedAt);
  }
  return found.flatMap((log) => {
    const { address: contract, blockNumber, blockHash, logIndex, transactionHash: txHash } = log;
    const minedAt = times.get(blockHash);
    if (!contracts.includes(contract) || !minedAt) throw new ChainError("unreadable");
    const event = decodeEvent(log);
    if (event) return { ...event, contract, blockNumber, blockHash, logIndex, txHash, minedAt };
    if (contract === getCampaignContract(chainId)) throw new ChainError("unreadable");
    return [];
  });
}

const lower = <Text extends string>(text: Text) => text.toLowerCase() as Text;
const bare = (hex: Hex) => hex.slice(2).toLowerCase();

type CampaignEvent = Omit<
  CampaignLog,
  "contract" | "blockNumber" | "blockHash" | "logIndex" | "txHash" | "minedAt"
>;

/** Decodes a log's event. Returns null unless it is one that is followed. */
export function decodeEvent(log: Pick<LogAnswer, "topics" | "data">): CampaignEvent | null {
  try {
    const topics = log.topics as [Hex, ...Hex[]];
    const { eventName, args } = decodeEventLog({ abi: campaignAbi, data: log.data, topics });
    const event = { onchainId: args.id, account: null, amountWei: null, root: null, fields: null };
    switch (eventName) {
      case "Claimed": {
        const { account, amount: amountWei, root } = args;
        return { ...event, kind: "claim", account: lower(account), amountWei, root };
      }
      case "AirdropCreated": {
        const { admin, ref, deadline } = args;
        const [creator, token] = [lower(args.creator), lower(args.token)];
        const fields = { ref, creator, token, deadline: String(deadline) };
        return { ...event, kind: "creation", account: lower(admin), fields };
      }
      case "BucketsAdded": {
        const buckets = args.buckets.map(({ root, total }) => [bare(root), String(total)]);
        return { ...event, kind: "buckets", fields: { buckets } };
      }
      case "Refunded": {
        const { amount: amountWei, roots, amounts } = args;
        const buckets = roots.map((root, i) => [bare(root), String(amounts[i])]);
        return { ...event, kind: "refund", amountWei, fields: { to: lower(args.to), buckets } };
      }
      case "AirdropCancelled":
        return { ...event, kind: "cancellation" };
      case "AdminChanged":
        return { ...event, kind: "admin", account: lower(args.admin) };
      case "DeadlineExtended":
        return { ...event, kind: "deadline", fields: { deadline: String(args.deadline) } };
      default:
        return null;
    }
  } catch {
    return null;
  }
}
