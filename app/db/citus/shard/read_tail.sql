-- Reads the positions that tell whether a point system's ledger has a tail, as list_tails lists them: the newest event,
-- the newest move, and how far ranks, statistics and the activity are counted.
create or replace function read_tail(system uuid) returns bigint[]
language sql stable as $$
  select array[
    (select max(e.seq) from point_events e where e.point_system_id = system),
    (select max(m.seq) from rank_moves m where m.point_system_id = system),
    (select c.seq from rank_cursors c where c.point_system_id = system),
    (select s.seq from statistics_cursors s where s.point_system_id = system),
    (select s.activity_seq from statistics_cursors s where s.point_system_id = system)
  ]
$$;
