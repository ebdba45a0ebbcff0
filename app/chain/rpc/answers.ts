import { type Hex, type PublicClient, toHex } from "viem";
import { z } from "zod";
import { ChainError } from "./problem";

// Reads and checks an endpoint's answers. An answer can be malformed, come from another node or be
// about another block.

/** At most 2^52 - 1, which a number holds exactly. */
const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,13}$/i)
  .transform(Number);
const Hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((text) => text.toLowerCase() as Hex);
const Bytes = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform((text) => text.toLowerCase() as Hex);

const BlockAnswer = z.object({ number: Quantity, hash: Hash, timestamp: Quantity });

/** A log in a block. */
const LogAnswer = z.object({
  address: Bytes,
  topics: z.array(Bytes),
  data: Bytes,
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
  logIndex: Quantity,
  removed: z.literal(false).nullish(),
  // Some endpoints omit it, some answer 0.
  blockTimestamp: Quantity.nullish().catch(null),
});
export type LogAnswer = z.infer<typeof LogAnswer>;

const ReceiptAnswer = z.object({
  transactionHash: Hash,
  blockNumber: Quantity,
  blockHash: Hash,
  status: z.string(),
  logs: z.array(LogAnswer),
});

/** A block as one endpoint reports it. */
export interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly minedAt: Date;
}

/**
 * Checks the shape of an answer.
 * @throws {ChainError} `unreadable`
 */
function check<Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer {
  const checked = schema.safeParse(answer);
  if (!checked.success) throw new ChainError("unreadable");
  return checked.data;
}

export const toDate = (seconds: number) => new Date(seconds * 1_000);

function toBlock(answer: unknown): Block {
  const { number, hash, timestamp } = check(BlockAnswer, answer);
  return { number, hash, minedAt: toDate(timestamp) };
}

/**
 * Reads the endpoint's chain id.
 * @throws {ChainError} `unreadable`
 */
export async function readChainId(client: PublicClient): Promise<number> {
  return check(Quantity, await client.request({ method: "eth_chainId" }));
}

/**
 * Reads the block at a height or with a name. Returns null when the endpoint has none.
 * @throws {ChainError} `unreadable`, also for a block of a different height
 */
export async function findBlock(
  client: PublicClient,
  which: number | "latest" | "finalized",
): Promise<Block | null> {
  const answer = await client.request({
    method: "eth_getBlockByNumber",
    params: [typeof which === "number" ? toHex(which) : which, false],
  });
  if (!answer) return null;
  const block = toBlock(answer);
  if (typeof which === "number" && block.number !== which) throw new ChainError("unreadable");
  return block;
}

/**
 * Reads the block at a height or with a name.
 * @throws {ChainError} `behind` when the endpoint has no such block; `unreadable`
 */
export async function readBlock(
  client: PublicClient,
  which: number | "latest" | "finalized",
): Promise<Block> {
  const block = await findBlock(client, which);
  if (!block) throw new ChainError("behind");
  return block;
}

/**
 * Reads the block with a hash.
 * @throws {ChainError} `behind` when the endpoint has no such block; `unreadable`
 */
export async function readBlockWithHash(client: PublicClient, hash: Hex): Promise<Block> {
  const answer = await client.request({ method: "eth_getBlockByHash", params: [hash, false] });
  if (!answer) throw new ChainError("behind");
  const block = toBlock(answer);
  if (block.hash !== hash) throw new ChainError("unreadable");
  return block;
}

/**
 * Reads the logs of a range of blocks.
 * @throws {ChainError} `unreadable`
 */
export async function readLogs(
  client: PublicClient,
  filter: {
    readonly address: Hex | readonly Hex[];
    readonly topics: (Hex | Hex[] | null)[];
    readonly fromBlock: number;
    readonly toBlock: number;
  },
): Promise<LogAnswer[]> {
  const { fromBlock, toBlock, ...rest } = filter;
  const answer = await client.request({
    method: "eth_getLogs",
    params: [
      {
        ...rest,
        address: [rest.address].flat(),
        fromBlock: toHex(fromBlock),
        toBlock: toHex(toBlock),
      },
    ],
  });
  const logs = check(z.array(LogAnswer), answer);
  const isAsked = logs.every(
    ({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock,
  );
  if (!isAsked) throw new ChainError("unreadable");
  return logs;
}

/**
 * Reads a receipt. Returns null while the transaction is in no block of this endpoint.
 * @throws {ChainError} `unreadable`
 */
export async function findReceipt(client: PublicClient, hash: Hex) {
  const answer = await client.request({ method: "eth_getTransactionReceipt", params: [hash] });
  if (!answer) return null;
  const receipt = check(ReceiptAnswer, answer);
  if (receipt.transactionHash !== hash.toLowerCase()) throw new ChainError("unreadable");
  return receipt;
}
