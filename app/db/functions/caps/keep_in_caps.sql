-- Counts in their caps without a window the credits that leave the ledger for an archive, while they are still in it: for
-- each wallet and cap, all that the ledger has. A wallet that called since its trigger had the cap has its count already.
-- Afterwards count_in_cap would not find them. Windows of a day, a week or a month have ended before events leave.
--
-- The caller holds the ledger lock. `seqs` are the positions of the events.
create or replace function keep_in_caps(system_id uuid, seqs bigint[]) returns void
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  first_at timestamptz;
  last_at timestamptz;
begin
  if not exists (select from triggers where point_system_id = system_id and cap_window = 'ever') then
    return;
  end if;
  select created_at into first_at from point_events
  where point_system_id = system_id order by point_system_id, created_at limit 1;
  select created_at into last_at from point_events
  where point_system_id = system_id order by point_system_id desc, created_at desc limit 1;
  insert into trigger_cap_counts (point_system_id, cap_id, starts_at, ends_at, address, times, points)
  select system_id, c.cap_id, c.starts_at, c.ends_at, c.address, m.times, m.points
  from (
    select distinct t.key, t.cap_id, f.starts_at, f.ends_at, e.address
    from unnest(seqs) as s(seq)
    cross join lateral (
      select address, event from point_events
      where point_system_id = system_id and seq = s.seq and api_key_id is not null and voids is null limit 1
    ) e
    cross join lateral (
      select key, cap_id, cap_window, cap_time_zone from triggers
      where point_system_id = system_id and key = e.event and cap_window = 'ever' limit 1
    ) t
    cross join lateral find_cap_window(t.cap_window, t.cap_time_zone, last_at) f
    where not exists (
      select from trigger_cap_counts u
      where u.point_system_id = system_id and u.cap_id = t.cap_id and u.starts_at = f.starts_at and u.address = e.address
    )
  ) c
  -- A linked wallet has no entry, but its link has the times of the one that it had.
  cross join lateral (
    select min(w.created_at) as created_at, max(w.last_credit_at) as last_credit_at
    from (
      select created_at, last_credit_at from wallets where point_system_id = system_id and address = c.address
      union all
      select entry_created_at, entry_last_credit_at from wallet_links
      where point_system_id = system_id and address = c.address
    ) w
  ) w
  cross join lateral sum_cap_events(
    system_id, c.key, c.starts_at, c.ends_at, c.address, coalesce(w.created_at, first_at), coalesce(w.last_credit_at, last_at)
  ) m
  on conflict do nothing;
end $$;
