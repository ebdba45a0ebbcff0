-- Lists the events of a point system before a date that every reader of the ledger has read, each with its correction or
-- without any. Webhooks that are on and streaks are readers, and changes of tiers where a webhook listens for them. Sandboxes
-- and moves to primary wallets have none. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function list_leaving_events(system uuid, before timestamptz) returns setof point_events
language sql stable as $$
  select e.* from point_systems p
  cross join lateral (
    select least(r.seq, s.seq, s.activity_seq, s.program_seq, (
      -- A window that is still being filled has no cursor: its season may need every event.
      select min(coalesce(c.seq, 0)) from board_windows w left join rank_cursors c on c.point_system_id = w.id
      where w.point_system_id = p.id and not w.is_settled
    ), (
      select min(s.counted_seq) from streaks s where s.point_system_id = p.id
    ), (
      -- Where no webhook listens, fold_tiers passes all events at once.
      select c.seq from tier_cursors c where c.point_system_id = p.id and exists (
        select from webhook_endpoints w where w.point_system_id = p.id and 'wallet.tier_changed' = any(w.event_types)
      )
    ), (
      select min(w.ledger_seq) from webhook_endpoints w
      where w.point_system_id = p.id and w.off_at is null
        and w.event_types && array['points.credited', 'points.voided']
    ), (
      select min(d.seq) - 1 from webhook_deliveries d
      join webhook_endpoints w on w.point_system_id = p.id and w.id = d.endpoint_id and w.off_at is null
      where d.point_system_id = p.id and d.state = 'waiting' and d.seq_to is not null
    )) as seq
    from rank_cursors r join statistics_cursors s on s.point_system_id = r.point_system_id
    where r.point_system_id = p.id
  ) done
  join point_events e on e.point_system_id = p.id
  where p.id = system and p.deleted_at is null and not p.is_sandbox and e.seq <= done.seq
    and e.created_at < before and e.moved_events is null
    and coalesce(e.voids_created_at < before, not exists (
      select 1 from point_events c
      where c.point_system_id = p.id and c.voids = e.id and (c.created_at >= before or c.seq > done.seq)
    ))
$$;
