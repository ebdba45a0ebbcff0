import { and, eq, isNull, sql } from "drizzle-orm";
import type { PublicClient } from "viem";
import { decodeEventLog, hexToBytes, toHex } from "viem";
import { type RangeSize, readBackwards } from "../../chain/campaigns/claim-logs";
import { getSelector } from "../../chain/campaigns/events";
import { type LogAnswer, readBlock } from "../../chain/rpc/answers";
import { classifyChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { airdrops } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import { lockAirdrop } from "../rewards/lock-airdrop";
import { holdAsLeader } from "./leadership";
import { applyClaimsOfAirdrop, type ChainContract } from "./store";

// Airdrops that came from a file have an id on chain but no known block of creation: their claims
// may lie before the first block that is read.

const LOOK_EVERY_MS = 10_000;
/**
 * The rest after a search without a result: the contract has the airdrop, but the endpoint does not
 * return its creation.
 */
const REST_MS = 3_600_000;
const AT_ONCE_MAX = 20;
const CALLS_A_LOOK = 10;

type Stray = { pointSystemId: string; rewardId: string; onchainId: string };

/** The state of a leader's search for creations. */
export interface BackfillMemory {
  adoptsAt: number;
  /** The ids that are searched for, and the lowest block that was searched. */
  search: { ids: string; fromBlock: number } | null;
}

interface Task extends ChainContract {
  readonly epoch: number;
  readonly client: PublicClient;
  readonly size: RangeSize;
  readonly memory: BackfillMemory;
}

/**
 * Searches for the creations of such airdrops from the head down, a bounded part at a time. An
 * airdrop that is found gets its claims, and the chain is read from its creation on.
 */
export async function backfillAirdrops(task: Task, head: number): Promise<void> {
  const { memory } = task;
  if (performance.now() < memory.adoptsAt) return;
  memory.adoptsAt = performance.now() + LOOK_EVERY_MS;
  await search(task, head).catch((error: unknown) => {
    // The claims are read nevertheless.
    if (classifyChainError(error) === null) throw error;
  });
}

async function search(task: Task, head: number): Promise<void> {
  const { memory } = task;
  const strays = await listStrays(task);
  if (strays.length === 0) return;
  const ids = strays.map(({ onchainId }) => onchainId).join(" ");
  const before = memory.search?.ids === ids ? memory.search.fromBlock : head + 1;
  const topics = [
    getSelector("AirdropCreated"),
    strays.map(({ onchainId }) => toHex(BigInt(onchainId), { size: 32 })),
  ];
  const { logs, fromBlock } = await readBackwards(
    task.client,
    { address: task.contract, topics },
    task.size,
    { lastBlock: before - 1, callsMax: CALLS_A_LOOK },
  );
  for (const log of logs) await adopt(task, strays, log);
  memory.search = fromBlock > 0 ? { ids, fromBlock } : null;
  // The next search starts at once, unless this one reached block 0 and found nothing.
  const isOver = fromBlock === 0 && logs.length === 0;
  memory.adoptsAt = performance.now() + (isOver ? REST_MS : 0);
}

/**
 * Lists the airdrops to search for. Ids that the contract does not have are left out, since their
 * search would never end.
 */
async function listStrays({ chainId, contract, client }: Task): Promise<Stray[]> {
  const found = await withDatabase((db) =>
    db.execute<Stray>(sql`
      select point_system_id as "pointSystemId", reward_id as "rewardId",
        onchain_id::text as "onchainId"
      from airdrops
      where chain_id = ${chainId} and contract_address = ${hexToBytes(contract)}
        and onchain_id is not null and creation_block is null and status in ('active', 'ended')
      order by onchain_id limit ${AT_ONCE_MAX}`),
  );
  const isThere = await Promise.all(
    found.map(async ({ onchainId }) => {
      const [, , status] = await client.readContract({
        address: contract,
        abi: campaignAbi,
        functionName: "airdrop",
        args: [BigInt(onchainId)],
      });
      return status !== 0;
    }),
  );
  return found.filter((_, i) => isThere[i]);
}

async function adopt(task: Task, strays: readonly Stray[], log: LogAnswer): Promise<void> {
  const [selector, ...indexed] = log.topics;
  if (!selector) return;
  const { args } = decodeEventLog({
    abi: campaignAbi,
    eventName: "AirdropCreated",
    data: log.data,
    topics: [selector, ...indexed],
  });
  const stray = strays.find(({ onchainId }) => onchainId === args.id.toString());
  if (!stray) return;
  const { pointSystemId, rewardId } = stray;
  const { blockNumber: creationBlock } = log;
  const { minedAt } = await readBlock(task.client, creationBlock);
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      await lockAirdrop(tx, { pointSystemId, rewardId });
      await holdAsLeader(tx, task, task.epoch);
      const adopted = await tx
        .update(airdrops)
        .set({
          creationBlock,
          creationTxHash: hexToBytes(log.transactionHash),
          createdOnchainAt: minedAt,
          // The admin's later transactions are followed from here on.
          adminAddress: args.admin.toLowerCase() as Address,
          scannedToBlock: creationBlock - 1,
          scannedAt: sql`now()`,
        })
        .where(
          and(
            eq(airdrops.pointSystemId, pointSystemId),
            eq(airdrops.rewardId, rewardId),
            eq(airdrops.onchainId, args.id),
            isNull(airdrops.creationBlock),
          ),
        )
        .returning({ rewardId: airdrops.rewardId });
      if (adopted.length === 0) return;
      await applyClaimsOfAirdrop(tx, task, { onchainId: args.id, creationBlock });
    }),
  );
}
