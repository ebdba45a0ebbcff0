import { sql } from "drizzle-orm";
import { readForAll, runFor } from "../../db/citus/shard-query";
import { type Executor, withDatabase } from "../../db/client";
import { boardDays } from "../../db/schema/boards";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { RanksBefore } from "./rank-change";
import { boardOrder } from "./ranking";

/** The wallets of a board that are kept for a day: 20 kB. */
export const KEPT_WALLETS_MAX = 1_000;
/** How far back the all-time board tells a change of rank. */
const CHANGE_DAYS = 7;
const ADDRESS_BYTES = 20;
/** Point systems in one run: the job's other turns take what is left. */
const SYSTEMS_MAX = 100;

const today = sql`(clock_timestamp() at time zone 'UTC')::date`;
/** The day whose beginning is compared with the present. */
const changesSince = sql`(${today} - ${CHANGE_DAYS}::int)`;

/**
 * Keeps the first wallets of each all-time board, once a day. It removes the days that are too old to be compared with.
 * @param report takes the error of one point system. The others go on
 * @returns whether there may be more to do at once
 */
export async function keepBoardDays(report: (error: unknown) => void): Promise<boolean> {
  const due = await withDatabase((db) =>
    readForAll<{ id: string }>(
      db,
      sql`
      select p.id from point_systems p
      where p.deleted_at is null and not exists (
        select 1 from ${boardDays} d where d.point_system_id = p.id and d.day = ${today}
      ) order by random() limit ${SYSTEMS_MAX}`,
    ),
  );
  let kept = 0;
  for (const { id } of due) {
    try {
      await keepBoardDay(id);
      kept += 1;
    } catch (error) {
      report(error);
    }
  }
  return kept > 0 && due.length === SYSTEMS_MAX;
}

async function keepBoardDay(pointSystemId: string): Promise<void> {
  await withDatabase((db) =>
    runFor(
      db,
      pointSystemId,
      sql`
      with removed as (
        delete from ${boardDays} d where d.point_system_id = ${pointSystemId}::uuid and d.day < (
          select max(k.day) from ${boardDays} k
          where k.point_system_id = ${pointSystemId}::uuid and k.day <= ${changesSince}
        )
      )
      insert into ${boardDays} (point_system_id, day, addresses)
      select ${pointSystemId}::uuid, ${today}, coalesce(string_agg(first.address, '' order by first.place), '')
      from (
        select address, row_number() over (order by ${sql.join([...boardOrder], sql`, `)}) as place
        from ${wallets}
        where point_system_id = ${pointSystemId}::uuid and not is_blacklisted
        order by ${sql.join([...boardOrder], sql`, `)} limit ${KEPT_WALLETS_MAX}
      ) first
      on conflict do nothing`,
    ),
  );
}

/**
 * Keeps the board of a week ago, by the dates of the events, where no day is kept yet. A loaded history has a change of
 * rank at once by it.
 */
export async function keepPastBoardDay(executor: Executor, pointSystemId: string): Promise<void> {
  const place = sql`order by sum(e.points) desc, e.address`;
  await executor.execute(sql`
    insert into ${boardDays} (point_system_id, day, addresses)
    select ${pointSystemId}::uuid, ${changesSince}, string_agg(first.address, '' order by first.place)
    from (
      select e.address, row_number() over (${place}) as place from point_events e
      where e.point_system_id = ${pointSystemId}::uuid
        and e.created_at < ${changesSince}::timestamp at time zone 'UTC'
        and not exists (
          select 1 from blacklist b where b.point_system_id = ${pointSystemId}::uuid and b.address = e.address
        )
      group by e.address having sum(e.points) > 0 ${place} limit ${KEPT_WALLETS_MAX}
    ) first
    where not exists (select 1 from ${boardDays} d where d.point_system_id = ${pointSystemId}::uuid)
    having count(*) > 0`);
}

/**
 * Finds where wallets stood on the all-time board a week ago, as far as it was kept.
 * @returns null when no day so old was kept, or when that day has 1,000 wallets and none of these
 */
export async function findRanksAWeekAgo(
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<RanksBefore | null> {
  const [kept] = await withDatabase((db) =>
    db
      .select({ day: boardDays.day, addresses: boardDays.addresses })
      .from(boardDays)
      .where(
        sql`${boardDays.pointSystemId} = ${pointSystemId}::uuid and ${boardDays.day} <= ${changesSince}`,
      )
      .orderBy(sql`${boardDays.day} desc`)
      .limit(1),
  );
  if (!kept) return null;
  const places = readPlaces(kept.addresses);
  const ranks = Object.fromEntries(
    addresses.flatMap((address) => {
      const rank = places.get(address);
      return rank === undefined ? [] : [[address, rank]];
    }),
  );
  const isComplete = places.size < KEPT_WALLETS_MAX;
  return isComplete || Object.keys(ranks).length > 0
    ? { label: kept.day, ranks, isComplete }
    : null;
}

function readPlaces(addresses: Uint8Array): ReadonlyMap<string, number> {
  const hex = Buffer.from(addresses).toString("hex");
  const length = ADDRESS_BYTES * 2;
  return new Map(
    Array.from({ length: hex.length / length }, (_, i) => [
      `0x${hex.slice(i * length, (i + 1) * length)}`,
      i + 1,
    ]),
  );
}
