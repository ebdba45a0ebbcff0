import { eq } from "drizzle-orm";
import { withDatabase } from "../../app/db/client";
import { pointEvents } from "../../app/db/schema/ledger";
import { createEventId } from "../../app/domain/ledger/event-id";
import type { Editor } from "../../app/services/access/members";
import { appendToLedger, type NewEvent } from "../../app/services/ledger/append";
import { voidEvent } from "../../app/services/ledger/voids";
import { writeLedger } from "../../app/services/ledger/write-ledger";

/** Voids the event with this id. */
export async function voidById(member: Editor, id: string, note: string | null = null) {
  const [event] = await withDatabase((db) =>
    db
      .select({ date: pointEvents.createdAt, id: pointEvents.id })
      .from(pointEvents)
      .where(eq(pointEvents.id, id)),
  );
  return voidEvent(member, event ?? { date: new Date(), id }, note);
}

/** Records events with the given dates, and returns their ids. */
export async function record(
  pointSystemId: string,
  events: Omit<NewEvent, "id">[],
): Promise<string[]> {
  const added = events.map((event) => ({ id: createEventId(), ...event }));
  await writeLedger(pointSystemId, (tx) =>
    appendToLedger(tx, pointSystemId, {
      events: added,
      registered: [],
      registeredAt: new Date(),
    }),
  );
  return added.map(({ id }) => id);
}
