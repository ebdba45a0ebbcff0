-- Answers the whole seconds from `at` to a later moment, at least one.
create or replace function seconds_until(moment timestamptz, at timestamptz) returns int
language sql immutable parallel safe as $$
  select greatest(1, ceil(extract(epoch from moment - at)))::int
$$;
