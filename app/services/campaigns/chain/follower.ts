import { and, eq, sql } from "drizzle-orm";
import { bytesToHex, type Hex, hexToBytes } from "viem";
import {
  askChain,
  findCampaignTransaction,
  readFinalBlockNumber,
  scanCampaignLogs,
} from "../../../chain/campaigns/events";
import { findBlock } from "../../../chain/rpc/answers";
import { listConfiguredChainIds } from "../../../chain/rpc/chains";
import { toArrayLiteral } from "../../../db/array-literal";
import { withDatabase } from "../../../db/client";
import { airdrops, airdropTransactions } from "../../../db/schema/rewards";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { Failure } from "../../../domain/failure";
import type { RewardKey } from "../../trees/buckets";
import { acceptTransaction } from "./acceptance";
import { undoTransaction } from "./reorg";

/** The interval at which the chain is read for a campaign, by its airdrop's status. */
const REST_SECONDS = { ready: 15, active: 30, ended: 600 } as const;
const CHECK_REST_SECONDS = 20;

type Watched = {
  pointSystemId: string;
  rewardId: string;
  chainId: number;
  onchainId: string | null;
  scannedToBlock: number;
};

/**
 * Searches the chain for transactions of one campaign: its creation, when it was not sent from this
 * dashboard, and its admin's later transactions. Several processes may do so at once; each takes a
 * campaign that was not searched for a while.
 * @returns whether there may be more to search right away
 */
export async function followCampaign(): Promise<boolean> {
  for (const status of ["ready", "active", "ended"] as const) {
    const watched = await takeUpAirdrop(status);
    if (!watched) continue;
    await followAirdrop(watched);
    return true;
  }
  return false;
}

const listChains = () => toArrayLiteral(listConfiguredChainIds().map(String));

async function takeUpAirdrop(status: keyof typeof REST_SECONDS): Promise<Watched | undefined> {
  const [watched] = await withDatabase((db) =>
    db.execute<Watched>(sql`
      update airdrops set scanned_at = now()
      where (point_system_id, reward_id) = (
        select point_system_id, reward_id from airdrops a
        where status = ${status} and scanned_at < now() - make_interval(secs => ${REST_SECONDS[status]})
          and chain_id = any(${listChains()}::int[])
          and admin_address is not null and scanned_to_block is not null
          -- A campaign that was cancelled before its creation is no longer accepted.
          and not exists (
            select from rewards r
            where r.point_system_id = a.point_system_id and r.id = a.reward_id
              and r.status = 'cancelled'
          )
        order by scanned_at
        limit 1
        for update skip locked
      )
      returning point_system_id as "pointSystemId", reward_id as "rewardId", chain_id as "chainId",
        onchain_id::text as "onchainId", scanned_to_block::float8 as "scannedToBlock"`),
  );
  return watched;
}

/**
 * Reads the logs since the last search and applies the transactions that fit the campaign. Others
 * are ignored.
 */
async function followAirdrop({ chainId, onchainId, scannedToBlock, ...key }: Watched) {
  const filter =
    onchainId === null ? { ref: toCampaignRef(key.rewardId) } : { onchainId: BigInt(onchainId) };
  const { hashes, scannedToBlock: upTo } = await scanCampaignLogs(
    chainId,
    filter,
    scannedToBlock + 1,
  );
  for (const hash of hashes) await takeIn(key, chainId, hash);
  // Unless the airdrop was created or its creation undone meanwhile: both continue from another
  // block.
  const isAsBefore = sql`${airdrops.onchainId} is not distinct from ${onchainId}::numeric`;
  await withDatabase((db) =>
    db
      .update(airdrops)
      .set({ scannedToBlock: upTo })
      .where(
        and(
          eq(airdrops.pointSystemId, key.pointSystemId),
          eq(airdrops.rewardId, key.rewardId),
          isAsBefore,
        ),
      ),
  );
}

/**
 * Applies a transaction if it fits the campaign. Any account can create campaigns that look like
 * one of ours, so a transaction that does not fit is skipped.
 */
async function takeIn(key: RewardKey, chainId: number, hash: Hex): Promise<void> {
  const transaction = await findCampaignTransaction(chainId, hash);
  if (!transaction) return;
  try {
    await acceptTransaction(key, transaction, "background job");
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
  }
}

type Unsettled = {
  pointSystemId: string;
  rewardId: string;
  chainId: number;
  txHash: Uint8Array;
  blockHash: Uint8Array;
  blockNumber: number;
};

/**
 * Compares the block of an accepted transaction with the chain until the block is final. A
 * transaction whose block the chain dropped is undone, and applied again if it is in another block.
 * @returns whether there may be more to compare right away
 */
export async function settleTransaction(): Promise<boolean> {
  const [unsettled] = await withDatabase((db) =>
    db.execute<Unsettled>(sql`
      update airdrop_transactions set checked_at = now()
      where (point_system_id, reward_id, tx_hash) = (
        select point_system_id, reward_id, tx_hash from airdrop_transactions
        where not is_final and checked_at < now() - make_interval(secs => ${CHECK_REST_SECONDS})
          and chain_id = any(${listChains()}::int[])
        order by checked_at
        limit 1
        for update skip locked
      )
      returning point_system_id as "pointSystemId", reward_id as "rewardId", chain_id as "chainId",
        tx_hash as "txHash", block_hash as "blockHash", block_number::float8 as "blockNumber"`),
  );
  if (!unsettled) return false;
  const { chainId, blockNumber, pointSystemId, rewardId } = unsettled;
  const key = { pointSystemId, rewardId };
  const hash = bytesToHex(unsettled.txHash);
  const [block, final] = await askChain(chainId, async (client) => [
    await findBlock(client, blockNumber),
    await readFinalBlockNumber(client, chainId),
  ]);
  // A node that is behind cannot tell about the block.
  if (!block) return true;
  if (block.hash !== bytesToHex(unsettled.blockHash)) {
    await undoTransaction(key, hash);
    await takeIn(key, chainId, hash);
  } else if (blockNumber <= final) {
    await withDatabase((db) =>
      db
        .update(airdropTransactions)
        .set({ isFinal: true })
        .where(
          and(
            eq(airdropTransactions.pointSystemId, pointSystemId),
            eq(airdropTransactions.rewardId, rewardId),
            eq(airdropTransactions.txHash, hexToBytes(hash)),
          ),
        ),
    );
  }
  return true;
}
