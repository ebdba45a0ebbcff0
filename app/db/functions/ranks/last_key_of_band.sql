-- Answers the highest key of the band that a key belongs to.
create or replace function last_key_of_band(key bigint) returns bigint
language sql immutable parallel safe as $$
  select key | ((1::bigint << 6 + points_band_bits(key >> 6)) - 1)
$$;
