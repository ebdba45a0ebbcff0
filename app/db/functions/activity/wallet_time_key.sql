-- Answers the index key of a wallet's events in one stretch of time: the stretch's number, then 44 bits of a hash
-- of point system and address. Stretches are 2^21 s (24 days) long. Two wallets may share a key, so readers compare
-- the address as well.
--
-- New entries of the index lie close together whatever its size, as they would in partitions by time. An entry has
-- 16 bytes instead of the 64 of point system, address, time and id.
--
-- Never change the result: the index holds it.
create or replace function wallet_time_key(system uuid, wallet bytea, at timestamptz) returns bigint
language sql immutable parallel safe
return (floor(extract(epoch from at at time zone 'UTC'))::bigint >> 21 << 44)
  | (hashtextextended(encode(wallet, 'hex'), uuid_hash_extended(system, 0)) & 17592186044415);

-- Serves the activity of a wallet, and the trigger limit's last minute.
create index if not exists point_events_wallet_feed
  on point_events (wallet_time_key(point_system_id, address, created_at), created_at)
  where voids is null;
