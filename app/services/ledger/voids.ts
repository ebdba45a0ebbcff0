import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { appendToLedger, type EventPlace } from "./append";
import type { OpenedEntry } from "./entries";
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
  /** The wallet that has its points now: another one after a move to a primary wallet. */
  readonly holder: Address;
  readonly points: number;
}

/** An event of an import, voided or not. */
interface ImportedEvent extends Omit<StandingEvent, "date"> {
  readonly dateMs: number;
  readonly isVoided: boolean;
}

/**
 * Voids an event by an opposite correction. Both stay in the ledger, the points and events of the wallet that has its
 * points now go down, and the API lists neither of them.
 * @returns the wallet that lost the points, and how many
 * @throws {Failure} `not_found`, `event_voided` when it was voided already, `event_is_move` for a move to a primary wallet,
 *   `points_are_spent`
 */
export async function voidEvent(
  member: Editor,
  { date, id }: EventPlace,
  note: string | null,
): Promise<{ address: Address; points: number }> {
  const { actor, pointSystemId } = member;
  return writeLedger(pointSystemId, async (tx) => {
    const [event] = await tx.execute<{
      address: Address;
      points: number;
      event: string | null;
      holder: Address;
      isMove: boolean;
      isVoided: boolean;
    }>(sql`
      select '0x' || encode(address, 'hex') as address, points::float8 as points, event,
        '0x' || encode(holder, 'hex') as holder, is_move as "isMove", is_voided as "isVoided"
      from find_standing_event(${pointSystemId}::uuid, ${date.toISOString()}::timestamptz, ${id}::uuid)`);
    if (!event) throw new Failure("not_found");
    if (event.isMove) throw new Failure("event_is_move");
    if (event.isVoided) throw new Failure("event_voided");
    const { address, points, holder } = event;
    const events = [{ date, id, address, holder, points }];
    await appendCorrections(tx, pointSystemId, { events }, { operatorId: actor.operatorId, note });
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "event.void",
      subject: id,
      before: { address, points, event: event.event },
      ...(note !== null && { after: { note } }),
    });
    return { address: holder, points };
  });
}

/**
 * Records a correction for each of these imported events that has none yet, and removes the entries that the events
 * opened and that have nothing left. The caller holds the ledger lock.
 * @throws {Failure} `import_archived` when some of them have left the ledger
 */
export async function voidImportedEvents(
  tx: Transaction,
  pointSystemId: string,
  eventIds: readonly string[],
  reason: VoidReason,
): Promise<void> {
  for await (const batch of toBatches(eventIds)) {
    const rows = await tx.execute<ImportedEvent & Record<string, unknown>>(sql`
      select id, '0x' || encode(address, 'hex') as address, '0x' || encode(holder, 'hex') as holder,
        points::float8 as points, (extract(epoch from created_at) * 1000)::float8 as "dateMs", is_voided as "isVoided"
      from list_hand_events(${pointSystemId}::uuid, ${toArrayLiteral(batch)}::uuid[])`);
    if (rows.length < batch.length) throw new Failure("import_archived");
    const events = rows.flatMap(({ dateMs, isVoided, ...event }) =>
      isVoided ? [] : { ...event, date: new Date(dateMs) },
    );
    const opened = rows.map(({ address, dateMs }) => ({ address, openedAt: new Date(dateMs) }));
    await appendCorrections(tx, pointSystemId, { events, opened }, reason);
  }
}

async function appendCorrections(
  tx: Transaction,
  pointSystemId: string,
  { events, opened = [] }: { events: readonly StandingEvent[]; opened?: readonly OpenedEntry[] },
  { operatorId, note, importId }: VoidReason,
): Promise<void> {
  const date = await readDatabaseClock(tx);
  const corrections = events.map(({ address, holder, points, ...voids }) => ({
    id: createEventId(),
    address: holder,
    namedAddress: holder === address ? undefined : address,
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
    opened,
  });
}
