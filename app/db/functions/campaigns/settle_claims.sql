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
  update distributions d set claimed_at = s.mined_at, claim_tx_hash = s.tx_hash
  from (
    select x.point_system_id, x.reward_id, x.address, c.mined_at, c.tx_hash
    from (
      select distinct * from unnest(contracts, ids, accounts) as t(contract, onchain_id, account)
    ) t
    join airdrops a on a.chain_id = chain and a.contract_address = t.contract
      and a.onchain_id = t.onchain_id
    cross join lateral (
      select d.*, (
        select b.root from merkle_buckets b
        where b.point_system_id = d.point_system_id and b.reward_id = d.reward_id
          and b.bucket = d.bucket
      ) as root
      from distributions d
      where d.point_system_id = a.point_system_id and d.reward_id = a.reward_id
        and d.address = t.account limit 1
    ) x
    left join lateral (
      select l.mined_at, l.tx_hash from chain_logs l
      where l.kind = 'claim' and l.chain_id = chain and l.contract = t.contract
        and l.onchain_id = t.onchain_id and l.account = t.account and l.amount_wei = x.amount_wei
        and coalesce(l.root = x.root, true)
      order by l.block_number, l.log_index limit 1
    ) c on true
  ) s
  where d.point_system_id = s.point_system_id and d.reward_id = s.reward_id
    and d.address = s.address and d.payout_reference is null
    and (d.claimed_at, d.claim_tx_hash) is distinct from (s.mined_at, s.tx_hash);

  update chain_logs l set problem = s.problem
  from (
    select c.block_hash, c.log_index, case
      when x.amount_wei is null then 'no_share'
      when x.amount_wei <> c.amount_wei then 'amount_differs'
      when c.root <> x.root then 'no_share'
    end as problem
    from (
      select distinct * from unnest(contracts, ids, accounts) as t(contract, onchain_id, account)
    ) t
    join airdrops a on a.chain_id = chain and a.contract_address = t.contract
      and a.onchain_id = t.onchain_id
    cross join lateral (
      select l.* from chain_logs l
      where l.kind = 'claim' and l.chain_id = chain and l.contract = t.contract
        and l.onchain_id = t.onchain_id and l.account = t.account offset 0
    ) c
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
  ) s
  where l.chain_id = chain and l.block_hash = s.block_hash and l.log_index = s.log_index
    and l.problem is distinct from s.problem;
end
$$;
