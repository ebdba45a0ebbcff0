-- Finds the window of a board that a call names, at the time of the statement. `board_key` is a season's slug, or a colon
-- and the kind of a repeating board; without a label it is the present window, or the last one of a board that ended.
--
-- No row: there is no such board, or no such window. A null window: no wallet has points in it, and nothing is stored. One
-- is not ready before its ranks are counted: until then a reader would count its wallets.
create or replace function find_board_window(system uuid, board_key text, wanted_label text)
returns table (
  board_id uuid, window_id uuid, is_ready boolean, label text, starts_at timestamptz, ends_at timestamptz
)
language sql stable as $$
  select b.id, w.id, w.id is null or w.is_ready and c.seq is not null, n.label, coalesce(w.starts_at, n.starts_at), coalesce(w.ends_at, n.ends_at)
  from boards b
  cross join lateral (
    select l.label, f.starts_at, f.ends_at
    from (select least(statement_timestamp(), b.ended_at - interval '1 ms') as at) t
    left join lateral find_window(b.kind, b.time_zone, t.at) f on b.kind <> 'season'
    cross join lateral (select coalesce(wanted_label, f.label, '') as label) l
    -- Labels of one board sort by time.
    where b.kind = 'season' and l.label = '' or b.kind <> 'season' and l.label <= f.label and l.label >= (
      select first.label from board_windows first
      where first.point_system_id = b.point_system_id and first.board_id = b.id
      order by first.point_system_id, first.board_id, first.label limit 1
    )
  ) n
  left join lateral (
    select * from board_windows w
    where w.point_system_id = b.point_system_id and w.board_id = b.id and w.label = n.label limit 1
  ) w on true
  left join lateral (select c.seq from rank_cursors c where c.point_system_id = w.id limit 1) c on true
  where b.point_system_id = system and coalesce(b.slug, ':' || b.kind) = board_key
$$;
