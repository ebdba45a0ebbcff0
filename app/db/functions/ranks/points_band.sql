-- Answers the band of a number of points. Below 512 each number is a band of its own; from there on, sixteen
-- bands lie between a power of two and the next one. A higher number has the same band or a higher one. There
-- are 1,216 bands below 2^53 points.
create or replace function points_band(points bigint) returns int
language sql immutable parallel safe as $$
  select case when points < 512 then points::int else
    416 + 16 * points_band_bits(points) + (points >> points_band_bits(points))::int
  end
$$;
