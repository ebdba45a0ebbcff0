-- Answers when a window of a board ends; null when its board was deleted. The planner puts it into the caller's statement,
-- so it has no settings of its own.
create or replace function find_window_end(system uuid, window_id uuid) returns timestamptz
language sql stable as $$
  select w.ends_at from board_windows w where w.point_system_id = system and w.id = window_id
$$;
