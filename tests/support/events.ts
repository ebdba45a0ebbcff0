import { createEventId } from "../../app/domain/ledger/event-id";
import { appendToLedger, type NewEvent } from "../../app/services/ledger/append";
import { writeLedger } from "../../app/services/ledger/write-ledger";

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
