import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { pointEvents } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { appendToLedger } from "./append";
import { findBlacklisted } from "./blacklist-look-up";
import { readDatabaseClock } from "./write-ledger";

/** A credit by an operator instead of a call of the API. */
interface HandCredit {
  /** The event's id. A form has one, so that it credits once however often it is sent. */
  readonly id: string;
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  /** The trigger key; null for a grant. */
  readonly event: string | null;
  readonly operatorId: string;
  readonly note: string | null;
}

/**
 * Credits points as a new event, by the same rules as a call of the API. The caller holds the
 * ledger lock.
 * @returns false when the same credit is there already; then nothing is written
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`, `form_already_sent` when an event
 *   with this id has other values
 */
export async function creditByHand(
  tx: Transaction,
  pointSystemId: string,
  credit: HandCredit,
): Promise<boolean> {
  if (await isCredited(tx, pointSystemId, credit)) return false;
  const banned = await findBlacklisted(tx, pointSystemId, [credit.address]);
  if (banned.size > 0) throw new Failure("wallet_blacklisted", { field: "address" });
  const date = await readDatabaseClock(tx);
  const excessive = await appendToLedger(tx, pointSystemId, {
    events: [{ date, ...credit }],
    registered: [],
    registeredAt: date,
  });
  if (excessive.length > 0) throw new Failure("points_limit_reached", { field: "points" });
  return true;
}

async function isCredited(
  tx: Transaction,
  pointSystemId: string,
  { id, address, points, event, operatorId, note }: HandCredit,
): Promise<boolean> {
  const [found] = await tx.execute<{ isSame: boolean }>(sql`
    select (address, points, event, operator_id, note) is not distinct from
      (${sql.param(address, pointEvents.address)}, ${points}::bigint, ${event}::text, ${operatorId}::uuid, ${note}::text)
      as "isSame"
    from point_events
    where point_system_id = ${pointSystemId} and id = ${id} and api_key_id is null`);
  if (found && !found.isSame) throw new Failure("form_already_sent");
  return found !== undefined;
}
