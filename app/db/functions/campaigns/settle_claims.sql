-- Derives the claims of wallets from chain_logs. A share is claimed by the first claim of its amount from its
-- bucket, otherwise it is not claimed. A claim that fits no share records the reason. Shares that were paid by
-- hand stay as they are.
create or replace function settle_claims(
  chain integer, contracts bytea[], ids numeric[], accounts bytea[]
) returns void
language plpgsql
-- Every table is read by an index, whatever its statistics say (docs/decisions/012).
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  with judged as materialized (
    select a.point_system_id, a.reward_id, t.account,
      l.block_number, l.block_hash, l.log_index, l.mined_at, l.tx_hash,
      case
        when x.amount_wei is null then 'no_share'
        when x.amount_wei <> l.amount_wei then 'amount_differs'
        when l.root <> x.root then 'no_share'
      end as problem
    from (
      select distinct * from unnest(contracts, ids, accounts) as t(contract, onchain_id, account)
    ) t
    join airdrops a on a.chain_id = chain and a.contract_address = t.contract
      and a.onchain_id = t.onchain_id
    left join lateral (
      select d.amount_wei, (
        select b.root from merkle_buckets b
        where b.point_system_id = d.point_system_id and b.reward_id = d.reward_id
          and b.bucket = d.bucket
      ) as root
      from distributions d
      where d.point_system_id = a.point_system_id and d.reward_id = a.reward_id
        and d.address = t.account limit 1
    ) x on true
    left join lateral (
      select l.* from chain_logs l
      where l.kind = 'claim' and l.chain_id = chain and l.contract = t.contract
        and l.onchain_id = t.onchain_id and l.account = t.account offset 0
    ) l on true
  ), marked as (
    update chain_logs l set problem = j.problem from judged j
    where l.chain_id = chain and l.block_hash = j.block_hash and l.log_index = j.log_index
      and l.problem is distinct from j.problem
  )
  update distributions d set claimed_at = s.mined_at, claim_tx_hash = s.tx_hash
  from (
    -- A wallet's first claim without a problem; nulls when it has none.
    select distinct on (j.point_system_id, j.reward_id, j.account)
      j.point_system_id, j.reward_id, j.account,
      case when j.problem is null then j.mined_at end as mined_at,
      case when j.problem is null then j.tx_hash end as tx_hash
    from judged j
    order by j.point_system_id, j.reward_id, j.account, j.problem is not null,
      j.block_number, j.log_index
  ) s
  where d.point_system_id = s.point_system_id and d.reward_id = s.reward_id
    and d.address = s.account and d.payout_reference is null
    and (d.claimed_at, d.claim_tx_hash) is distinct from (s.mined_at, s.tx_hash);
end
$$;
