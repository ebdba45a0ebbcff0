import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import { type Transaction, withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";
import { createEventId } from "../../domain/ledger/event-id";
import type { BonusState } from "../../domain/progress/streak";
import { appendToLedger, type NewEvent } from "../ledger/append";
import { findBlacklisted } from "../ledger/blacklist-look-up";
import { readDatabaseClock, writeLedger } from "../ledger/write-ledger";

/** Bonuses that are paid in one transaction, while credits of the point system wait. */
const PAID_AT_ONCE_MAX = 200;

/** A bonus that is due, with what its trigger credits now. */
interface DueBonus {
  readonly streakId: string;
  readonly streak: string;
  readonly address: Address;
  readonly days: number;
  readonly reachedOn: string;
  readonly triggerKey: string;
  /** Null when the trigger is inactive or was deleted. */
  readonly points: number | null;
}

/** A bonus that was due, with its new state. */
type Outcome = DueBonus & { readonly state: BonusState; readonly eventId: string | null };

/**
 * Pays the next bonuses that are due, in the order in which they were reached: the credits and their marks are one
 * transaction under the ledger lock, so each is paid once. One that cannot be paid is marked with the reason, for good.
 * @returns whether there may be more
 */
export async function payBonuses(pointSystemId: string): Promise<boolean> {
  // Without the lock first: most folds reach none.
  const [waiting] = await withDatabase((db) =>
    db.execute(sql`
      select from streak_bonuses where point_system_id = ${pointSystemId} and state = 'due' limit 1`),
  );
  if (!waiting) return false;
  return writeLedger(pointSystemId, async (tx) => {
    const due = await listDue(tx, pointSystemId);
    const addresses = [...new Set(due.map(({ address }) => address))];
    const banned = await findBlacklisted(tx, pointSystemId, addresses);
    const refused = new Map<DueBonus, BonusState>();
    for (const bonus of due) {
      if (bonus.points === null) refused.set(bonus, "trigger_gone");
      else if (banned.has(bonus.address)) refused.set(bonus, "blacklisted");
    }
    const date = await readDatabaseClock(tx);
    const events = due
      .filter((bonus) => !refused.has(bonus))
      .map((bonus) => ({ ...toEvent(bonus, date), bonus }));
    const credited = await credit(tx, pointSystemId, events, date);
    const eventIds = new Map(credited.map(({ bonus, id }) => [bonus, id]));
    await mark(
      tx,
      pointSystemId,
      due.map((bonus) => {
        const eventId = eventIds.get(bonus) ?? null;
        const state = eventId ? "paid" : (refused.get(bonus) ?? "limit_reached");
        return { ...bonus, eventId, state };
      }),
    );
    return due.length === PAID_AT_ONCE_MAX;
  });
}

/** Lists bonuses that are due. The caller holds the ledger lock, so no one else pays them. */
function listDue(tx: Transaction, pointSystemId: string): Promise<DueBonus[]> {
  return tx.execute<{ [Key in keyof DueBonus]: DueBonus[Key] }>(sql`
    select b.streak_id as "streakId", s.name as streak, '0x' || encode(b.address, 'hex') as address, b.days,
      b.reached_on::text as "reachedOn", b.trigger_key as "triggerKey", t.points::float8 as points
    from streak_bonuses b
    join streaks s on s.point_system_id = b.point_system_id and s.id = b.streak_id
    left join triggers t on t.point_system_id = b.point_system_id and t.key = b.trigger_key and t.is_active
    where b.point_system_id = ${pointSystemId} and b.state = 'due'
    order by b.seq, b.days limit ${PAID_AT_ONCE_MAX}`);
}

function toEvent({ streak, days, address, points, triggerKey }: DueBonus, date: Date): NewEvent {
  const note = `Streak bonus: ${streak}, ${days} days in a row`;
  return { id: createEventId(), address, points: points ?? 0, event: triggerKey, date, note };
}

/**
 * Credits the events, without those that would raise a wallet above its maximum.
 * @returns the events that were credited
 */
async function credit<Event extends NewEvent>(
  tx: Transaction,
  pointSystemId: string,
  events: readonly Event[],
  date: Date,
): Promise<readonly Event[]> {
  if (events.length === 0) return [];
  const addition = { events, registered: [], registeredAt: date };
  const excessive = new Set(await appendToLedger(tx, pointSystemId, addition));
  if (excessive.size === 0) return events;
  const fitting = events.filter((event) => !excessive.has(event));
  return credit(tx, pointSystemId, fitting, date);
}

async function mark(
  tx: Transaction,
  pointSystemId: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  await tx.execute(sql`
    select settle_bonuses(
      ${pointSystemId}::uuid,
      ${toArrayLiteral(outcomes.map(({ streakId }) => streakId))}::uuid[],
      ${toArrayLiteral(outcomes.map(({ address }) => toBytea(address)))}::bytea[],
      ${toArrayLiteral(outcomes.map(({ days }) => String(days)))}::int[],
      ${toArrayLiteral(outcomes.map(({ reachedOn }) => reachedOn))}::date[],
      ${toArrayLiteral(outcomes.map(({ state }) => state))}::text[],
      ${toArrayLiteral(outcomes.map(({ eventId }) => eventId))}::uuid[]
    )`);
}
