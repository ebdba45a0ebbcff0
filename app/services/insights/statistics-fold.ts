import { sql } from "drizzle-orm";
import { imports } from "../../db/schema/imports";
import { dailyTotals, dailyTriggerTotals, statisticsCursors } from "../../db/schema/statistics";
import { createFold, foldInTime } from "../point-systems/fold";

/** Events in one run: a few per cent of a core, so that credits have the rest. */
const EVENTS_MAX = 5_000;

/**
 * Counts events that are not in the statistics yet. Point systems that have any get an equal share
 * of the events of a run. Several processes may do so at once.
 */
export const statisticsFold = createFold({
  name: "statistics",
  hasTail: sql`t.event_seq > t.statistics_seq`,
  listTail: (entriesMax) => sql`
    select from point_events e where e.point_system_id = t.id and e.seq > t.statistics_seq
    limit ${entriesMax}`,
  entriesMax: (waiting) => Math.ceil(EVENTS_MAX / waiting),
  fold: foldPointSystem,
});

/**
 * Counts a point system's next events, in the order in which they were committed. `seq` ascends in
 * that order, because every writer holds the ledger lock until its commit is visible. A statement
 * that sees an event also sees all events of a lower `seq`, so the cursor skips none.
 * @returns the number of events; 0 also when another process counts them, or the point system was
 *   deleted
 */
export async function foldPointSystem(
  pointSystemId: string,
  eventsMax: number,
  timeMaxMs?: number,
): Promise<number> {
  return foldInTime(timeMaxMs, async (tx) => {
    const [cursor] = await tx.execute<{ seq: string }>(sql`
      select c.seq::text as seq from ${statisticsCursors} c join point_systems p on p.id = c.point_system_id
      where c.point_system_id = ${pointSystemId}::uuid and p.deleted_at is null
      for update of c skip locked`);
    if (!cursor) return 0;
    const [folded] = await tx.execute<{ events: number }>(
      buildFoldStatement(pointSystemId, cursor.seq, eventsMax),
    );
    return folded?.events ?? 0;
  });
}

/**
 * Builds the statement that counts events. It is one statement, so that all its parts see the same
 * events. `list_ledger_changes` has the rule of what an event counts for. A wallet is active on a day
 * from its event with the lowest `seq` on that day, even if that event was voided later. The two
 * events of a move are no activity.
 */
const buildFoldStatement = (pointSystemId: string, countedSeq: string, eventsMax: number) => sql`
  with changes as materialized (
    select c.*, case when c.is_correction then -1 else 1 end as events,
      (c.fired_at at time zone 'UTC')::date as day
    from list_ledger_changes(${pointSystemId}::uuid, ${countedSeq}::bigint, ${eventsMax}::bigint) c
  ),
  first_here as materialized (
    select address, day, min(seq) as seq,
      bool_or(opens_wallet) and not exists (
        select from ${imports} i
        where i.point_system_id = ${pointSystemId}::uuid and i.status in ('undoing', 'undone')
      ) as opens_wallet
    from changes where not is_correction and not is_move group by address, day
  ),
  -- An event that opens its wallet has none before it, unless an import took the entry along when it was undone.
  active as materialized (
    select day, sum(wallets) as wallets
    from (
      select day, count(*) as wallets from first_here where opens_wallet group by day
      union all
      select a.day, a.wallets
      from (
        select array_agg(address) as addresses, array_agg(day) as days, array_agg(seq) as seqs
        from first_here where opens_wallet is not true
      ) f
      cross join lateral count_newly_active(${pointSystemId}::uuid, f.addresses, f.days, f.seqs) a
    ) counted
    group by day
  ),
  days as (
    insert into ${dailyTotals} (point_system_id, day, points, events, active_wallets)
    select ${pointSystemId}::uuid, c.day, sum(c.points), sum(c.events), coalesce(max(a.wallets), 0)
    from changes c left join active a on a.day = c.day
    group by c.day order by c.day
    on conflict (point_system_id, day) do update
      set points = daily_totals.points + excluded.points,
        events = daily_totals.events + excluded.events,
        active_wallets = daily_totals.active_wallets + excluded.active_wallets
  ),
  trigger_days as (
    insert into ${dailyTriggerTotals} (
      point_system_id, trigger_key, day, points, events, last_fired_at
    )
    select ${pointSystemId}::uuid, trigger_key, day, sum(points), sum(events), max(fired_at)
    from changes where trigger_key is not null
    group by trigger_key, day order by trigger_key, day
    on conflict (point_system_id, trigger_key, day) do update
      set points = daily_trigger_totals.points + excluded.points,
        events = daily_trigger_totals.events + excluded.events,
        last_fired_at = greatest(daily_trigger_totals.last_fired_at, excluded.last_fired_at)
  ),
  moved as (
    update ${statisticsCursors} set seq = newest.seq
    from (select max(seq) as seq from changes having count(*) > 0) newest
    where point_system_id = ${pointSystemId}::uuid
  )
  select count(*)::int as events from changes`;
