import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { rankCounts } from "../../db/schema/ranks";

/** A stored value that differs from the one that the events give. */
interface LedgerDifference {
  readonly pointSystemId: string;
  /** Null for a difference of the whole point system. */
  readonly address: string | null;
  readonly field: string;
  readonly stored: string | null;
  readonly recomputed: string | null;
}

export interface LedgerReport {
  readonly pointSystems: number;
  readonly wallets: number;
  readonly events: number;
  readonly differences: readonly LedgerDifference[];
}

/** The most differences that are reported. A ledger with more needs an inspection, not a list. */
const DIFFERENCES_MAX = 1_000;

/**
 * Recomputes every wallet and total from the events, every event's balance from the events before
 * it, and the ranks' counts from the wallets, and lists the differences. It reads one snapshot, so
 * the service may run meanwhile.
 */
export function verifyLedger(): Promise<LedgerReport> {
  return withDatabase((db) =>
    db.transaction(
      async (tx) => {
        const differences = await tx.execute<{
          pointSystemId: string;
          address: string | null;
          field: string;
          stored: string | null;
          recomputed: string | null;
        }>(FIND_DIFFERENCES);
        const [counts] = await tx.execute<{
          pointSystems: number;
          wallets: number;
          events: number;
        }>(sql`
          select (select count(*)::int from point_systems) as "pointSystems",
            (select count(*)::float8 from wallets) as wallets,
            (select count(*)::float8 from point_events) as events`);
        return { pointSystems: 0, wallets: 0, events: 0, ...counts, differences: [...differences] };
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
}

const FIND_DIFFERENCES = sql`
  with recomputed as (
    select point_system_id, address, sum(points) as points,
      count(*) filter (where voids is null) - count(*) filter (where voids is not null) as events
    from point_events group by 1, 2
  ),
  wallet_pairs as (
    select point_system_id, address, w.points, w.events, w.is_blacklisted,
      coalesce(r.points, 0) as true_points, coalesce(r.events, 0) as true_events,
      b.address is not null as true_blacklisted
    from wallets w
    full join recomputed r using (point_system_id, address)
    left join blacklist b using (point_system_id, address)
  ),
  -- A correction voids exactly one event of its wallet, as a whole and once.
  unsound_corrections as (
    select c.point_system_id, c.address, c.id, c.points, v.points as voided_points
    from point_events c
    left join point_events v
      on v.point_system_id = c.point_system_id and v.id = c.voids and v.address = c.address
        and v.voids is null
    where c.voids is not null and v.points is distinct from -c.points
  ),
  balances as (
    select point_system_id, address, id, balance, sum(points) over (
      partition by point_system_id, address order by seq
    ) as true_balance
    from point_events
  ),
  true_totals as (
    select p.id as point_system_id, t.wallets, t.blacklisted_wallets, t.events,
      (select count(*) from wallets w where w.point_system_id = p.id) as true_wallets,
      (select count(*) from wallets w join blacklist b using (point_system_id, address)
        where w.point_system_id = p.id) as true_blacklisted_wallets,
      (select count(*) filter (where voids is null) - count(*) filter (where voids is not null)
        from point_events e where e.point_system_id = p.id) as true_events
    from point_systems p
    left join point_system_totals t on t.point_system_id = p.id
  ),
  ranked as (
    select c.point_system_id, c.seq, c.key_max, c.wallets_from_band from rank_cursors c
    join point_systems p on p.id = c.point_system_id and p.deleted_at is null
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
    select point_system_id, address, 'balance of event ' || id, balance::text, true_balance::text
    from balances where balance <> true_balance
    union all
    select point_system_id, address, 'points of correction ' || id, points::text,
      (-voided_points)::text
    from unsound_corrections
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
      ('total of events', events::text, true_events::text)
    ) v(field, stored, recomputed)
  ) d
  where stored is distinct from recomputed
  order by 1, 2 nulls first, 3
  limit ${DIFFERENCES_MAX}`;
