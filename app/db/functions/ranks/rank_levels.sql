-- Lists the levels of the counts. A level's bucket is key >> shift. The buckets that belong to one bucket
-- of the level above differ only in the bits of `siblings`: six bits of the address at level 0, five bits of
-- the points at the levels above it.
create or replace function rank_levels() returns table (level smallint, shift int, siblings bigint)
language sql immutable parallel safe as $$
  select * from (values
    (0::smallint, 0, 63::bigint), (1::smallint, 6, 31::bigint), (2::smallint, 11, 31::bigint),
    (3::smallint, 16, 31::bigint), (4::smallint, 21, 31::bigint), (5::smallint, 26, 31::bigint),
    (6::smallint, 31, 31::bigint), (7::smallint, 36, 31::bigint), (8::smallint, 41, 31::bigint),
    (9::smallint, 46, 31::bigint), (10::smallint, 51, 31::bigint), (11::smallint, 56, 31::bigint)
  ) as l(level, shift, siblings)
$$;
