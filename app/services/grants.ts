import { sql } from "drizzle-orm";
import { blacklist } from "../db/schema/ledger";
import type { Address } from "../domain/address";
import { createEventId } from "../domain/event-id";
import { Failure } from "../domain/failure";
import { recordAudit } from "./audit-log";
import { appendToLedger } from "./ledger-append";
import { readDatabaseClock, writeLedger } from "./ledger-transaction";
import type { Member } from "./members";

/** Points that an operator credits by hand. */
export interface Grant {
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  /** What for; operators see it, the API does not. */
  readonly note: string | null;
}

/**
 * Credits points by hand: an event without a trigger key.
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`
 */
export function grantPoints(
  { actor, pointSystemId }: Member<"owner" | "editor">,
  { address, points, note }: Grant,
): Promise<void> {
  return writeLedger(pointSystemId, async (tx) => {
    const [banned] = await tx
      .select({ address: blacklist.address })
      .from(blacklist)
      .where(
        sql`${blacklist.pointSystemId} = ${pointSystemId}
          and ${blacklist.address} = ${sql.param(address, blacklist.address)}`,
      );
    if (banned) throw new Failure("wallet_blacklisted");
    const date = await readDatabaseClock(tx);
    const { operatorId } = actor;
    const excessive = await appendToLedger(tx, pointSystemId, {
      events: [{ id: createEventId(), address, points, event: null, date, operatorId, note }],
      registered: [],
      registeredAt: date,
    });
    if (excessive.length > 0) throw new Failure("points_limit_reached", { field: "points" });
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "wallet.grant",
      subject: address,
      after: { points, ...(note !== null && { note }) },
    });
  });
}
