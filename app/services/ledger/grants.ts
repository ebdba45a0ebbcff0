import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId, readCreationTime } from "../../domain/ledger/event-id";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { creditByHand } from "./operator-credit";
import { writeLedger } from "./write-ledger";

/** Points that an operator credits. */
export interface Grant {
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  /** The reason; operators see it, the API does not return it. */
  readonly note: string | null;
  /** The token of the form, which grants once; a new one when left out. */
  readonly token?: string;
}

/**
 * Credits an operator's grant: an event without a trigger key.
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`, `form_already_sent`
 */
export function grantPoints(
  { actor, pointSystemId }: Editor,
  { address, points, note, token = createEventId() }: Grant,
): Promise<void> {
  return writeLedger(pointSystemId, async (tx) => {
    const { operatorId } = actor;
    const credit = { id: token, address, points, event: null, operatorId, note };
    const { isNew } = await creditByHand(tx, pointSystemId, credit);
    if (!isNew) return;
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "wallet.grant",
      subject: address,
      after: { points, ...(note !== null && { note }) },
    });
  });
}

/**
 * Refuses the id of a credit through the API for a grant: a void of one would take both out of what is listed. An id
 * of such a credit has its time in it, up to its wait for the database and the difference of two clocks; without that
 * time, no index finds it.
 * @throws {Failure} `form_already_sent`
 */
export async function refuseCreditsId(pointSystemId: string, id: string): Promise<void> {
  const time = readCreationTime(id)?.toISOString();
  if (time === undefined) return;
  const found = await withDatabase((db) =>
    db.execute(sql`
      select from point_events
      where point_system_id = ${pointSystemId} and id = ${id} and api_key_id is not null
        and created_at between ${time}::timestamptz - interval '1 minute'
          and ${time}::timestamptz + interval '1 minute'
      limit 1`),
  );
  if (found.length > 0) throw new Failure("form_already_sent");
}
