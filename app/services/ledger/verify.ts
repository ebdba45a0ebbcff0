import { type SQL, sql } from "drizzle-orm";
import { isOnCitus, readEachShard, readEachShardWith } from "../../db/citus/shard-query";
import { withOwnConnection } from "../../db/client";
import type { Database } from "../../db/pool";
import { rankCounts } from "../../db/schema/ranks";
import type { LedgerDifference } from "../../domain/ledger/difference";
import { loadArchivedEvents } from "./archives";

export interface LedgerReport {
  readonly pointSystems: number;
  readonly wallets: number;
  readonly events: number;
  readonly archivedEvents: number;
  readonly differences: readonly LedgerDifference[];
}

/** The most differences that are reported. A ledger with more needs an inspection, not a list. */
const DIFFERENCES_MAX = 1_000;

/**
 * Recomputes every wallet and total from the events, every event's balance from the events before
 * it, the ranks' counts from the wallets, and what wallets spent from their spends, and lists the differences. It reads one snapshot, so
 * the service may run meanwhile.
 * @param archiveFolder the folder with the files of archived events; null to take what they add up to
 *   as it is stored, and to leave out the events' balances once there are archives
 * @throws {ArchiveError} when a file is missing or was changed
 */
export function verifyLedger(archiveFolder: string | null = null): Promise<LedgerReport> {
  return withOwnConnection(async (db) => {
    const archives = archiveFolder === null ? 0 : await loadArchivedEvents(db, archiveFolder);
    const statement = findDifferences(archives > 0);
    const isSharded = await isOnCitus(db);
    const ofShards = isSharded ? await readDifferences(db, statement, archives > 0) : [];
    return db.transaction(
      async (tx) => {
        const differences = isSharded
          ? ofShards
          : await tx.execute<Record<string, unknown> & LedgerDifference>(statement);
        const [counts] = await tx.execute<{
          pointSystems: number;
          wallets: number;
          events: number;
          archivedEvents: number;
        }>(sql`
          select (select count(*)::int from point_systems) as "pointSystems",
            (select count(*)::float8 from wallets join point_systems p on p.id = point_system_id) as wallets,
            (select count(*)::float8 from point_events) as events,
            (select coalesce(sum(archived_events), 0)::float8 from point_system_totals) as "archivedEvents"`);
        return {
          ...(counts ?? { pointSystems: 0, wallets: 0, events: 0, archivedEvents: 0 }),
          differences: [...differences],
        };
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    );
  });
}

/** Lists the differences of one shard after the other. */
function readDifferences(db: Database, statement: SQL, hasArchived: boolean) {
  return hasArchived
    ? readEachShardWith<LedgerDifference>(db, "archived_events", "point_events", statement)
    : readEachShard<LedgerDifference>(db, statement);
}

const COLUMNS = sql.raw(
  `point_system_id, address, id, seq, points, balance, created_at, voids, voids_created_at, base_points, boost_factor,
  named_address, moved_events`,
);
const WITH_ARCHIVED = sql`(
  select ${COLUMNS} from point_events union all select ${COLUMNS} from archived_events
)`;
const CHANGE = sql.raw("coalesce(moved_events, case when voids is null then 1 else -1 end)");

/**
 * Builds the statement that lists differences.
 * @param hasArchived whether the table `archived_events` is there; without it, what a wallet's archived events
 *   add up to counts as stored
 */
const findDifferences = (hasArchived: boolean) => {
  const events: SQL = hasArchived ? WITH_ARCHIVED : sql`point_events`;
  const opened = hasArchived
    ? sql`select point_system_id, address, sum(points) as points, sum(${CHANGE}) as events
        from archived_events group by 1, 2`
    : sql`select point_system_id, address, points, events from opening_balances`;
  return sql`
  with opened as (${opened}),
  kept as (select id as point_system_id from point_systems where deleted_at is null),
  recomputed as (
    select point_system_id, address, sum(points) as points, sum(events) as events from (
      select point_system_id, address, points, ${CHANGE} as events from point_events
      union all
      select point_system_id, address, points, events from opened
    ) e
    -- An undone import takes its entries along.
    group by 1, 2 having sum(points) <> 0 or sum(events) <> 0
  ),
  wallet_pairs as (
    select point_system_id, address, w.points, w.events, w.is_blacklisted,
      coalesce(r.points, 0) as true_points, coalesce(r.events, 0) as true_events,
      b.address is not null as true_blacklisted
    from (select * from wallets where point_system_id in (select id from point_systems)) w
    full join recomputed r using (point_system_id, address)
    left join blacklist b using (point_system_id, address)
  ),
  -- A correction voids exactly one event, as a whole and once, at the wallet that has its points. The second event of a
  -- move gives what the first one takes, which is all that the wallet had.
  unsound_corrections as (
    select c.point_system_id, c.address, c.id, c.points, v.points as voided_points
    from ${events} c
    left join ${events} v
      on v.point_system_id = c.point_system_id and v.created_at = c.voids_created_at and v.id = c.voids
        and v.address = coalesce(c.named_address, c.address) and v.voids is null
        and v.moved_events is not distinct from -c.moved_events
        and (c.moved_events is null or v.named_address = c.address and v.balance = 0)
    where c.voids is not null and (
      v.points is distinct from -c.points or c.moved_events is null and c.named_address is not null
        and c.address <> find_event_holder(c.point_system_id, v.address, v.seq, c.seq)
    )
  ),
  -- A boosted event has its base points and its factor, and what they make.
  wrong_boosts as (
    select point_system_id, address, id, points, boost_points(base_points, boost_factor) as true_points
    from ${events} e
    where num_nonnulls(base_points, boost_factor) > 0
      and (base_points is null or boost_factor is null or voids is not null
        or points <> boost_points(base_points, boost_factor))
  ),
  balances as (
    select point_system_id, address, id, balance, sum(points) over (
      partition by point_system_id, address order by seq
    ) as true_balance
    from ${events} e
    -- Without the archived events, the balances after them cannot be recomputed.
    where ${hasArchived} or not exists (select 1 from opening_balances)
  ),
  true_totals as (
    select p.id as point_system_id, t.wallets, t.blacklisted_wallets, t.events, t.archived_events,
      (select count(*) from wallets w where w.point_system_id = p.id) as true_wallets,
      (select count(*) from wallets w join blacklist b using (point_system_id, address)
        where w.point_system_id = p.id) as true_blacklisted_wallets,
      (select coalesce(sum(${CHANGE}), 0) from point_events e where e.point_system_id = p.id) as live_events,
      (select coalesce(sum(o.events), 0) from opened o where o.point_system_id = p.id) as true_archived_events
    from point_systems p
    left join lateral read_totals(p.id) t on true
  ),
  ranked as (
    select c.point_system_id, c.seq, c.key_max, c.wallets_from_band from rank_cursors c
    left join board_windows b on b.id = c.point_system_id
    join point_systems p on p.id = coalesce(b.point_system_id, c.point_system_id) and p.deleted_at is null
  ),
  -- Windows of which no event is archived.
  wrong_windows as (
    select w.point_system_id, d.*, coalesce(b.slug, b.kind || ' ' || w.label) as board
    from board_windows w
    join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
    join point_systems p on p.id = w.point_system_id and p.deleted_at is null
    join point_system_totals t on t.point_system_id = w.point_system_id
    cross join lateral list_window_differences(w.id) d
    where w.is_ready and t.archived_before > w.starts_at is not true
  ),
  -- What capped triggers credited in windows of which no event is archived.
  wrong_cap_counts as (
    select point_system_id, address, t.key, u.times, u.points, coalesce(e.times, 0) as true_times,
      coalesce(e.points, 0) as true_points
    from trigger_cap_counts u
    join triggers t using (point_system_id, cap_id)
    join point_system_totals s using (point_system_id)
    left join (
      select u.point_system_id, u.cap_id, u.starts_at, u.address, count(*) as times, sum(e.points) as points
      from point_events e
      join triggers t on t.point_system_id = e.point_system_id and t.key = e.event
      join trigger_cap_counts u on u.point_system_id = e.point_system_id and u.cap_id = t.cap_id
        and u.address = e.address and e.created_at >= u.starts_at and e.created_at < u.ends_at
      where e.voids is null and e.api_key_id is not null
      group by 1, 2, 3, 4
    ) e using (point_system_id, cap_id, starts_at, address)
    where s.archived_before > u.starts_at is not true
  ),
  -- Days of streaks, where no event is archived.
  wrong_streak_days as (
    select s.point_system_id, s.key, d.* from streaks s
    join point_system_totals t on t.point_system_id = s.point_system_id and t.archived_before is null
    cross join lateral list_streak_differences(s.point_system_id, s.id) d
  ),
  -- The lowest level matches the wallets, except for moves that are not counted yet.
  true_rank_counts as (
    select point_system_id, 0 as level, bucket, sum(wallets) as wallets from (
      select w.point_system_id, board_key(w.points, w.address) as bucket, 1 as wallets
      from wallets w join ranked using (point_system_id)
      where not w.is_blacklisted
      union all
      select c.point_system_id, v.bucket, v.wallets from ranked c
      cross join lateral rank_tail(c.point_system_id, c.seq, null) t
      cross join lateral (values (t.key_before, 1), (t.key_after, -1)) v(bucket, wallets)
      where v.bucket is not null
    ) moves
    group by 1, 2, 3 having sum(wallets) <> 0
    -- Each level sums up the one below.
    union all
    select r.point_system_id, l.level, r.bucket >> l.shift - below.shift, sum(r.wallets)
    from ${rankCounts} r join ranked using (point_system_id)
    join rank_levels() below on below.level = r.level
    join rank_levels() l on l.level = r.level + 1
    group by 1, 2, 3
  ),
  wrong_rank_counts as (
    select point_system_id, level, bucket, r.wallets, t.wallets as true_wallets
    from (select * from rank_counts join ranked using (point_system_id)) r
    full join true_rank_counts t using (point_system_id, level, bucket)
    where r.wallets is distinct from t.wallets
  ),
  spent_pairs as (
    select point_system_id, address, s.spent, r.spent as true_spent, w.points as earned
    from (select * from wallet_spending join kept using (point_system_id)) s
    full join (
      select point_system_id, address, sum(points) as spent from spends join kept using (point_system_id) group by 1, 2
    ) r using (point_system_id, address)
    left join wallets w using (point_system_id, address)
  ),
  -- A reversal gives exactly one spend back, as a whole and once.
  unsound_reversals as (
    select r.point_system_id, r.address, r.id, r.points, s.points as spent_points
    from spends r
    left join spends s on s.point_system_id = r.point_system_id and s.id = r.reverses
      and s.reverses is null and s.moved_with is null
    where r.reverses is not null and s.points is distinct from -r.points
  )
  select point_system_id as "pointSystemId", '0x' || encode(address, 'hex') as address,
    field, stored, recomputed
  from (
    select point_system_id, address, v.field, v.stored, v.recomputed
    from wallet_pairs cross join lateral (values
      ('points', points::text, true_points::text),
      ('events', events::text, true_events::text),
      ('is_blacklisted', is_blacklisted::text, true_blacklisted::text)
    ) v(field, stored, recomputed)
    union all
    -- What a linked wallet has is its primary one's, unless it is blacklisted.
    select point_system_id, address, 'entry of the linked wallet, in points', w.points::text, null
    from (select * from wallet_links join kept using (point_system_id)) l
    join wallets w using (point_system_id, address)
    left join blacklist b using (point_system_id, address)
    where b.address is null
    union all
    select point_system_id, address, v.field, v.stored, v.recomputed
    from opening_balances b full join opened o using (point_system_id, address)
    cross join lateral (values
      ('opening points', b.points::text, o.points::text),
      ('opening events', b.events::text, o.events::text)
    ) v(field, stored, recomputed)
    union all
    select point_system_id, address, 'balance of event ' || id, balance::text, true_balance::text
    from balances where balance <> true_balance
    union all
    select point_system_id, address, 'points of correction ' || id, points::text,
      (-voided_points)::text
    from unsound_corrections
    union all
    select point_system_id, address, v.field, v.stored, v.recomputed
    from spent_pairs cross join lateral (values
      ('spent points', spent::text, true_spent::text),
      ('points, at least those spent', coalesce(earned, 0)::text, greatest(coalesce(earned, 0), true_spent)::text)
    ) v(field, stored, recomputed)
    union all
    select point_system_id, address, 'points of reversal ' || id, points::text, (-spent_points)::text
    from unsound_reversals
    union all
    select point_system_id, address, 'points of boosted event ' || id, points::text,
      coalesce(true_points::text, 'none')
    from wrong_boosts
    union all
    select point_system_id, address, v.field || ' on the board ' || board, v.stored, v.recomputed
    from wrong_windows cross join lateral (values
      ('points', stored_points::text, true_points::text),
      ('events', stored_events::text, true_events::text)
    ) v(field, stored, recomputed)
    union all
    select point_system_id, address, v.field || ' in the cap of ' || key, v.stored, v.recomputed
    from wrong_cap_counts cross join lateral (values
      ('times', times::text, true_times::text),
      ('points', points::text, true_points::text)
    ) v(field, stored, recomputed)
    union all
    select point_system_id, address, 'events on ' || day || ' of the streak ' || key, stored::text, recomputed::text
    from wrong_streak_days
    union all
    select point_system_id, null, 'rank count ' || level || '/' || bucket, wallets::text,
      true_wallets::text
    from wrong_rank_counts
    union all
    select point_system_id, null, v.field, v.stored, v.recomputed
    from ranked c cross join lateral (values
      ('wallets from each band on', wallets_from_band::text,
        sum_bands(point_system_id, key_max)::text),
      ('highest counted key', key_max::text, greatest(key_max, (
        select max(r.bucket) from rank_counts r
        where r.point_system_id = c.point_system_id and r.level = 0
      ))::text)
    ) v(field, stored, recomputed)
    union all
    select point_system_id, null, v.field, v.stored, v.recomputed
    from true_totals cross join lateral (values
      ('total of wallets', wallets::text, true_wallets::text),
      ('total of blacklisted wallets', blacklisted_wallets::text, true_blacklisted_wallets::text),
      ('total of events', events::text, (live_events + true_archived_events)::text),
      ('total of archived events', archived_events::text, true_archived_events::text)
    ) v(field, stored, recomputed)
  ) d
  where stored is distinct from recomputed
    -- What is deleted is removed in steps.
    and point_system_id not in (select id from point_systems where deleted_at is not null)
  order by 1, 2 nulls first, 3
  limit ${DIFFERENCES_MAX}`;
};
