import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { dailyTriggerTotals } from "../../db/schema/statistics";
import type { Member } from "../access/members";

/** The days of a trigger's chart, today among them. */
const TRIGGER_DAYS = 30;

/** The use of a trigger on a day in UTC. */
interface TriggerDay {
  /** The day, such as `2026-01-31`. */
  readonly day: string;
  readonly points: number;
  readonly events: number;
}

/** Lists the use of a trigger in the last days, the oldest first, a few seconds behind the ledger. */
export function listTriggerDays({ pointSystemId }: Member, key: string): Promise<TriggerDay[]> {
  return withDatabase((db) =>
    db.execute<{ day: string; points: number; events: number }>(sql`
      with range as materialized (
        select (clock_timestamp() at time zone 'UTC')::date - ${TRIGGER_DAYS - 1}::int as first_day
      )
      select to_char(r.first_day + i, 'YYYY-MM-DD') as day,
        coalesce(t.points, 0)::float8 as points, coalesce(t.events, 0)::float8 as events
      from range r cross join generate_series(0, ${TRIGGER_DAYS - 1}::int) as i
      left join lateral (
        select points, events from ${dailyTriggerTotals}
        where point_system_id = ${pointSystemId} and trigger_key = ${key} and day = r.first_day + i
        limit 1
      ) t on true
      order by i`),
  );
}
