-- Counts a wallet's credits by a capped trigger from `low`, the start of the cap's window, until before `high`: in one
-- row, stored or made from the ledger's events. The caller holds the ledger lock, so nothing is credited meanwhile.
--
-- The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function count_in_cap(
  system_id uuid, trigger_key text, cap_id uuid, low timestamptz, high timestamptz, wallet bytea,
  wallet_since timestamptz, last_credit_at timestamptz, at timestamptz
) returns table (times bigint, points bigint, refused_at timestamptz)
language sql stable rows 1
as $$
  select coalesce(stored.times, made.times, 0), coalesce(stored.points, made.points, 0), stored.refused_at
  from (values (1)) call
  left join lateral (
    select u.times, u.points, u.refused_at from trigger_cap_counts u
    where u.point_system_id = system_id and u.cap_id = count_in_cap.cap_id and u.starts_at = low
      and u.address = wallet limit 1
  ) stored on true
  left join lateral (
    select m.times, m.points
    -- Behind its offset, the condition is looked at before the events are.
    from (select where stored.times is null and last_credit_at >= low offset 0) missing
    cross join lateral sum_cap_events(
      system_id, trigger_key, low, high, wallet, wallet_since, greatest(at, last_credit_at)
    ) m
  ) made on true
$$;
