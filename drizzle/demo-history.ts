import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../app/db/array-literal";
import { withDatabase } from "../app/db/client";
import type { Address } from "../app/domain/address";
import { createEventId } from "../app/domain/ledger/event-id";
import { appendToLedger } from "../app/services/ledger/append";
import { writeLedger } from "../app/services/ledger/write-ledger";
import { DEMO } from "./demo-fixture.mjs";

// What a program looks like after some weeks, and no fixture file can say: boosted credits and refused calls of the past.

const WEEK_MS = 7 * 86_400_000;
const WEEKS = 8;
const FACTOR = 2;
const QUEST_POINTS = 60;

/** Adds the demo's past to its point system, once. */
export async function addDemoHistory(now: number): Promise<void> {
  const weeks = Array.from({ length: WEEKS }, (_, i) => new Date(now - (i + 0.4) * WEEK_MS));
  const wallets = await listLeaders(3 * WEEKS);
  await writeLedger(DEMO.pointSystemId, async (tx) => {
    await appendToLedger(tx, DEMO.pointSystemId, {
      events: wallets.map((address, i) => ({
        ...{
          id: createEventId(),
          address,
          points: QUEST_POINTS * FACTOR,
          event: "quest_completed",
        },
        // More from week to week.
        date: weeks[WEEKS - 1 - Math.floor(Math.sqrt(2.7 * i))] ?? new Date(now),
        boost: { basePoints: QUEST_POINTS, factor: FACTOR },
      })),
      registered: [],
      registeredAt: new Date(now),
    });
  });
  await withDatabase((db) =>
    db.execute(sql`
      insert into daily_totals (point_system_id, day, capped_calls)
      select ${DEMO.pointSystemId}, (week at time zone 'UTC')::date, 9 + 7 * (i % 5)
      from unnest(${toArrayLiteral(weeks.map((week) => week.toISOString()))}::timestamptz[]) with ordinality q(week, i)
      on conflict (point_system_id, day) do update
        set capped_calls = daily_totals.capped_calls + excluded.capped_calls`),
  );
}

async function listLeaders(count: number): Promise<Address[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ address: Address }>(sql`
      select '0x' || encode(address, 'hex') as address from wallets
      where point_system_id = ${DEMO.pointSystemId} and not is_blacklisted order by points desc, address limit ${count}`),
  );
  return rows.map(({ address }) => address);
}
