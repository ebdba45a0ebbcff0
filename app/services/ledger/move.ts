import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { appendToLedger, type NewEvent } from "./append";
import { removeEntries } from "./entries";
import { readDatabaseClock } from "./write-ledger";

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

/**
 * Moves what linked wallets hold to their primary ones, once they are no longer blacklisted: a fixture file credits a
 * blacklisted wallet itself. The caller holds the ledger lock.
 * @throws {Failure} as `moveHoldings`
 */
export async function moveHoldingsOfLinked(
  tx: Transaction,
  pointSystemId: string,
  addresses: readonly Address[],
  operatorId: string,
): Promise<void> {
  const pairs = await tx.execute<WalletPair & Record<string, unknown>>(sql`
    select '0x' || encode(l.address, 'hex') as address, '0x' || encode(l.primary_address, 'hex') as "primaryAddress"
    from unnest(${toArrayLiteral(addresses.map(toBytea))}::bytea[]) as q(address)
    cross join lateral (
      select address, primary_address from wallet_links
      where point_system_id = ${pointSystemId}::uuid and address = q.address limit 1
    ) l
    cross join lateral (
      select from wallets where point_system_id = ${pointSystemId}::uuid and address = q.address limit 1
    ) w`);
  if (pairs.length === 0) return;
  const date = await readDatabaseClock(tx);
  for (const pair of pairs) await moveHoldings(tx, pointSystemId, pair, { date, operatorId });
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
