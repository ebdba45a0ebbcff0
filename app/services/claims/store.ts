import { and, eq, sql } from "drizzle-orm";
import { hexToBytes } from "viem";
import type { ClaimLog } from "../../chain/campaigns/claim-logs";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import { type Executor, type Transaction, withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import { distributions } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import type { RewardKey } from "../trees/buckets";

// Stores the claims of a contract and marks the claimed shares. Every writer locks the contract's
// row in claim_indexers, so that none sees half of another's work.

/** A campaign contract on a chain. */
export interface ChainContract {
  readonly chainId: number;
  readonly contract: Address;
}

/** A wallet in an airdrop, as the contract identifies them. */
type Account = { onchainId: string; account: Address };

/** Matches the row of a contract. */
export const isContract = ({ chainId, contract }: ChainContract) =>
  and(eq(claimIndexers.chainId, chainId), eq(claimIndexers.contract, contract));

/** Reads the indexer's row of a contract; undefined before the first call. */
export async function findContractRow(of: ChainContract) {
  const [row] = await withDatabase((db) => db.select().from(claimIndexers).where(isContract(of)));
  return row;
}

const ofContract = ({ chainId, contract }: ChainContract) =>
  sql`chain_id = ${chainId} and contract = ${hexToBytes(contract)}`;

const toBytes = (values: readonly string[]) => toArrayLiteral(values.map(toBytea));

/**
 * Replaces the stored claims of a range of blocks by those that were found. A stored claim that was
 * not found is only removed if its block is known to be dropped.
 * @param dropped the hashes of the dropped blocks
 * @returns the number of claims that were added and of those that were removed
 */
export async function replaceClaims(
  tx: Transaction,
  of: ChainContract,
  range: { readonly fromBlock: number; readonly toBlock: number },
  found: readonly ClaimLog[],
  { dropped, isFinal }: { dropped: readonly string[]; isFinal: boolean },
): Promise<{ added: number; undone: number }> {
  const gone = await tx.execute<Account>(sql`
    delete from claims where ${ofContract(of)}
      and block_number between ${range.fromBlock}::bigint and ${range.toBlock}::bigint
      and block_hash = any(${toBytes(dropped)}::bytea[])
    returning onchain_id::text as "onchainId", '0x' || encode(account, 'hex') as account`);
  // The claims of the same transactions in another block.
  const moved = await tx.execute<Account>(sql`
    delete from claims c using unnest(
      ${toBytes(found.map(({ txHash }) => txHash))}::bytea[],
      ${toBytes(found.map(({ blockHash }) => blockHash))}::bytea[]
    ) as f(tx_hash, block_hash)
    where c.chain_id = ${of.chainId} and c.contract = ${hexToBytes(of.contract)}
      and c.tx_hash = f.tx_hash and c.block_hash <> f.block_hash
    returning c.onchain_id::text as "onchainId", '0x' || encode(c.account, 'hex') as account`);
  const added = await insertClaims(tx, of, found, isFinal);
  await settleAccounts(tx, of, [...gone, ...moved, ...added]);
  const undone = gone.length + moved.length;
  await tx
    .update(claimIndexers)
    .set({
      claims: sql`${claimIndexers.claims} + ${added.length - undone}::bigint`,
      claimsUndone: sql`${claimIndexers.claimsUndone} + ${undone}::int`,
    })
    .where(isContract(of));
  return { added: added.length, undone };
}

/**
 * Inserts claims; those that are stored already become final if the found ones are.
 * @returns the accounts of the new claims
 */
async function insertClaims(
  tx: Transaction,
  of: ChainContract,
  found: readonly ClaimLog[],
  isFinal: boolean,
): Promise<Account[]> {
  if (found.length === 0) return [];
  const texts = (read: (claim: ClaimLog) => string) => toArrayLiteral(found.map(read));
  const rows = await tx.execute<Account & { isNew: boolean }>(sql`
    insert into claims (chain_id, contract, tx_hash, log_index, block_number, block_hash, mined_at,
      onchain_id, account, amount_wei, is_final)
    select ${of.chainId}, ${hexToBytes(of.contract)}, f.*, ${isFinal}
    from (select distinct on (tx_hash, log_index) * from unnest(
      ${toBytes(found.map(({ txHash }) => txHash))}::bytea[],
      ${texts(({ logIndex }) => String(logIndex))}::int[],
      ${texts(({ blockNumber }) => String(blockNumber))}::bigint[],
      ${toBytes(found.map(({ blockHash }) => blockHash))}::bytea[],
      ${texts(({ minedAt }) => minedAt.toISOString())}::timestamptz[],
      ${texts(({ onchainId }) => onchainId.toString())}::numeric[],
      ${toBytes(found.map(({ account }) => account))}::bytea[],
      ${texts(({ amountWei }) => amountWei.toString())}::numeric[]
    ) as t(tx_hash, log_index, block_number, block_hash, mined_at, onchain_id, account, amount_wei)) f
    on conflict (chain_id, contract, tx_hash, log_index)
    do update set is_final = true where excluded.is_final and not claims.is_final
    returning onchain_id::text as "onchainId", '0x' || encode(account, 'hex') as account,
      xmax = 0 as "isNew"`);
  return rows.filter(({ isNew }) => isNew);
}

/**
 * Sets the shares of these wallets by the stored claims. A share is claimed by the first claim of
 * its amount, otherwise it is not claimed. A claim that fits no share records the reason.
 */
async function settleAccounts(
  tx: Transaction,
  { chainId, contract }: ChainContract,
  accounts: readonly Account[],
): Promise<void> {
  if (accounts.length === 0) return;
  const touched = sql`(
    select distinct onchain_id, account from unnest(
      ${toArrayLiteral(accounts.map(({ onchainId }) => onchainId))}::numeric[],
      ${toBytes(accounts.map(({ account }) => account))}::bytea[]
    ) as t(onchain_id, account))`;
  const airdrop = sql`airdrops a on a.chain_id = ${chainId}
    and a.contract_address = ${hexToBytes(contract)} and a.onchain_id = t.onchain_id`;
  await tx.execute(sql`
    update distributions d set claimed_at = s.mined_at, claim_tx_hash = s.tx_hash
    from (
      select x.point_system_id, x.reward_id, x.address, c.mined_at, c.tx_hash
      from ${touched} t
      join ${airdrop}
      cross join lateral (
        select * from distributions x
        where x.point_system_id = a.point_system_id and x.reward_id = a.reward_id
          and x.address = t.account limit 1
      ) x
      left join lateral (
        select mined_at, tx_hash from claims c
        where c.chain_id = ${chainId} and c.contract = ${hexToBytes(contract)}
          and c.onchain_id = t.onchain_id and c.account = t.account and c.amount_wei = x.amount_wei
        order by c.block_number, c.log_index limit 1
      ) c on true
    ) s
    where d.point_system_id = s.point_system_id and d.reward_id = s.reward_id
      and d.address = s.address
      and (d.claimed_at, d.claim_tx_hash) is distinct from (s.mined_at, s.tx_hash)`);
  await tx.execute(sql`
    update claims c set problem = s.problem
    from (
      select t.onchain_id, t.account, l.tx_hash, l.log_index, case
        when x.amount_wei is null then 'no_share'
        when x.amount_wei <> l.amount_wei then 'amount_differs'
      end as problem
      from ${touched} t
      join ${airdrop}
      join claims l on l.chain_id = ${chainId} and l.contract = ${hexToBytes(contract)}
        and l.onchain_id = t.onchain_id and l.account = t.account
      left join lateral (
        select amount_wei from distributions x
        where x.point_system_id = a.point_system_id and x.reward_id = a.reward_id
          and x.address = t.account limit 1
      ) x on true
    ) s
    where c.chain_id = ${chainId} and c.contract = ${hexToBytes(contract)}
      and c.tx_hash = s.tx_hash and c.log_index = s.log_index
      and c.problem is distinct from s.problem`);
}

/**
 * Applies claims that were read earlier to an airdrop that was just found on chain, and has the
 * chain read from its creation on. It runs in the transaction that accepts the airdrop.
 */
export async function applyClaimsOfAirdrop(
  tx: Transaction,
  of: ChainContract,
  { onchainId, creationBlock }: { onchainId: bigint; creationBlock: number },
): Promise<void> {
  // Every writer of claims locks this row: a writer sees this airdrop, or this transaction sees its
  // claims.
  await tx
    .insert(claimIndexers)
    .values(of)
    .onConflictDoUpdate({
      target: [claimIndexers.chainId, claimIndexers.contract],
      set: {
        startBlock: sql`least(${claimIndexers.startBlock}, ${creationBlock}::bigint)`,
        finalBlock: sql`case when ${claimIndexers.startBlock} > ${creationBlock}::bigint
          then least(${claimIndexers.finalBlock}, ${creationBlock - 1}::bigint)
          else ${claimIndexers.finalBlock} end`,
      },
    });
  const accounts = await tx.execute<Account>(sql`
    select distinct onchain_id::text as "onchainId", '0x' || encode(account, 'hex') as account
    from claims where ${ofContract(of)} and onchain_id = ${onchainId.toString()}::numeric`);
  await settleAccounts(tx, of, accounts);
}

/** Removes the marks of claims from a reward whose creation the chain dropped. */
export async function forgetClaimsOfReward(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
): Promise<void> {
  await executor
    .update(distributions)
    .set({ claimedAt: null, claimTxHash: null })
    .where(
      and(
        eq(distributions.pointSystemId, pointSystemId),
        eq(distributions.rewardId, rewardId),
        sql`${distributions.claimedAt} is not null`,
      ),
    );
}
