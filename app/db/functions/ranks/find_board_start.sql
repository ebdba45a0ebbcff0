-- Finds where to start reading the board for the wallet at board_offset: at the first wallet of the key
-- (points, prefix) or a lower one. `ahead` wallets come before it, never more than board_offset.
--
-- The search takes the band first and then goes down its counts, level by level. It aims at a position that
-- is too high by the length of the tail, since each entry of the tail moves a boundary by at most one.
create or replace function find_board_start(
  system uuid, board_offset bigint, out points bigint, out prefix bytea, out ahead bigint
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
declare
  counted_to bigint;
  from_band int[];
  tail_length bigint;
  target bigint;
  band int := 0;
  higher_band int;
  bits int;
  step int;
  shift int;
  key bigint;
  key_end bigint;
  passed bigint;
begin
  -- Above every wallet, which is right in any case, but slow for a deep page.
  points := 9007199254740992;
  prefix := '';
  ahead := 0;
  select c.seq, c.wallets_from_band, (select count(*) from rank_tail(system, c.seq, null))
  into counted_to, from_band, tail_length
  from rank_cursors c where c.point_system_id = system;
  target := board_offset - tail_length;
  if target is null or target <= 0 then
    return;
  end if;
  -- The lowest band with no more than `target` wallets in the bands above it.
  higher_band := greatest(cardinality(from_band) - 1, 0);
  while band < higher_band loop
    if from_band[(band + higher_band) / 2 + 2] <= target then
      higher_band := (band + higher_band) / 2;
    else
      band := (band + higher_band) / 2 + 1;
    end if;
  end loop;
  ahead := coalesce(from_band[band + 2], 0);
  -- points_band the other way round.
  bits := case when band < 512 then 0 else (band - 416) / 16 - 1 end;
  key := (case when band < 512 then band else band - 416 - 16 * bits end)::bigint << 6 + bits;
  key_end := key | ((1::bigint << 6 + bits) - 1);
  -- The highest level with more than one bucket of the band, and so down, as rank_levels() says.
  step := (bits + 4) / 5;
  shift := case step when 0 then 0 else 5 * step + 1 end;
  key := key >> shift;
  key_end := key_end >> shift;
  loop
    select f.bucket, f.passed into key, passed from (
      select r.bucket, sum(r.wallets) over w as through,
        (sum(r.wallets) over w - r.wallets)::bigint as passed
      from rank_counts r
      where r.point_system_id = system and r.level = step
        and r.bucket >= key and r.bucket <= key_end
      window w as (order by r.bucket desc rows unbounded preceding)
    ) f
    where f.through > target - ahead
    order by f.bucket desc limit 1;
    if not found then
      -- Past the end of the board: there is nothing to read.
      points := -1;
      ahead := 0;
      return;
    end if;
    ahead := ahead + passed;
    exit when step = 0;
    step := step - 1;
    key := key << case step when 0 then 6 else 5 end;
    key_end := key | case step when 0 then 63 else 31 end;
  end loop;
  points := key >> 6;
  prefix := set_byte('\x00', 0, (63 - (key & 63))::int << 2);
  if tail_length > 0 then
    ahead := ahead + (
      select count(*) filter (where t.key_after > key) - count(*) filter (where t.key_before > key)
      from rank_tail(system, counted_to, null) t
    );
  end if;
end $$;
