import { type SQL, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";

/** A limit of calls for each subject, and the table that holds the calls. */
export interface SlidingWindow {
  readonly table: string;
  /** The column of the subject, and the column of the times at which its calls were admitted. */
  readonly subject: string;
  readonly moments: string;
  readonly callsMax: number;
  readonly seconds: number;
}

/** The calls that a subject requests at once. */
export interface Demand {
  readonly subject: Buffer;
  readonly calls: number;
}

/** The admitted calls of a subject. */
export interface Admission extends Record<string, unknown> {
  /** The subject in hex. */
  subject: string;
  admitted: number;
  /** The time until the next call is admitted; null while there is room. */
  waitMs: number | null;
  /** The calls that there is room for after these. */
  left: number;
  /** The time until the oldest call no longer counts. */
  oldestMs: number;
  /**
   * The time of the last call, in the database's notation: JavaScript's dates drop the
   * microseconds.
   */
  lastAt: string;
}

/**
 * Builds the statement that admits calls while there is room for them within any span of the
 * window's length. The limit holds for all instances, by the database's clock, and refused calls do
 * not count. Subjects are locked in one order, so that they cannot deadlock, and the clock is read
 * after a subject is locked.
 */
export function buildAdmission(window: SlidingWindow, demands: readonly Demand[]): SQL {
  const { callsMax } = window;
  const [table, subject, moments] = [window.table, window.subject, window.moments].map((name) =>
    sql.identifier(name),
  );
  const span = sql.raw(`interval '${window.seconds} s'`);
  const max = sql.raw(String(callsMax));
  return sql`
    insert into ${table} as w (${subject}, ${moments}, admitted, expires_at)
    select q.subject, array_fill(clock_timestamp(), array[q.calls]), q.calls, clock_timestamp() + ${span}
    from unnest(
      ${toArrayLiteral(demands.map((demand) => demand.subject))}::bytea[],
      ${toArrayLiteral(demands.map(({ calls }) => String(Math.min(calls, callsMax))))}::int[]
    ) as q(subject, calls)
    order by q.subject
    on conflict (${subject}) do update set (${moments}, admitted, expires_at) = (
      select recent.calls || array_fill(moment.now, array[room.calls]), room.calls,
        case when room.calls > 0 then moment.now + ${span} else w.expires_at end
      from (select clock_timestamp() as now) moment
      cross join lateral (
        select array(
          select c from unnest(w.${moments}) c where c > moment.now - ${span} order by c
        ) as calls
      ) recent
      cross join lateral (
        select least(excluded.admitted, ${max} - cardinality(recent.calls)) as calls
      ) room
    )
    returning encode(${subject}, 'hex') as subject, admitted,
      (extract(epoch from ${moments}[cardinality(${moments}) - ${max} + 1] + ${span}
        - clock_timestamp()) * 1000)::float8 as "waitMs",
      ${max} - cardinality(${moments}) as "left",
      (extract(epoch from ${moments}[1] + ${span} - clock_timestamp()) * 1000)::float8 as "oldestMs",
      ${moments}[cardinality(${moments})]::text as "lastAt"`;
}

/** Rounds a wait up to the seconds of a `Retry-After`. */
export function toRetryAfterSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000));
}
