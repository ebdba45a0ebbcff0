-- Lists the wallets of the board from board_offset on, best first. The page starts near find_board_start's
-- answer and continues by the index alone, so it reads no more rows than it answers, at any depth.
-- Ties are asked for as in sum_wallets_ahead, so that no other index will do.
create or replace function list_board_page(system uuid, board_offset bigint, page_rows bigint)
returns table (address bytea, points bigint, events bigint)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  start_points bigint;
  start_prefix bytea;
  start_ahead bigint;
  first_address bytea;
  passed_over bigint;
  answered bigint := 0;
begin
  select s.points, s.prefix, s.ahead into start_points, start_prefix, start_ahead
  from find_board_start(system, board_offset) s;
  passed_over := board_offset - start_ahead;
  select w.address into first_address from wallets w
  where w.point_system_id = system and not w.is_blacklisted
    and w.points >= start_points and w.points <= start_points and w.address >= start_prefix
  order by w.points desc, w.address limit 1 offset passed_over;
  if found then
    return query
    select w.address, w.points, w.events from wallets w
    where w.point_system_id = system and not w.is_blacklisted
      and w.points >= start_points and w.points <= start_points and w.address >= first_address
    order by w.points desc, w.address limit page_rows;
    get diagnostics answered = row_count;
    passed_over := 0;
  else
    passed_over := passed_over - (
      select count(*) from (
        select from wallets w
        where w.point_system_id = system and not w.is_blacklisted
          and w.points >= start_points and w.points <= start_points and w.address >= start_prefix
        order by w.points desc, w.address
      ) ties
    );
  end if;
  if answered < page_rows then
    return query
    select w.address, w.points, w.events from wallets w
    where w.point_system_id = system and not w.is_blacklisted and w.points < start_points
    order by w.points desc, w.address limit page_rows - answered offset passed_over;
  end if;
end $$;
