import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { pointEvents } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { type AppliedBoost, toAppliedBoost } from "../../domain/point-systems/boost";
import { appendToLedger } from "./append";
import { findBlacklisted } from "./blacklist-look-up";
import { readDatabaseClock } from "./write-ledger";

/** A credit by an operator instead of a call of the API. */
interface HandCredit {
  /** The event's id. A form has one, so that it credits once however often it is sent. */
  readonly id: string;
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`, before a boost. */
  readonly points: number;
  /** The trigger key; null for a grant. */
  readonly event: string | null;
  readonly operatorId: string;
  readonly note: string | null;
  /** Whether boosts count, as in a call of the API. */
  readonly isBoosted?: true;
}

/**
 * Credits points as a new event, by the same rules as a call of the API. The caller holds the
 * ledger lock.
 * @returns the points that it added, and whether it is new: when the same credit is there already, nothing is written
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`, `form_already_sent` when an event
 *   with this id has other values
 */
export async function creditByHand(
  tx: Transaction,
  pointSystemId: string,
  { isBoosted, ...credit }: HandCredit,
): Promise<{ points: number; isNew: boolean }> {
  const credited = await findCredited(tx, pointSystemId, credit);
  if (credited !== null) return { points: credited, isNew: false };
  const banned = await findBlacklisted(tx, pointSystemId, [credit.address]);
  if (banned.size > 0) throw new Failure("wallet_blacklisted", { field: "address" });
  const date = await readDatabaseClock(tx);
  const made = isBoosted ? await boost(tx, pointSystemId, credit, date) : { points: credit.points };
  const excessive = await appendToLedger(tx, pointSystemId, {
    events: [{ date, ...credit, ...made }],
    registered: [],
    registeredAt: date,
  });
  if (excessive.length > 0) throw new Failure("points_limit_reached", { field: "points" });
  return { points: made.points, isNew: true };
}

/** Applies the boost that is under way for a credit's trigger and wallet, if there is one. */
async function boost(
  tx: Transaction,
  pointSystemId: string,
  { address, points: basePoints, event }: HandCredit,
  date: Date,
): Promise<{ points: number; boost: AppliedBoost | null }> {
  const [row] = await tx.execute<{ points: number; factor: number | null }>(sql`
    select f.factor::float8 as factor, boost_points(${basePoints}::bigint, f.factor)::float8 as points
    from (
      select (find_boost_factors(
        ${pointSystemId}::uuid, array[${event}::text], 
        array[find_primary(${pointSystemId}::uuid, ${sql.param(address, pointEvents.address)}::bytea)],
        ${date.toISOString()}::timestamptz
      ))[1] as factor
    ) f`);
  const { points = basePoints, factor = null } = row ?? {};
  return { points, boost: toAppliedBoost(basePoints, factor) };
}

/** Finds the points of an event that is there already; null without one. */
async function findCredited(
  tx: Transaction,
  pointSystemId: string,
  { id, address, points, event, operatorId, note }: HandCredit,
): Promise<number | null> {
  const [found] = await tx.execute<{ points: number; isSame: boolean }>(sql`
    select points::float8 as points,
      (coalesce(named_address, address), coalesce(base_points, points), event, operator_id, note) is not distinct from
      (${sql.param(address, pointEvents.address)}, ${points}::bigint, ${event}::text, ${operatorId}::uuid, ${note}::text)
      as "isSame"
    from point_events
    where point_system_id = ${pointSystemId} and id = ${id} and api_key_id is null`);
  if (found && !found.isSame) throw new Failure("form_already_sent");
  return found?.points ?? null;
}
