-- Lists where a wallet stands in every point system of an API key, at one moment: GET /points. The ranks are
-- those of rank_on_board, from the same sum, but in one plan for all point systems: two hundred calls of that
-- function take twice as long. On a small board the wallets ahead are counted: one look-up in place of many.
--
-- Where the wallet is linked, its standing is that of its primary wallet. Only there is find_primary called: two hundred
-- calls would take longer than all else.
--
-- Links and the blacklist are read in the order that only one of their indexes has (docs/decisions/012).
--
-- The first row has the version of the answer and nothing else. If the version equals known_version, the
-- answer cannot have changed, and the first row is the only one: every change of a point system's ledger or
-- blacklisted wallets adds an event, or writes the row of totals, which gives it another xmin. The wallet's link and its
-- entry of the blacklist are in the version themselves. The version is null where a point system has no such row.
create or replace function list_standings(key_id uuid, wallet bytea, known_version text)
returns table (
  version text, point_system_id uuid, name text, slug text, points bigint, events bigint, rank bigint,
  participants bigint, is_blacklisted boolean, blacklist_reason text, blacklisted_at timestamptz
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  small_board constant bigint := 200;
  current_version text;
begin
  select case when bool_and(v.totals is not null) then md5(
    string_agg(concat_ws(' ', v.id, v.system, v.totals, coalesce(v.link, '-'), v.entry), ',' order by v.id)
  ) end into current_version
  from (
    select s.point_system_id as id, p.xmin::text as system, t.counted as totals,
      l.xmin::text as link, b.xmin::text as entry
    from api_key_point_systems s
    left join lateral (
      select p.xmin from point_systems p where p.id = s.point_system_id limit 1
    ) p on true
    left join lateral (
      select concat_ws(' ', t.xmin, (
        select e.seq from point_events e where e.point_system_id = s.point_system_id
        order by e.point_system_id desc, e.seq desc limit 1
      )) as counted
      from point_system_totals t where t.point_system_id = s.point_system_id limit 1
    ) t on true
    left join lateral (
      select l.address, l.xmin from wallet_links l
      where l.point_system_id = s.point_system_id and l.address >= wallet and l.address <= wallet
      order by l.address limit 1
    ) l on true
    cross join lateral (
      select case when l.address is null then wallet else find_primary(s.point_system_id, l.address) end as address offset 0
    ) h
    left join lateral (
      select b.xmin from blacklist b
      where b.point_system_id = s.point_system_id and b.address >= h.address and b.address <= h.address
      order by b.address limit 1
    ) b on true
    where s.api_key_id = key_id
  ) v;
  version := current_version;
  return next;
  if current_version = known_version then
    return;
  end if;
  return query
  with standing as materialized (
    select s.point_system_id, p.name, p.slug, p.created_at, h.address, w.points, w.events,
      t.wallets as participants, b.blacklisted_at is not null as is_blacklisted,
      b.reason, b.blacklisted_at
    from api_key_point_systems s
    cross join lateral (
      select p.name, p.slug, p.created_at from point_systems p
      where p.id = s.point_system_id and p.deleted_at is null limit 1
    ) p
    left join lateral (
      select l.address from wallet_links l
      where l.point_system_id = s.point_system_id and l.address >= wallet and l.address <= wallet
      order by l.address limit 1
    ) l on true
    cross join lateral (
      select case when l.address is null then wallet else find_primary(s.point_system_id, l.address) end as address offset 0
    ) h
    left join lateral (
      select w.points, w.events from wallets w
      where w.point_system_id = s.point_system_id and w.address = h.address limit 1
    ) w on true
    left join lateral (
      select b.reason, b.created_at as blacklisted_at from blacklist b
      where b.point_system_id = s.point_system_id and b.address >= h.address and b.address <= h.address
      order by b.address limit 1
    ) b on true
    left join lateral (
      select t.wallets from read_totals(s.point_system_id) t limit 1
    ) t on true
    where s.api_key_id = key_id and (w.points is not null or b.blacklisted_at is not null)
  )
  select null::text, s.point_system_id, s.name, s.slug, coalesce(s.points, 0), coalesce(s.events, 0),
    case when s.points is not null then 1 + coalesce(
      (
        select a.wallets from sum_wallets_ahead(s.point_system_id, s.points, s.address, true) a
        where s.participants > small_board
      ),
      (select a.wallets from count_wallets_ahead(s.point_system_id, s.points, s.address) a)
    ) end,
    coalesce(s.participants, 0), s.is_blacklisted, s.reason, s.blacklisted_at
  from standing s
  order by s.created_at, s.point_system_id;
end $$;
