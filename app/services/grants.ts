import { sql } from "drizzle-orm";
import { blacklist } from "../db/schema/ledger";
import type { Address } from "../domain/address";
import { createEventId } from "../domain/event-id";
import { Failure } from "../domain/failure";
import { appendToLedger } from "./ledger-append";
import { readDatabaseClock, writeLedger } from "./ledger-transaction";

/**
 * Credits points by hand: an event without a trigger key.
 * @param points whole points, 1 to `CREDIT_POINTS_MAX`
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`
 */
export function grantPoints(
  pointSystemId: string,
  address: Address,
  points: number,
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
    const excessive = await appendToLedger(tx, pointSystemId, {
      events: [{ id: createEventId(), address, points, event: null, date }],
      registered: [],
      registeredAt: date,
    });
    if (excessive.length > 0) throw new Failure("points_limit_reached");
  });
}
