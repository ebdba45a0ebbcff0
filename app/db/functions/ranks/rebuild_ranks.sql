-- Makes the counts of a board from its wallets and replaces those that exist: of a point system's all-time board, or of
-- another board's window. Level 0 and the
-- position of rank_cursors come from one statement, hence from one moment. Credits and other writers go on;
-- their changes follow as the tail. Answers false when another session is rebuilding them, or when the point
-- system does not exist.
create or replace function rebuild_ranks(system uuid) returns boolean
language plpgsql volatile set jit = off as $$
#variable_conflict use_variable
declare
  step smallint;
  bits int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('ranks:' || system::text, 0)) then
    return false;
  end if;
  -- Held, so that it is not deleted meanwhile.
  perform from point_systems p
  where p.deleted_at is null and p.id = coalesce((
    select w.point_system_id from board_windows w
    join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
    where w.id = system and w.is_ready
  ), system) for key share;
  if not found then
    return false;
  end if;
  delete from rank_cursors c where c.point_system_id = system;
  delete from rank_counts r where r.point_system_id = system;
  with filled as (
    insert into rank_counts (point_system_id, level, bucket, wallets)
    select system, 0, board_key(w.points, w.address), count(*) from wallets w
    where w.point_system_id = system and not w.is_blacklisted
    group by board_key(w.points, w.address)
    -- Neighbours are read together: they should lie together.
    order by board_key(w.points, w.address)
  )
  insert into rank_cursors (point_system_id, key_max, seq)
  select system, coalesce((
    select board_key(w.points, w.address) from wallets w
    where w.point_system_id = system and not w.is_blacklisted
    order by w.points desc, w.address limit 1
  ), -1), greatest(
    (select e.seq from point_events e where e.point_system_id = system order by e.seq desc limit 1),
    (select m.seq from rank_moves m where m.point_system_id = system order by m.seq desc limit 1),
    (
      select coalesce(w.closed_seq, e.seq) from board_windows w
      left join lateral (
        select e.seq from point_events e where e.point_system_id = w.point_system_id order by e.seq desc limit 1
      ) e on true
      where w.id = system
    ),
    0);
  for step, bits in
    select l.level, l.shift - below.shift from rank_levels() l
    join rank_levels() below on below.level = l.level - 1
    order by l.level
  loop
    insert into rank_counts (point_system_id, level, bucket, wallets)
    select system, step, r.bucket >> bits, sum(r.wallets) from rank_counts r
    where r.point_system_id = system and r.level = step - 1
    group by r.bucket >> bits order by r.bucket >> bits;
  end loop;
  update rank_cursors c set wallets_from_band = sum_bands(system, c.key_max)
  where c.point_system_id = system;
  delete from rank_moves m where m.point_system_id = system and m.seq <= (
    select c.seq from rank_cursors c where c.point_system_id = system
  );
  return true;
end $$;
