-- Finds the fingerprints that a reward has already, and answers their positions among those asked for, from 1. Only the index by
-- fingerprint has the order that is asked for, as in find_shares.
create or replace function find_known_codes(system uuid, reward uuid, key_ids text[], fingerprints bytea[])
returns setof bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select q.n from unnest(key_ids, fingerprints) with ordinality as q(key_id, fingerprint, n)
  cross join lateral (
    select from gift_cards c
    where c.point_system_id = system and c.reward_id = reward and c.code_key_id = q.key_id
      and c.code_fingerprint >= q.fingerprint and c.code_fingerprint <= q.fingerprint
    order by c.code_fingerprint limit 1
  ) found;
end $$;
