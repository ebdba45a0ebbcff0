-- Lists where a wallet stands in every point system of an API key, at one moment: GET /points. The rank
-- equals that of rank_on_board. It is computed in one plan for all point systems, because two hundred calls of
-- that function would cost more than everything else. On a small board the wallets ahead are counted,
-- which is one look-up in place of many.
--
-- The first row has the version of the answer and nothing else. If the version equals known_version, the
-- answer cannot have changed, and the first row is the only one: every change of a point system's ledger or
-- blacklisted wallets writes its row of totals, which gives it another xmin. The version is null where a
-- point system has no such row.
create or replace function list_standings(key_id uuid, wallet bytea, known_version text)
returns table (
  version text, point_system_id uuid, name text, slug text, points bigint, events bigint, rank bigint,
  participants bigint, is_blacklisted boolean, blacklist_reason text, blacklisted_at timestamptz
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  small_board constant bigint := 200;
  current_version text;
  -- As in rank_on_board.
  first_byte constant int := get_byte(wallet, 0);
  is_low constant boolean := first_byte & 2 <> 0;
  ties_from constant bytea := case when is_low then wallet
    else set_byte('\x00', 0, first_byte & 252) end;
  ties_to constant bytea := case when is_low
    then set_byte('\xffffffffffffffffffffffffffffffffffffffffff', 0, first_byte | 3)
    else wallet end;
begin
  select case when bool_and(v.totals is not null) then md5(
    string_agg(concat_ws(' ', v.id, v.system, v.totals, v.entry), ',' order by v.id)
  ) end into current_version
  from (
    select s.point_system_id as id, p.xmin::text as system, t.xmin::text as totals,
      b.xmin::text as entry
    from api_key_point_systems s
    left join lateral (
      select p.xmin from point_systems p where p.id = s.point_system_id limit 1
    ) p on true
    left join lateral (
      select t.xmin from point_system_totals t where t.point_system_id = s.point_system_id limit 1
    ) t on true
    left join lateral (
      select b.xmin from blacklist b
      where b.point_system_id = s.point_system_id and b.address = wallet limit 1
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
    select s.point_system_id, p.name, p.slug, p.created_at, w.points, w.events,
      t.wallets as participants, b.blacklisted_at is not null as is_blacklisted,
      b.reason, b.blacklisted_at, c.seq as counted_to, board_key(w.points, wallet) as key,
      board_key(w.points, wallet) - is_low::int as key_below,
      board_key(w.points, wallet) & 32 = 0 as is_far_down,
      coalesce(c.wallets_from_band[
        points_band(w.points) + 2 - (board_key(w.points, wallet) & 32 = 0 and w.points < 512)::int
      ], 0) as in_higher_bands
    from api_key_point_systems s
    cross join lateral (
      select p.name, p.slug, p.created_at from point_systems p
      where p.id = s.point_system_id and p.deleted_at is null limit 1
    ) p
    left join lateral (
      select w.points, w.events from wallets w
      where w.point_system_id = s.point_system_id and w.address = wallet limit 1
    ) w on true
    left join lateral (
      select b.reason, b.created_at as blacklisted_at from blacklist b
      where b.point_system_id = s.point_system_id and b.address = wallet limit 1
    ) b on true
    left join lateral (
      select t.wallets from point_system_totals t
      where t.point_system_id = s.point_system_id limit 1
    ) t on true
    left join lateral (
      select c.seq, c.wallets_from_band from rank_cursors c
      where c.point_system_id = s.point_system_id limit 1
    ) c on t.wallets > small_board
    where s.api_key_id = key_id and (w.points is not null or b.blacklisted_at is not null)
  )
  select null::text, s.point_system_id, s.name, s.slug, coalesce(s.points, 0), coalesce(s.events, 0),
    case
      when s.points is null then null
      when s.participants <= small_board then 1 + (
        select count(*) from wallets w
        where w.point_system_id = s.point_system_id and not w.is_blacklisted
          and w.points >= s.points and (w.points > s.points or w.address < wallet)
      )
      when s.counted_to is null then rank_on_board(s.point_system_id, s.points, wallet)
      else 1 + s.in_higher_bands
        + coalesce((
          select case when s.is_far_down then -sum(r.wallets) else sum(r.wallets) end
          from rank_counts r
          where r.point_system_id = s.point_system_id and r.level = 0
            and r.bucket >= case when s.is_far_down then s.points << 6 else s.key_below + 1 end
            and r.bucket <= case when s.is_far_down then s.key_below else s.key | 63 end
        ), 0)::bigint
        + case when s.points < 512 then 0 else coalesce((
          select sum(r.wallets) from rank_counts r
          where r.point_system_id = s.point_system_id and r.level = 1
            and r.bucket >= s.points + (not s.is_far_down)::int
            and r.bucket <= least(s.points | 31, last_key_of_band(s.key) >> 6)
        ), 0)::bigint + coalesce((
          select sum(c.wallets) from rank_levels() l
          cross join lateral (
            select r.wallets from rank_counts r
            where r.point_system_id = s.point_system_id and r.level = l.level
              and r.bucket > (s.key >> l.shift) and r.bucket <= least(
                (s.key >> l.shift) | l.siblings, last_key_of_band(s.key) >> l.shift
              )
            offset 0
          ) c
          where l.level > 1 and last_key_of_band(s.key) >> l.shift > s.key >> l.shift
        ), 0)::bigint end
        + (
          select count(*) filter (where t.key_after > s.key_below)
            - count(*) filter (where t.key_before > s.key_below)
          from rank_tail(s.point_system_id, s.counted_to, null) t
        )
        + (
          select case when is_low then -count(*) else count(*) end from wallets w
          where w.point_system_id = s.point_system_id and not w.is_blacklisted
            and w.points = s.points and w.address >= ties_from and w.address < ties_to
        )
    end,
    coalesce(s.participants, 0), s.is_blacklisted, s.reason, s.blacklisted_at
  from standing s
  order by s.created_at, s.point_system_id;
end $$;
