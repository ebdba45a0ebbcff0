-- Finds the factor of each call at a time: the greatest of the boosts that are under way for its trigger and wallet, or
-- null. Call n is (trigger_keys[n], addresses[n]). Returns null when no boost of the point system is under way.
--
-- The caller holds the ledger lock, so no boost changes before its credits are written.
create or replace function find_boost_factors(
  system_id uuid, trigger_keys text[], addresses bytea[], at timestamptz
) returns numeric[]
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  under_way uuid[];
begin
  under_way := array(
    select b.id from boosts b
    where b.point_system_id = system_id and b.ends_at > at and b.starts_at <= at
    order by b.point_system_id, b.ends_at
  );
  if cardinality(under_way) = 0 then
    return null;
  end if;
  return array(
    select (
      select max(b.factor) from unnest(under_way) u(id)
      cross join lateral (
        select * from boosts where point_system_id = system_id and id = u.id limit 1
      ) b
      where (b.trigger_keys is null or c.trigger_key = any(b.trigger_keys))
        and (not b.is_for_listed or exists (
          select from boost_wallets w
          where w.point_system_id = system_id and w.boost_id = b.id and w.address = c.address
        ))
    )
    from unnest(trigger_keys, addresses) with ordinality c(trigger_key, address, n)
    order by c.n
  );
end $$;
