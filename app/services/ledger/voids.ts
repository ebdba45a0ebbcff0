import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { parseUuid } from "../../domain/uuid";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";
import { appendToLedger } from "./append";
import { readDatabaseClock, writeLedger } from "./write-ledger";

/** The reason for voiding events, and the operator who does so. */
interface VoidReason {
  readonly operatorId: string;
  readonly note: string | null;
  readonly importId?: string;
}

/**
 * Voids an event by an opposite correction. Both stay in the ledger, the wallet's points and events
 * go down, and the API lists neither of them.
 * @param eventId the id as the browser sent it
 * @throws {Failure} `not_found`, `event_voided` when it was voided already
 */
export async function voidEvent(
  member: Member<"owner" | "editor">,
  eventId: string,
  note: string | null,
): Promise<{ address: Address; points: number }> {
  const { actor, pointSystemId } = member;
  const id = parseUuid(eventId);
  if (!id) throw new Failure("not_found");
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
      where e.point_system_id = ${pointSystemId} and e.id = ${id} and e.voids is null`);
    if (!event) throw new Failure("not_found");
    if (event.isVoided) throw new Failure("event_voided");
    await appendCorrections(tx, pointSystemId, [id], { operatorId: actor.operatorId, note });
    const { address, points } = event;
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
 * Records a correction for each of these events that has none yet. The caller holds the ledger
 * lock.
 * @param eventIds the ids of events of this point system that are not corrections
 * @returns the number of events that were voided
 */
export async function appendCorrections(
  tx: Transaction,
  pointSystemId: string,
  eventIds: readonly string[],
  { operatorId, note, importId }: VoidReason,
): Promise<number> {
  const date = await readDatabaseClock(tx);
  let corrections = 0;
  for (const batch of toBatches(eventIds)) {
    const rows = await tx.execute<{ id: string; address: Address; points: number }>(sql`
      select e.id, '0x' || encode(e.address, 'hex') as address, e.points::float8 as points
      from unnest(${toArrayLiteral(batch)}::uuid[]) as q(id)
      cross join lateral (
        select * from point_events where point_system_id = ${pointSystemId}::uuid and id = q.id limit 1
      ) e
      where e.voids is null and (
        select c.id from point_events c
        where c.point_system_id = ${pointSystemId}::uuid and c.voids = e.id limit 1
      ) is null`);
    const events = rows.map(({ id, address, points }) => ({
      id: createEventId(),
      address,
      points: -points,
      event: null,
      date,
      voids: id,
      operatorId,
      note,
      importId,
    }));
    await appendToLedger(tx, pointSystemId, { events, registered: [], registeredAt: date });
    corrections += events.length;
  }
  return corrections;
}
