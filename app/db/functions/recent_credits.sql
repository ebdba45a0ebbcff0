-- Lists the times of the ten newest credits of an API key, wallet and trigger within the last minute, newest first, in one row;
-- none or null without any. Most wallets had no credit by any key since then, which their row says (last_credit_at):
-- their events are not looked up. A minute is in one stretch of wallet_time_key or in two.
--
-- The planner puts it into the caller's statement, so it has no settings of its own. The caller's must leave its
-- look-up the only cheap plan.
create or replace function recent_credits(
  system_id uuid, wallet bytea, trigger_key text, key_id uuid, last_credit_at timestamptz, at timestamptz
) returns table (credits timestamptz[])
language sql stable rows 1
as $$
  select case when last_credit_at > at - interval '60 s' then array(
    select e.created_at from point_events e
    where wallet_time_key(e.point_system_id, e.address, e.created_at) = any(array[
        wallet_time_key(system_id, wallet, at), wallet_time_key(system_id, wallet, at - interval '60 s')
      ])
      and e.created_at > at - interval '60 s'
      and e.point_system_id = system_id and e.address = wallet
      and e.voids is null and e.event = trigger_key and e.api_key_id = key_id
    order by wallet_time_key(e.point_system_id, e.address, e.created_at) desc, e.created_at desc limit 10
  ) end
$$;
