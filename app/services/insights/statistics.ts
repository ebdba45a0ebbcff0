import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { dailyTotals, dailyTriggerTotals } from "../../db/schema/statistics";
import type { StatisticsDays } from "../../domain/insights/overview-range";
import type { Member } from "../access/members";

/** The totals of a day in UTC. */
interface DayTotals {
  /** The day, such as `2026-01-31`. */
  readonly day: string;
  readonly points: number;
  readonly activeWallets: number;
}

interface TopTrigger {
  readonly key: string;
  /** Null when the trigger has been deleted. */
  readonly name: string | null;
  readonly points: number;
  readonly events: number;
  /** The trigger's share of all points in these days, from 0 to 1. */
  readonly share: number;
}

export interface Statistics {
  /** Every day of the range: the oldest first, today last. */
  readonly days: readonly DayTotals[];
  readonly points: number;
  /** The mean of the active wallets of each day. */
  readonly dailyWallets: number;
  /** The same of as many days before; null when nothing was counted then. */
  readonly before: { readonly points: number; readonly dailyWallets: number } | null;
  /** The triggers with the most points. */
  readonly topTriggers: readonly TopTrigger[];
}

const TRIGGERS_SHOWN = 6;

/** Reads the statistics of a point system's last days, a few seconds behind the ledger. */
export async function getStatistics(
  { pointSystemId }: Member,
  daysCount: StatisticsDays,
): Promise<Statistics> {
  const [both, triggers] = await Promise.all([
    listDays(pointSystemId, 2 * daysCount),
    listTopTriggers(pointSystemId, daysCount),
  ]);
  const days = both.slice(daysCount);
  const { points, dailyWallets } = addDays(days);
  const before = addDays(both.slice(0, daysCount));
  const topTriggers = triggers.map((trigger) => ({
    ...trigger,
    share: points > 0 ? trigger.points / points : 0,
  }));
  return {
    ...{ days, points, dailyWallets, topTriggers },
    before: before.dailyWallets > 0 ? before : null,
  };
}

function addDays(days: readonly DayTotals[]): { points: number; dailyWallets: number } {
  const sum = (of: "points" | "activeWallets") => days.reduce((total, day) => total + day[of], 0);
  return { points: sum("points"), dailyWallets: sum("activeWallets") / days.length };
}

/** Computes the first day of the range; the last one is today in UTC. */
const firstDay = (daysCount: number) =>
  sql`(clock_timestamp() at time zone 'UTC')::date - ${daysCount - 1}::int`;

function listDays(pointSystemId: string, daysCount: number): Promise<DayTotals[]> {
  return withDatabase((db) =>
    db.execute<{ day: string; points: number; activeWallets: number }>(sql`
      select to_char(${firstDay(daysCount)} + i, 'YYYY-MM-DD') as day,
        coalesce(t.points, 0)::float8 as points,
        coalesce(t.active_wallets, 0)::float8 as "activeWallets"
      from generate_series(0, ${daysCount - 1}::int) as i
      left join lateral (
        select points, active_wallets from ${dailyTotals}
        where point_system_id = ${pointSystemId} and day = ${firstDay(daysCount)} + i limit 1
      ) t on true
      order by i`),
  );
}

function listTopTriggers(
  pointSystemId: string,
  daysCount: number,
): Promise<Omit<TopTrigger, "share">[]> {
  return withDatabase((db) =>
    db.execute<{ key: string; name: string | null; points: number; events: number }>(sql`
      select t.key, n.name, t.points::float8 as points, t.events::float8 as events
      from (
        select trigger_key as key, sum(points) as points, sum(events) as events
        from ${dailyTriggerTotals}
        where point_system_id = ${pointSystemId} and day between ${firstDay(daysCount)} and ${firstDay(1)}
        group by trigger_key having sum(points) > 0
        order by sum(points) desc, trigger_key limit ${TRIGGERS_SHOWN}
      ) t
      left join lateral (
        select name from triggers where point_system_id = ${pointSystemId} and key = t.key limit 1
      ) n on true
      order by t.points desc, t.key`),
  );
}
