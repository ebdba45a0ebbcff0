import { eq, sql } from "drizzle-orm";
import { hexToBytes, toHex } from "viem";
import type { CampaignLog } from "../../chain/campaigns/logs";
import { getCampaignContract } from "../../chain/rpc/chains";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import { type Executor, inTransaction, type Transaction, withDatabase } from "../../db/client";
import { BLOCK_UNKNOWN, chainContracts, chainFollowers } from "../../db/schema/chain-follower";
import type { Address } from "../../domain/address";
import type { RewardKey } from "../trees/buckets";
import { type Lease, writeAsLeader } from "./lease";

export type FollowerRow = typeof chainFollowers.$inferSelect;

/** Reads a chain's row; undefined before its first look. */
export async function findFollowerRow(chainId: number): Promise<FollowerRow | undefined> {
  const [row] = await withDatabase((db) =>
    db.select().from(chainFollowers).where(eq(chainFollowers.chainId, chainId)),
  );
  return row;
}

/**
 * Creates a chain's row if it is missing.
 * @returns whether an airdrop waits for its creation or can be claimed from, or could a short time
 *   ago
 */
export async function ensureFollower(chainId: number): Promise<boolean> {
  const [found] = await withDatabase((db) =>
    db.execute<{ isBusy: boolean }>(sql`
      with created as (
        insert into chain_followers (chain_id) select ${chainId}
        where not exists (select from chain_followers where chain_id = ${chainId})
        on conflict do nothing
      )
      select exists (
        select 1 from airdrops a
        join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
        where a.chain_id = ${chainId} and (
          a.status = 'active' or a.status = 'ready' and a.admin_address is not null
            and r.status = 'active' or a.status = 'ended'
            and greatest(a.cancelled_onchain_at, r.claim_deadline) > now() - interval '1 hour')
      ) as "isBusy"`),
  );
  return found?.isBusy ?? false;
}

/** Lists the contracts that are followed, each with its first block. */
export function listContracts(chainId: number, executor?: Executor) {
  const { contract, fromBlock } = chainContracts;
  const list = (db: Executor) =>
    db
      .select({ contract, fromBlock })
      .from(chainContracts)
      .where(eq(chainContracts.chainId, chainId));
  return executor ? list(executor) : withDatabase(list);
}

/** Lists the ids of airdrops that came from a file: their creation is in an unknown block. */
export function listAirdropsFromFiles(chainId: number) {
  return withDatabase((db) =>
    db.execute<{ contract: Address; onchainId: string }>(sql`
      select '0x' || encode(a.contract_address, 'hex') as contract, a.onchain_id::text as "onchainId"
      from airdrops a
      left join chain_contracts c on c.chain_id = a.chain_id and c.contract = a.contract_address
      where a.chain_id = ${chainId} and a.onchain_id is not null and a.creation_block is null
        and a.status in ('active', 'ended') and coalesce(c.from_block > 0, true)
      order by a.onchain_id limit 50`),
  );
}

/**
 * Finds the contracts to follow and the first block of each. The cursor goes back when one must be
 * read from an earlier block than before.
 * @param wholly the contracts to read from the chain's first block on
 * @param asked a block that somebody asked for, in the contract that is set now
 */
export async function settleContracts(
  lease: Lease,
  finalNumber: number,
  wholly: readonly Address[],
  asked: number | null,
): Promise<{ row: FollowerRow; contracts: Address[] }> {
  const { chainId } = lease;
  const configured = hexToBytes(getCampaignContract(chainId));
  return inTransaction(async (tx) => {
    const row = await writeAsLeader(tx, lease);
    const changed = await tx.execute<{ fromBlock: number }>(sql`
        with wanted as (
          select contract, min(block) as block from (
            select contract_address as contract, creation_block as block from airdrops
            where chain_id = ${chainId} and contract_address is not null
            union all
            select ${configured}, admin_named_block + 1 from airdrops
            where chain_id = ${chainId} and onchain_id is null and status = 'ready'
              and admin_address is not null
            union all
            select unnest(${toArrayLiteral(wholly.map(toBytea))}::bytea[]), 0
            union all select ${configured}, ${asked}::bigint
          ) w group by contract
        )
        insert into chain_contracts as c (chain_id, contract, from_block)
        select ${chainId}, w.contract,
          least(w.block, ${Math.max(finalNumber, row.finalBlock)}::bigint + 1)
        from wanted w
        left join chain_contracts k on k.chain_id = ${chainId} and k.contract = w.contract
        where k.contract is null or w.block < k.from_block
        on conflict (chain_id, contract) do update set from_block = excluded.from_block
        returning c.from_block::float8 as "fromBlock"`);
    const all = await listContracts(chainId, tx);
    const contracts = all.map(({ contract }) => contract);
    const isFirst = row.finalBlock === BLOCK_UNKNOWN;
    const starts = (isFirst ? all : changed).map(({ fromBlock }) => fromBlock);
    const cursor = isFirst ? finalNumber : row.finalBlock;
    const finalBlock = Math.min(cursor, ...starts.map((block) => block - 1));
    if (finalBlock === row.finalBlock) return { row, contracts };
    return { row: await writeAsLeader(tx, lease, { finalBlock }), contracts };
  });
}

