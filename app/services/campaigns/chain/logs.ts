import { sql } from "drizzle-orm";
import { type Hex, hexToBytes } from "viem";
import type { Executor } from "../../../db/client";
import type { Address } from "../../../domain/address";
import { toCampaignRef } from "../../../domain/campaigns/ref";

/** A campaign, as its logs name it. */
interface OnChain {
  readonly rewardId: string;
  readonly chainId: number;
  readonly contractAddress: Address | null;
  readonly onchainId: bigint | null;
}

const TRANSACTIONS_SHOWN = 20;

/** Lists the newest transactions of a campaign on chain, the oldest of them first. */
export async function listCampaignTransactions(
  executor: Executor,
  { chainId, contractAddress, onchainId }: OnChain,
) {
  if (contractAddress === null || onchainId === null) return [];
  const rows = await executor.execute<{
    txHash: Hex;
    isCreation: boolean;
    isCancellation: boolean;
    isAdminChange: boolean;
    isExtension: boolean;
    refundedWei: string;
    isFinal: boolean;
  }>(sql`
    select '0x' || encode(l.tx_hash, 'hex') as "txHash",
      bool_or(l.kind = 'creation') as "isCreation",
      bool_or(l.kind = 'cancellation') as "isCancellation",
      bool_or(l.kind = 'admin') as "isAdminChange", bool_or(l.kind = 'deadline') as "isExtension",
      coalesce(sum(l.amount_wei), 0)::text as "refundedWei",
      coalesce(min(l.block_number) <= min(f.agreed_block), false) as "isFinal"
    from chain_logs l left join chain_followers f on f.chain_id = l.chain_id
    where l.chain_id = ${chainId} and l.contract = ${hexToBytes(contractAddress)}
      and l.onchain_id = ${onchainId.toString()}::numeric and l.kind <> 'claim'
    group by l.tx_hash order by min(l.block_number) desc, min(l.log_index) desc
    limit ${TRANSACTIONS_SHOWN}`);
  return rows.map((row) => ({ ...row, refundedWei: BigInt(row.refundedWei) })).reverse();
}

const STRAYS_SHOWN = 20;
/** The roots of one transaction that takes tokens back. */
export const ROOTS_A_REFUND = 400;

/**
 * Lists other airdrops on chain that name this campaign and still hold tokens: a second creation, or
 * a stranger's.
 */
export async function listStrays(
  executor: Executor,
  { chainId, rewardId, contractAddress, onchainId }: OnChain,
) {
  const rows = await executor.execute<{
    txHash: Hex;
    onchainId: string;
    contract: Address;
    admin: Address;
    isCancelled: boolean;
    heldWei: string;
    roots: Hex[];
  }>(sql`
    select '0x' || encode(l.tx_hash, 'hex') as "txHash", l.onchain_id::text as "onchainId",
      '0x' || encode(l.contract, 'hex') as contract,
      '0x' || encode(coalesce(s.admin, l.account), 'hex') as admin,
      coalesce(s.is_cancelled, false) as "isCancelled", h.wei::text as "heldWei", h.roots
    from chain_logs l
    cross join lateral (
      select (array_agg(o.account order by o.block_number desc, o.log_index desc)
          filter (where o.kind = 'admin'))[1] as admin,
        bool_or(o.kind = 'cancellation') as is_cancelled
      from chain_logs o
      where o.chain_id = l.chain_id and o.contract = l.contract and o.onchain_id = l.onchain_id
        and o.kind <> 'claim'
    ) s
    cross join lateral (
      select sum(b.wei) as wei, json_agg('0x' || b.root order by b.root) as roots
      from (
        select m.root, sum(m.wei) as wei from (
          select e.bucket ->> 0 as root,
            case o.kind when 'buckets' then 1 else -1 end * (e.bucket ->> 1)::numeric as wei
          from chain_logs o cross join lateral jsonb_array_elements(o.fields -> 'buckets') e(bucket)
          where o.chain_id = l.chain_id and o.contract = l.contract and o.onchain_id = l.onchain_id
            and o.kind in ('buckets', 'refund')
          union all
          select encode(o.root, 'hex'), -o.amount_wei from chain_logs o
          where o.chain_id = l.chain_id and o.contract = l.contract and o.onchain_id = l.onchain_id
            and o.kind = 'claim'
        ) m group by m.root having sum(m.wei) > 0
      ) b
    ) h
    where l.chain_id = ${chainId} and l.kind = 'creation'
      and l.fields ->> 'ref' = ${toCampaignRef(rewardId)} and h.wei > 0
      and (l.contract, l.onchain_id) is distinct from
        (${contractAddress && hexToBytes(contractAddress)}::bytea, ${onchainId?.toString() ?? null}::numeric)
    order by l.block_number, l.log_index limit ${STRAYS_SHOWN}`);
  return rows.map((row) => ({
    ...row,
    heldWei: BigInt(row.heldWei),
    roots: row.roots.slice(0, ROOTS_A_REFUND),
  }));
}
