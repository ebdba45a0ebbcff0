import { sql } from "drizzle-orm";
import type { Transaction } from "../db/client";
import { blacklist } from "../db/schema/ledger";
import type { Address } from "../domain/address";
import { createEventId } from "../domain/event-id";
import { Failure } from "../domain/failure";
import { appendToLedger } from "./ledger-append";
import { readDatabaseClock } from "./ledger-transaction";

/** A credit that an operator makes, not a call of the API. */
interface HandCredit {
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  /** The trigger key, or null for a grant. */
  readonly event: string | null;
  readonly operatorId?: string;
  readonly note?: string | null;
}

/**
 * Credits points as an event of now, by the rules that a call of the API is held to. The caller
 * holds the ledger lock.
 * @returns the event's id
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`
 */
export async function creditByHand(
  tx: Transaction,
  pointSystemId: string,
  credit: HandCredit,
): Promise<string> {
  const [banned] = await tx
    .select({ address: blacklist.address })
    .from(blacklist)
    .where(
      sql`${blacklist.pointSystemId} = ${pointSystemId}
        and ${blacklist.address} = ${sql.param(credit.address, blacklist.address)}`,
    );
  if (banned) throw new Failure("wallet_blacklisted", { field: "address" });
  const id = createEventId();
  const date = await readDatabaseClock(tx);
  const excessive = await appendToLedger(tx, pointSystemId, {
    events: [{ id, date, ...credit }],
    registered: [],
    registeredAt: date,
  });
  if (excessive.length > 0) throw new Failure("points_limit_reached", { field: "points" });
  return id;
}
