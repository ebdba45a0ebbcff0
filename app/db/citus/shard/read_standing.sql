-- Reads where a wallet stands in a point system, as list_standings does for all point systems of a key.
create or replace function read_standing(system uuid, wallet bytea)
returns table (
  points bigint, events bigint, rank bigint, participants bigint, is_blacklisted boolean, blacklist_reason text,
  blacklisted_at timestamptz
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  small_board constant bigint := 200;
begin
  return query
  with standing as materialized (
    select h.address, w.points, w.events, t.wallets as participants, b.blacklisted_at is not null as is_blacklisted,
      b.reason, b.blacklisted_at
    from (select find_primary(system, wallet) as address offset 0) h
    left join lateral (
      select w.points, w.events from wallets w where w.point_system_id = system and w.address = h.address limit 1
    ) w on true
    left join lateral (
      select b.reason, b.created_at as blacklisted_at from blacklist b
      where b.point_system_id = system and b.address >= h.address and b.address <= h.address order by b.address limit 1
    ) b on true
    left join lateral (
      select t.wallets from read_totals(system) t limit 1
    ) t on true
    where w.points is not null or b.blacklisted_at is not null
  )
  select coalesce(s.points, 0), coalesce(s.events, 0),
    case when s.points is not null then 1 + coalesce(
      (select a.wallets from sum_wallets_ahead(system, s.points, s.address, true) a where s.participants > small_board),
      (select a.wallets from count_wallets_ahead(system, s.points, s.address) a)
    ) end,
    coalesce(s.participants, 0), s.is_blacklisted, s.reason, s.blacklisted_at
  from standing s;
end $$;
