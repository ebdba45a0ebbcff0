-- Finds the shares of wallets in a reward, each with the place of its row (ctid). An address without a share has no row. Only
-- the index by address has the order that is asked for: whatever the statistics say, no other index is read for all shares of
-- the reward (docs/decisions/012). The caller holds the reward's lock; without it, a place is a hint.
create or replace function find_shares(system uuid, reward uuid, addresses bytea[])
returns table (address bytea, place tid, claimed_at timestamptz, payout_reference text)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  select d.* from unnest(addresses) as q(address)
  cross join lateral (
    select d.address, d.ctid, d.claimed_at, d.payout_reference from distributions d
    where d.point_system_id = system and d.reward_id = reward
      and d.address >= q.address and d.address <= q.address
    order by d.address limit 1
  ) d;
end $$;
