-- Reads the counts of a point system: those of its row of totals, and the credits through the API behind them.
create or replace function read_totals(system uuid)
returns table (
  wallets bigint, blacklisted_wallets bigint, events bigint, archived_events bigint, archived_before timestamptz
)
language sql stable as $$
  select t.wallets + c.wallets, t.blacklisted_wallets, t.events + c.events, t.archived_events, t.archived_before
  from point_system_totals t
  cross join lateral (
    select count(*) filter (where e.opens_wallet) as wallets, count(*) as events
    from point_events e
    where e.point_system_id = system and e.seq > t.counted_seq and e.api_key_id is not null
  ) c
  where t.point_system_id = system
$$;
