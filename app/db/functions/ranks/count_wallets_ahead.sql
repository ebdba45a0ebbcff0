-- Counts the wallets of the board that are ahead of a wallet, one by one: for small boards, and where there are
-- no counts yet. The order is points, then address.
create or replace function count_wallets_ahead(system uuid, wallet_points bigint, wallet_address bytea)
returns table (wallets bigint)
language sql stable as $$
  select count(*) from wallets w
  where w.point_system_id = system and not w.is_blacklisted
    and w.points >= wallet_points and (w.points > wallet_points or w.address < wallet_address)
$$;
