import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { appendToLedger, type NewEvent } from "../ledger/append";
import { removeEntries } from "../ledger/entries";

/** A wallet, and the one to which its points go. */
export interface WalletPair {
  readonly address: Address;
  readonly primaryAddress: Address;
}

/** The entry that a wallet had before it was linked. */
export interface FormerEntry {
  readonly points: number;
  readonly events: number;
  readonly createdAtMs: number;
  readonly lastCreditAtMs: number;
}

/**
 * Moves all that a wallet holds to its primary one, in the transaction that links them, and gives the primary one an
 * entry. What it has spent moves first. The caller holds the ledger lock.
 * @returns the entry that the wallet had; null for none
 * @throws {Failure} `points_limit_reached` when the primary wallet would have too many
 */
export async function moveHoldings(
  tx: Transaction,
  pointSystemId: string,
  pair: WalletPair,
  { date, operatorId }: { readonly date: Date; readonly operatorId: string | null },
): Promise<FormerEntry | null> {
  const { address, primaryAddress } = pair;
  const [entry] = await tx.execute<{ [Key in keyof FormerEntry]: FormerEntry[Key] }>(sql`
    select points::float8 as points, events::float8 as events,
      (extract(epoch from created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from last_credit_at) * 1000)::float8 as "lastCreditAtMs"
    from wallets where point_system_id = ${pointSystemId} and address = ${sql.param(address, wallets.address)}`);
  await tx.execute(sql`
    select move_spending(
      ${pointSystemId}::uuid, ${sql.param(address, wallets.address)}::bytea,
      ${sql.param(primaryAddress, wallets.address)}::bytea
    )`);
  const excessive = await appendToLedger(tx, pointSystemId, {
    events: entry ? createMove(pair, entry, date, operatorId) : [],
    registered: [primaryAddress],
    registeredAt: date,
  });
  if (excessive.length > 0) throw new Failure("points_limit_reached");
  if (entry) await removeEntries(tx, pointSystemId, [address]);
  return entry ?? null;
}

/** Makes the two events of a move: the second one gives the primary wallet what the first one takes. */
function createMove(
  { address, primaryAddress }: WalletPair,
  { points, events }: FormerEntry,
  date: Date,
  operatorId: string | null,
): NewEvent[] {
  if (points === 0) return [];
  const id = createEventId();
  const shared = { event: null, date, ...(operatorId !== null && { operatorId }) };
  return [
    {
      ...shared,
      id,
      address,
      namedAddress: primaryAddress,
      points: -points,
      movedEvents: -events,
    },
    {
      ...shared,
      id: createEventId(),
      address: primaryAddress,
      namedAddress: address,
      points,
      movedEvents: events,
      voids: { date, id },
    },
  ];
}
