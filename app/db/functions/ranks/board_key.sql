-- Orders the wallets of a board: a higher key is a better place. Wallets of one key have the same points
-- and the same first six bits of the address; among them, the lower address is better.
create or replace function board_key(points bigint, address bytea) returns bigint
language sql immutable parallel safe as $$
  select points * 64 + 63 - (get_byte(address, 0) >> 2)
$$;
