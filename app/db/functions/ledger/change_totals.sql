-- Adds to the counts of a point system. It counts the credits behind them first, so that no count is below what is taken
-- from it. The caller holds the ledger lock.
create or replace function change_totals(system uuid, wallets_added bigint, blacklisted_added bigint, events_added bigint)
returns void
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
begin
  perform from point_system_totals t where t.point_system_id = system for update;
  perform fold_totals(system, null);
  update point_system_totals t
  set wallets = t.wallets + wallets_added, blacklisted_wallets = t.blacklisted_wallets + blacklisted_added,
    events = t.events + events_added
  where t.point_system_id = system;
end $$;
