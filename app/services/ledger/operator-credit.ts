import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { appendToLedger } from "./append";
import { findBlacklisted } from "./blacklist-look-up";
import { readDatabaseClock } from "./write-ledger";

/** A credit by an operator instead of a call of the API. */
interface HandCredit {
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  /** The trigger key; null for a grant. */
  readonly event: string | null;
  readonly operatorId?: string;
  readonly note?: string | null;
}

/**
 * Credits points as a new event, by the same rules as a call of the API. The caller holds the
 * ledger lock.
 * @returns the event's id
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`
 */
export async function creditByHand(
  tx: Transaction,
  pointSystemId: string,
  credit: HandCredit,
): Promise<string> {
  const banned = await findBlacklisted(tx, pointSystemId, [credit.address]);
  if (banned.size > 0) throw new Failure("wallet_blacklisted", { field: "address" });
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
