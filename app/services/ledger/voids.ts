import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";
import { appendToLedger, type EventPlace } from "./append";
import { moveOnBoards } from "./rank-moves";
import { readDatabaseClock, writeLedger } from "./write-ledger";

/** The reason for voiding events, and the operator who does so. */
interface VoidReason {
  readonly operatorId: string;
  readonly note: string | null;
  readonly importId?: string;
}

/** An event that has no correction yet. */
interface StandingEvent extends EventPlace {
  readonly address: Address;
  readonly points: number;
}

/**
 * Voids an event by an opposite correction. Both stay in the ledger, the wallet's points and events
 * go down, and the API lists neither of them.
 * @throws {Failure} `not_found`, `event_voided` when it was voided already
 */
export async function voidEvent(
  member: Member<"owner" | "editor">,
  { date, id }: EventPlace,
  note: string | null,
): Promise<{ address: Address; points: number }> {
  const { actor, pointSystemId } = member;
  return writeLedger(pointSystemId, async (tx) => {
    const [event] = await tx.execute<{
      address: Address;
      points: number;
      event: string | null;
      isVoided: boolean;
    }>(sql`
      select '0x' || encode(e.address, 'hex') as address, e.points::float8 as points, e.event,
        c.id is not null as "isVoided"
      from point_events e
      left join lateral (
        select id from point_events where point_system_id = e.point_system_id and voids = e.id limit 1
      ) c on true
      where e.point_system_id = ${pointSystemId} and e.created_at = ${date.toISOString()} and e.id = ${id}
        and e.voids is null`);
    if (!event) throw new Failure("not_found");
    if (event.isVoided) throw new Failure("event_voided");
    const { address, points } = event;
    await appendCorrections(tx, pointSystemId, [{ date, id, address, points }], {
      operatorId: actor.operatorId,
      note,
    });
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "event.void",
      subject: id,
      before: { address, points, event: event.event },
      ...(note !== null && { after: { note } }),
    });
    return { address, points };
  });
}

/**
 * Records a correction for each of these imported events that has none yet, and removes the entries that the events
 * opened and that have nothing left. The caller holds the ledger lock.
 */
export async function voidImportedEvents(
  tx: Transaction,
  pointSystemId: string,
  eventIds: readonly string[],
  reason: VoidReason,
): Promise<void> {
  for (const batch of toBatches(eventIds)) {
    const rows = await tx.execute<{
      id: string;
      dateMs: number;
      address: Address;
      points: number;
    }>(sql`
      select e.id, (extract(epoch from e.created_at) * 1000)::float8 as "dateMs",
        '0x' || encode(e.address, 'hex') as address, e.points::float8 as points
      from unnest(${toArrayLiteral(batch)}::uuid[]) as q(id)
      cross join lateral (
        select * from point_events
        where point_system_id = ${pointSystemId}::uuid and id = q.id and api_key_id is null limit 1
      ) e
      where (
        select c.id from point_events c
        where c.point_system_id = ${pointSystemId}::uuid and c.voids = e.id limit 1
      ) is null`);
    const events = rows.map(({ dateMs, ...event }) => ({ ...event, date: new Date(dateMs) }));
    await appendCorrections(tx, pointSystemId, events, reason);
    await removeOpenedEntries(tx, pointSystemId, batch);
  }
}

/**
 * Removes the entries of wallets that these imported events opened, as far as no points and no events are left. An entry
 * that was opened otherwise has another time: a wallet that was registered before keeps it. So does one that was
 * credited through the API since, for the limit of its calls.
 */
async function removeOpenedEntries(
  tx: Transaction,
  pointSystemId: string,
  eventIds: readonly string[],
): Promise<void> {
  const opened = await tx.execute<{ address: Address }>(sql`
    select '0x' || encode(w.address, 'hex') as address
    from unnest(${toArrayLiteral(eventIds)}::uuid[]) as q(id)
    cross join lateral (
      select address, created_at from point_events
      where point_system_id = ${pointSystemId}::uuid and id = q.id and api_key_id is null limit 1
    ) e
    cross join lateral (
      select * from wallets
      where point_system_id = ${pointSystemId}::uuid and address = e.address limit 1
    ) w
    where w.points = 0 and w.events = 0 and w.created_at = e.created_at and w.last_credit_at <= e.created_at`);
  const addresses = opened.map(({ address }) => address);
  if (addresses.length === 0) return;
  await moveOnBoards(tx, [pointSystemId], addresses, () =>
    tx.execute(sql`
      with removed as (
        delete from wallets w using unnest(${toArrayLiteral(addresses.map(toBytea))}::bytea[]) as q(address)
        where w.point_system_id = ${pointSystemId}::uuid and w.address = q.address
        returning w.is_blacklisted
      )
      update point_system_totals
      set wallets = wallets - (select count(*) from removed),
        blacklisted_wallets = blacklisted_wallets - (select count(*) from removed where is_blacklisted)
      where point_system_id = ${pointSystemId}`),
  );
}

async function appendCorrections(
  tx: Transaction,
  pointSystemId: string,
  events: readonly StandingEvent[],
  { operatorId, note, importId }: VoidReason,
): Promise<void> {
  const date = await readDatabaseClock(tx);
  const corrections = events.map(({ address, points, ...voids }) => ({
    id: createEventId(),
    address,
    points: -points,
    event: null,
    date,
    voids,
    operatorId,
    note,
    importId,
  }));
  await appendToLedger(tx, pointSystemId, {
    events: corrections,
    registered: [],
    registeredAt: date,
  });
}
