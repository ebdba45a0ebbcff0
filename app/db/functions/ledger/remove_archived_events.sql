-- Removes archived events of a point system, and books what they add up to. Element i of `seqs` and of `ids` is an event,
-- and `corrections` are the positions of the corrections that are archived with these. An event that was voided on or
-- after `before` stays, and so do all while a board or a streak that was created since the file was written has not counted
-- them, or statistics an event of these days or of earlier ones that was loaded since: a later archive takes them. The
-- caller holds the ledger lock and the statistics' cursor. Answers the number of events.
create or replace function remove_archived_events(
  system uuid, before timestamptz, seqs bigint[], ids uuid[], corrections bigint[]
) returns int
language plpgsql volatile as $$
declare
  removed int;
begin
  if exists (
    select from board_windows w
    where w.point_system_id = system and not w.is_ready and not w.is_settled and w.starts_at < before
  ) or exists (
    select from streaks s
    where s.point_system_id = system and s.counted_seq < (select max(n) from unnest(seqs || corrections) n)
  ) or exists (
    select from statistics_cursors s join point_events e on e.point_system_id = s.point_system_id and e.seq > s.seq
    where s.point_system_id = system and e.created_at < (
      select date_trunc('day', max(l.created_at), 'UTC') + interval '1 day' from unnest(seqs) n
      cross join lateral (
        select l.created_at from point_events l where l.point_system_id = system and l.seq = n limit 1
      ) l
    )
  ) or exists (
    select from webhook_endpoints w
    where w.point_system_id = system and w.off_at is null
      and w.event_types && array['points.credited', 'points.voided'] and least(w.ledger_seq, (
        select min(d.seq) - 1 from webhook_deliveries d
        where d.point_system_id = system and d.endpoint_id = w.id and d.state = 'waiting' and d.seq_to is not null
      )) < (select max(n) from unnest(seqs || corrections) n)
  ) then
    return 0;
  end if;
  -- What leaves is counted before, or it would never be.
  perform change_totals(system, 0, 0, 0);
  perform keep_in_caps(system, seqs);
  perform set_config('ledger.removes_events', 'on', true);
  with leaving as materialized (
    select b.seq from unnest(seqs, ids) b(seq, id) where not exists (
      select 1 from point_events c
      where c.point_system_id = system and c.voids = b.id and c.created_at >= before
    )
    union all
    select c.seq from unnest(corrections) c(seq)
  ),
  gone as (
    delete from point_events e using leaving l
    where e.point_system_id = system and e.seq = l.seq
    returning e.address, e.points, case when e.voids is null then 1 else -1 end as events,
      coalesce(e.voids_created_at, e.created_at) as created_at, coalesce(e.voids, e.id) as id
  ),
  opened as (
    insert into opening_balances as o (point_system_id, address, points, events)
    select system, g.address, sum(g.points), sum(g.events) from gone g group by g.address
    on conflict (point_system_id, address) do update
      set points = o.points + excluded.points, events = o.events + excluded.events
  ),
  -- A delivery of which some events stay is sent with those.
  unsaid as (
    update webhook_deliveries d set state = 'skipped'
    where d.point_system_id = system and d.state = 'waiting' and d.seq_to is not null
      and exists (select from leaving l where l.seq between d.seq and d.seq_to)
      and not exists (
        select from point_events e
        where e.point_system_id = system and e.seq between d.seq and d.seq_to and e.moved_events is null
          and (e.voids is null) = (d.type = 'points.credited')
          and not exists (select from leaving l where l.seq = e.seq)
      )
  ),
  uncounted as (
    update activity_marks m set events = m.events - c.events
    from (
      select m.created_at, m.id, sum(g.events) as events
      from (select created_at, id, sum(events) as events from gone group by created_at, id) g
      cross join lateral (
        select m.created_at, m.id from activity_marks m
        where m.point_system_id = system and (m.created_at, m.id) <= (g.created_at, g.id)
        order by m.point_system_id desc, m.created_at desc, m.id desc limit 1
      ) m
      where g.events <> 0
      group by m.created_at, m.id
    ) c
    where m.point_system_id = system and m.created_at = c.created_at and m.id = c.id
  ),
  totalled as (
    update point_system_totals t set
      archived_events = t.archived_events + (select coalesce(sum(events), 0) from gone),
      archived_before = greatest(t.archived_before, before)
    where t.point_system_id = system and exists (select 1 from gone)
  )
  select count(*) into removed from gone;
  return removed;
end $$;
