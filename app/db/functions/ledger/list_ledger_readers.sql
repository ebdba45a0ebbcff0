-- Lists the readers of a point system's ledger, each with the position up to which it has read. Webhooks that are on and
-- streaks are readers, and changes of tiers where a webhook listens for them. Empty before the first event. The planner puts
-- it into the caller's statement, so it has no settings of its own.
create or replace function list_ledger_readers(system uuid) returns table (reader text, seq bigint)
language sql stable as $$
  select q.reader, q.seq from rank_cursors r join statistics_cursors s on s.point_system_id = r.point_system_id
  cross join lateral (values
    ('ranks', r.seq),
    ('statistics', least(s.seq, s.activity_seq, s.program_seq)),
    ('boards', (
      -- A window that is still being filled has no cursor: its season may need every event.
      select min(coalesce(c.seq, 0)) from board_windows w left join rank_cursors c on c.point_system_id = w.id
      where w.point_system_id = system and not w.is_settled
    )),
    ('streaks', (select min(k.counted_seq) from streaks k where k.point_system_id = system)),
    ('tiers', (
      -- Where no webhook listens, fold_tiers passes all events at once.
      select c.seq from tier_cursors c where c.point_system_id = system and exists (
        select from webhook_endpoints w where w.point_system_id = system and 'wallet.tier_changed' = any(w.event_types)
      )
    )),
    ('webhooks', least((
      select min(w.ledger_seq) from webhook_endpoints w
      where w.point_system_id = system and w.off_at is null
        and w.event_types && array['points.credited', 'points.voided']
    ), (
      select min(d.seq) - 1 from webhook_deliveries d
      join webhook_endpoints w on w.point_system_id = system and w.id = d.endpoint_id and w.off_at is null
      where d.point_system_id = system and d.state = 'waiting' and d.seq_to is not null
    )))
  ) q(reader, seq)
  where r.point_system_id = system and q.seq is not null
$$;
