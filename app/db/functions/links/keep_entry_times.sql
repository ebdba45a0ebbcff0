-- Keeps the times of wallets' former entries with their links. The caller holds the ledger lock. Each link is looked up by
-- the one index that has the order that is asked for, and changed by its place, as settle_bonuses does.
create or replace function keep_entry_times(
  system uuid, addresses bytea[], created_at timestamptz[], last_credit_at timestamptz[]
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  update wallet_links l set entry_created_at = least(l.entry_created_at, e.created_at),
    entry_last_credit_at = greatest(l.entry_last_credit_at, e.last_credit_at)
  from (
    select u.created_at, u.last_credit_at, r.place
    from unnest(addresses, created_at, last_credit_at) as u(address, created_at, last_credit_at)
    cross join lateral (
      select l.ctid as place from wallet_links l
      where l.point_system_id = system and l.address >= u.address and l.address <= u.address order by l.address limit 1
    ) r
    offset 0
  ) e
  where l.ctid = e.place;
end $$;