const toRow = (chainId: number, log: CampaignLog) => ({
  chain_id: chainId,
  contract: toBytea(log.contract),
  block_number: log.blockNumber,
  block_hash: toBytea(log.blockHash),
  log_index: log.logIndex,
  tx_hash: toBytea(log.txHash),
  mined_at: log.minedAt.toISOString(),
  kind: log.kind,
  onchain_id: log.onchainId.toString(),
  account: log.account && toBytea(log.account),
  amount_wei: log.amountWei?.toString() ?? null,
  root: log.root && toBytea(log.root),
  fields: log.fields,
});

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/**
 * Replaces the stored logs of a range of blocks by those that were found, with everything that
 * follows from them. A stored log that was not found goes only if its block is known to be dropped.
 * @param finalBlock the block up to which all logs are final with these; null when there is none
 */
export async function replaceLogs(
  tx: Transaction,
  chainId: number,
  range: BlockRange,
  found: readonly CampaignLog[],
  dropped: readonly string[],
  finalBlock: number | null,
): Promise<void> {
  const rows = JSON.stringify(found.map((log) => toRow(chainId, log)));
  await tx.execute(sql`
    update chain_followers f
    set claims = f.claims + c.added - c.undone, claims_undone = f.claims_undone + c.undone,
      confirmed_block = greatest(f.confirmed_block, ${finalBlock}::bigint)
    from replace_chain_logs(${chainId}, ${hexToBytes(getCampaignContract(chainId))},
      ${range.fromBlock}::bigint, ${range.toBlock}::bigint,
      ${toArrayLiteral(dropped.map(toBytea))}::bytea[], ${rows}::jsonb,
      ${finalBlock}::bigint) c
    where f.chain_id = ${chainId}`);
}

/**
 * Lists the newest blocks of stored logs in a range, the newest first.
 * @param limit the number of blocks; null for all
 * @param found the logs that do not count
 */
export async function listStoredBlocks(
  chainId: number,
  { fromBlock, toBlock }: BlockRange,
  limit: number | null,
  found: readonly CampaignLog[] = [],
) {
  const rows = await withDatabase((db) =>
    db.execute<{ number: number; hash: Uint8Array }>(sql`
      select distinct on (l.block_number, l.block_hash)
        l.block_number::float8 as number, l.block_hash as hash
      from chain_logs l
      where l.chain_id = ${chainId}
        and l.block_number between ${fromBlock}::bigint and ${toBlock}::bigint
        and (l.block_hash, l.log_index) not in (select * from unnest(
          ${toArrayLiteral(found.map(({ blockHash }) => toBytea(blockHash)))}::bytea[],
          ${toArrayLiteral(found.map(({ logIndex }) => String(logIndex)))}::int[]))
      order by l.block_number desc, l.block_hash limit ${limit}::bigint`),
  );
  return rows.map(({ number, hash }) => ({ number, hash: toHex(hash) }));
}

/** Derives one airdrop from the stored logs, after its terms have changed here. */
export async function settleAirdrop(
  tx: Transaction,
  chainId: number,
  { pointSystemId, rewardId }: RewardKey,
): Promise<void> {
  await tx.execute(sql`
    select settle_airdrop(${pointSystemId}::uuid, ${rewardId}::uuid,
      ${hexToBytes(getCampaignContract(chainId))}, '{}', '{}')`);
}
