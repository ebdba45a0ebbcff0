import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { withDatabase } from "../../db/client";
import { dailyTotals, refusedCalls } from "../../db/schema/statistics";
import type { FailureCode } from "../../domain/failure";
import { REFUSED_CALLS_HOURS, type RefusedCallsRange } from "../../domain/insights/overview-range";
import { processState } from "../../process/state";
import type { Member } from "../access/members";
import { removeOlder } from "../runtime/remove-old-rows";

/** The most counts that wait to be written; further ones are dropped. */
const COUNTS_MAX = 10_000;
const HOUR_MS = 60 * 60 * 1_000;
/** The time for which counts are kept: longer than the longest range. */
const KEPT_DAYS = 31;
/** The failure of calls that a cap refused. */
const CAP_CODE = "trigger_cap_reached" satisfies FailureCode;

interface RefusedCount {
  readonly pointSystemId: string;
  readonly hourMs: number;
  readonly code: FailureCode;
  calls: number;
}

interface State {
  waiting: Map<string, RefusedCount>;
}

const state = processState<State>("refused calls", () => ({ waiting: new Map() }));

/**
 * Counts a refused call in memory, until the next flush.
 * @param pointSystemId the UUID that the call named, even if no such point system exists
 */
export function noteRefusedCall(pointSystemId: string, code: FailureCode): void {
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  addCalls({ pointSystemId, hourMs, code, calls: 1 });
}

function addCalls(count: RefusedCount): void {
  const key = `${count.pointSystemId}${count.hourMs}${count.code}`;
  const counted = state.waiting.get(key);
  if (counted) counted.calls += count.calls;
  else if (state.waiting.size < COUNTS_MAX) state.waiting.set(key, count);
}

/**
 * Writes the counts of existing point systems.
 * @returns false, since there is nothing more to do right away
 */
export async function flushRefusedCalls(): Promise<boolean> {
  const counts = [...state.waiting.values()];
  state.waiting = new Map();
  try {
    if (counts.length > 0) await writeCounts(counts);
  } catch (error) {
    // At worst, a statement whose answer was lost is counted twice.
    for (const count of counts) addCalls(count);
    throw error;
  }
  return false;
}

/**
 * Writes the counts in one order, so that two processes cannot deadlock. Those of caps are added to
 * their days as well, which are kept.
 */
async function writeCounts(counts: readonly RefusedCount[]): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      with counts as materialized (
        select q.point_system_id, q.hour, q.code, q.calls
        from unnest(
          ${toArrayLiteral(counts.map(({ pointSystemId }) => pointSystemId))}::uuid[],
          ${toArrayLiteral(counts.map(({ hourMs }) => new Date(hourMs).toISOString()))}::timestamptz[],
          ${toArrayLiteral(counts.map(({ code }) => code))}::text[],
          ${toArrayLiteral(counts.map(({ calls }) => String(calls)))}::bigint[]
        ) as q(point_system_id, hour, code, calls)
        cross join lateral (
          -- The lock excludes a deletion: counts written after it would never be removed.
          select id from point_systems where id = q.point_system_id and deleted_at is null
          limit 1 for share
        ) p
      ),
      capped as (
        insert into ${dailyTotals} (point_system_id, day, capped_calls)
        select point_system_id, (hour at time zone 'UTC')::date as day, sum(calls) from counts
        where code = ${CAP_CODE} group by point_system_id, day order by point_system_id, day
        on conflict (point_system_id, day) do update
          set capped_calls = daily_totals.capped_calls + excluded.capped_calls
      )
      insert into ${refusedCalls} (point_system_id, hour, code, calls)
      select point_system_id, hour, code, calls from counts
      order by point_system_id, hour, code
      on conflict (point_system_id, hour, code) do update
        set calls = refused_calls.calls + excluded.calls`),
  );
}

/**
 * Removes counts that are older than a month.
 * @returns whether there are more
 */
export const removeOldRefusedCalls = (): Promise<boolean> =>
  removeOlder(refusedCalls, "hour", KEPT_DAYS);

/** Counts a point system's refused calls in a range, by the failure's code. */
export function listRefusedCalls(
  { pointSystemId }: Member,
  range: RefusedCallsRange,
): Promise<{ code: string; calls: number }[]> {
  return withDatabase((db) =>
    db.execute<{ code: string; calls: number }>(sql`
      select code, sum(calls)::float8 as calls from ${refusedCalls}
      where point_system_id = ${pointSystemId}
        and hour > clock_timestamp() - ${`${REFUSED_CALLS_HOURS[range]} hours`}::interval
      group by code order by sum(calls) desc, code`),
  );
}
