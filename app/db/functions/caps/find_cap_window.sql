-- Finds the window of a cap that holds a time: its start and its end, both infinite for a cap for ever.
create or replace function find_cap_window(cap_window text, time_zone text, at timestamptz)
returns table (starts_at timestamptz, ends_at timestamptz)
language sql stable rows 1 as $$
  select '-infinity'::timestamptz, 'infinity'::timestamptz where cap_window = 'ever'
  union all
  select f.starts_at, f.ends_at from find_window(cap_window, time_zone, at) f where cap_window <> 'ever'
$$;
