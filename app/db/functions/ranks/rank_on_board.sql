-- Answers a wallet's position on the board, 1 for the best. A blacklisted wallet gets the position that it
-- would hold.
create or replace function rank_on_board(system uuid, wallet_points bigint, wallet_address bytea)
returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  ahead bigint;
begin
  select a.wallets into ahead from sum_wallets_ahead(system, wallet_points, wallet_address) a;
  if not found then
    select a.wallets into ahead from count_wallets_ahead(system, wallet_points, wallet_address) a;
  end if;
  return 1 + ahead;
end $$;
