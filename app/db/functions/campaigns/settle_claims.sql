-- Derives the claims of wallets from chain_logs. A share is claimed by the first claim of its amount from its
-- bucket, otherwise it is not claimed. A claim that fits no share records the reason. Shares that were paid by
-- hand stay as they are.
--
-- Shares are found by find_shares, and every row is changed by its place: the caller holds the lock of the chain's row, so
-- nothing else changes them. Only campaigns without a chain are paid by hand.
create or replace function settle_claims(
  chain integer, contracts bytea[], ids numeric[], accounts bytea[]
) returns void
language plpgsql
-- Every table is read by an index, whatever its statistics say (docs/decisions/012).
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  judged record;
begin
  for judged in
    select j.share_place, j.log_place, j.former_problem, j.problem,
      case when j.problem is null then j.mined_at end as claimed_at,
      case when j.problem is null then j.tx_hash end as claim_tx_hash,
      -- A wallet's first claim without a problem comes first.
      row_number() over (
        partition by j.share_place order by j.problem is not null, j.block_number, j.log_index
      ) = 1 as is_first
    from (
      select s.place as share_place, l.place as log_place, l.problem as former_problem,
        l.block_number, l.log_index, l.mined_at, l.tx_hash,
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
      left join lateral find_shares(a.point_system_id, a.reward_id, array[t.account]) s on true
      left join lateral (
        select d.amount_wei, (
          select b.root from merkle_buckets b
          where b.point_system_id = d.point_system_id and b.reward_id = d.reward_id
            and b.bucket = d.bucket
        ) as root
        from distributions d where d.ctid = s.place limit 1
      ) x on true
      left join lateral (
        select l.*, l.ctid as place from chain_logs l
        where l.kind = 'claim' and l.chain_id = chain and l.contract = t.contract
          and l.onchain_id = t.onchain_id and l.account = t.account offset 0
      ) l on true
    ) j
  loop
    if judged.former_problem is distinct from judged.problem then
      update chain_logs l set problem = judged.problem where l.ctid = judged.log_place;
    end if;
    if judged.is_first then
      update distributions d set claimed_at = judged.claimed_at, claim_tx_hash = judged.claim_tx_hash
      where d.ctid = judged.share_place and d.payout_reference is null
        and (d.claimed_at, d.claim_tx_hash) is distinct from (judged.claimed_at, judged.claim_tx_hash);
    end if;
  end loop;
end
$$;
