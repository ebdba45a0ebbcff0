import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { appendToLedger, findWalletPoints, markWallets, type NewEvent } from "./append";
import { findBlacklisted } from "./blacklist-look-up";
import { removeEntries } from "./entries";
import { findPrimaries } from "./primaries";
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

/** The time of moves, and the operator who made them; null for the holder. */
interface MoveTerms {
  readonly date: Date;
  readonly operatorId: string | null;
}

/**
 * Moves all that wallets hold to their primary ones, in the transaction that links them, and gives the primary ones
 * entries. What they have spent moves first. The caller holds the ledger lock.
 * @returns the entries that the wallets had
 * @throws {Failure} `points_limit_reached` when a primary wallet would have too many
 */
export async function moveHoldings(
  tx: Transaction,
  pointSystemId: string,
  pairs: readonly WalletPair[],
  terms: MoveTerms,
): Promise<Map<Address, FormerEntry>> {
  const addresses = toArrayLiteral(pairs.map(({ address }) => toBytea(address)));
  const rows = await tx.execute<
    { [Key in keyof FormerEntry]: FormerEntry[Key] } & { address: Address }
  >(sql`
    select '0x' || encode(w.address, 'hex') as address, w.points::float8 as points, w.events::float8 as events,
      (extract(epoch from w.created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from w.last_credit_at) * 1000)::float8 as "lastCreditAtMs"
    from unnest(${addresses}::bytea[]) as q(address)
    cross join lateral (
      select * from wallets where point_system_id = ${pointSystemId}::uuid and address = q.address limit 1
    ) w`);
  const entries = new Map(rows.map(({ address, ...entry }) => [address, entry]));
  const spenders = await tx.execute<{ address: Address }>(sql`
    select '0x' || encode(s.address, 'hex') as address
    from unnest(${addresses}::bytea[]) as q(address)
    cross join lateral (
      select address from wallet_spending where point_system_id = ${pointSystemId}::uuid and address = q.address limit 1
    ) s`);
  const haveSpent = new Set(spenders.map(({ address }) => address));
  for (const { address, primaryAddress } of pairs.filter((pair) => haveSpent.has(pair.address))) {
    await tx.execute(sql`
      select move_spending(
        ${pointSystemId}::uuid, ${sql.param(address, wallets.address)}::bytea,
        ${sql.param(primaryAddress, wallets.address)}::bytea
      )`);
  }
  const excessive = await appendToLedger(tx, pointSystemId, {
    events: pairs.flatMap((pair) => {
      const entry = entries.get(pair.address);
      return entry ? createMove(pair, entry, terms) : [];
    }),
    registered: [...new Set(pairs.map(({ primaryAddress }) => primaryAddress))],
    registeredAt: terms.date,
  });
  if (excessive.length > 0) throw new Failure("points_limit_reached");
  await removeEntries(tx, pointSystemId, [...entries.keys()]);
  return entries;
}

/** The points that came to a primary wallet, and the events that they stand for. */
interface Moved extends WalletPair {
  readonly points: number;
  readonly events: number;
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
): Promise<Moved[]> {
  const primaries = await findPrimaries(tx, pointSystemId, addresses);
  const held = await findWalletPoints(tx, pointSystemId, [...primaries.keys()]);
  const pairs = Array.from(primaries, ([address, primaryAddress]) => ({
    address,
    primaryAddress,
  })).filter(({ address }) => held.has(address));
  if (pairs.length === 0) return [];
  const date = await readDatabaseClock(tx);
  const entries = await moveHoldings(tx, pointSystemId, pairs, { date, operatorId });
  await keepTimes(tx, pointSystemId, entries);
  // A primary wallet without an entry has one now, also if it is blacklisted.
  const receivers = [...new Set(pairs.map(({ primaryAddress }) => primaryAddress))];
  const banned = await findBlacklisted(tx, pointSystemId, receivers);
  if (banned.size > 0) await markWallets(tx, pointSystemId, [...banned], true);
  return pairs.map(({ address, primaryAddress }) => {
    const { points = 0, events = 0 } = entries.get(address) ?? {};
    return { address, primaryAddress, points, events };
  });
}

/** Keeps the times of entries with their links, so that an unlinked wallet has its entry back. */
async function keepTimes(
  tx: Transaction,
  pointSystemId: string,
  entries: ReadonlyMap<Address, FormerEntry>,
): Promise<void> {
  const toMoments = (of: (entry: FormerEntry) => number) =>
    toArrayLiteral([...entries.values()].map((entry) => new Date(of(entry)).toISOString()));
  await tx.execute(sql`
    select keep_entry_times(
      ${pointSystemId}::uuid,
      ${toArrayLiteral([...entries.keys()].map(toBytea))}::bytea[],
      ${toMoments(({ createdAtMs }) => createdAtMs)}::timestamptz[],
      ${toMoments(({ lastCreditAtMs }) => lastCreditAtMs)}::timestamptz[]
    )`);
}

/** Makes the two events of a move: the second one gives the primary wallet what the first one takes. */
function createMove(
  { address, primaryAddress }: WalletPair,
  { points, events }: FormerEntry,
  { date, operatorId }: MoveTerms,
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
