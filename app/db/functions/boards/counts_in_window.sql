-- Answers whether an event counts on a board: its time lies in the window, and so does that of the event that it takes
-- back. A void thus never takes points from a window that did not have them.
create or replace function counts_in_window(
  created_at timestamptz, voids_created_at timestamptz, starts_at timestamptz, ends_at timestamptz
) returns boolean
language sql immutable parallel safe as $$
  select created_at >= starts_at and created_at < ends_at
    and coalesce(voids_created_at >= starts_at and voids_created_at < ends_at, true)
$$;
