-- Lists the times of the ten newest credits of an API key, wallet and trigger within the last minute, newest first, in one row;
-- null without any. Most wallets had no credit by any key since then, which their row says (last_credit_at): their
-- events are not looked up.
--
-- The planner puts it into the caller's statement, so it has no settings of its own. The caller's must leave its
-- look-up the only cheap plan.
create or replace function recent_credits(
  system_id uuid, wallet bytea, trigger_key text, key_id uuid, last_credit_at timestamptz, at timestamptz
) returns table (credits timestamptz[])
language sql stable rows 1
as $$
  select (array_agg(e.created_at order by e.created_at desc))[1:10]
  from (
    select wallet_time_key(system_id, wallet, at - interval '60 s') as low, wallet_time_key(system_id, wallet, at) as high
  ) range
  cross join lateral unnest(
    case when range.low = range.high then array[range.high] else array[range.high, range.low] end
  ) as s(key)
  cross join lateral (
    select e.created_at from point_events e
    where wallet_time_key(e.point_system_id, e.address, e.created_at) >= s.key
      and wallet_time_key(e.point_system_id, e.address, e.created_at) <= s.key
      and e.created_at > at - interval '60 s'
      and e.point_system_id = system_id and e.address = wallet
      and e.voids is null and e.event = trigger_key and e.api_key_id = key_id
    order by wallet_time_key(e.point_system_id, e.address, e.created_at) desc, e.created_at desc limit 10
  ) e
  where last_credit_at > at - interval '60 s'
$$;
