-- Multiplies points by a boost's factor, rounded half up to whole points. One credit adds at most 1,000,000,000 points.
-- Without a factor, the points stay.
create or replace function boost_points(base bigint, factor numeric) returns bigint
language sql immutable parallel safe
as $$
  select case when factor is null then base else least(round(base * factor), 1000000000)::bigint end
$$;
