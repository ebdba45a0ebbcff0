import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { pointEvents } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { Member } from "../access/members";

/** The points of a day in UTC, without voided events. */
export interface WalletDay {
  /** The day, such as `2026-01-31`. */
  readonly day: string;
  readonly value: number;
}

/** The days of a wallet's chart, today among them. */
const WALLET_DAYS = 30;
/** The most events that are read for the chart: some 50 ms of work. */
const EVENTS_MAX = 10_000;

/**
 * Adds up a wallet's points of the last days, the oldest day first.
 * @returns null when the wallet has too many events in these days to be added up for a page
 */
export async function listWalletDays(
  { pointSystemId }: Member,
  address: Address,
): Promise<readonly WalletDay[] | null> {
  const days = await withDatabase((db) =>
    db.execute<{ day: string; value: number; events: number }>(sql`
      with range as materialized (
        select (clock_timestamp() at time zone 'UTC')::date - ${WALLET_DAYS - 1}::int as first_day
      ), sums as materialized (
        select (e.created_at at time zone 'UTC')::date as day, sum(e.points) as points, count(*) as events
        from range r, list_events(
          ${pointSystemId}, ${sql.param(address, pointEvents.address)}, 'infinity',
          '00000000-0000-0000-0000-000000000000', r.first_day::timestamp at time zone 'UTC', false,
          false, 0, ${EVENTS_MAX + 1}
        ) e
        group by 1
      )
      select to_char(r.first_day + i, 'YYYY-MM-DD') as day, coalesce(s.points, 0)::float8 as value,
        coalesce(s.events, 0)::float8 as events
      from range r cross join generate_series(0, ${WALLET_DAYS - 1}::int) as i
      left join sums s on s.day = r.first_day + i
      order by i`),
  );
  const events = days.reduce((sum, day) => sum + day.events, 0);
  return events > EVENTS_MAX ? null : days.map(({ day, value }) => ({ day, value }));
}
