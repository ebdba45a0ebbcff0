import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import type { Executor, Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { TOTAL_POINTS_MAX } from "../../domain/ledger/points";
import type { AppliedBoost } from "../../domain/point-systems/boost";
import { type BoardWindow, countOnBoards, findOpenWindows } from "./board-windows";
import { type OpenedEntry, removeOpenedEntries } from "./entries";
import { findPrimaries } from "./primaries";
import { moveOnBoards } from "./rank-moves";
import { refuseSpentPoints } from "./spent-points";
import { changeTotals } from "./totals";
import { readDatabaseClock } from "./write-ledger";

/** The time and the id by which an event is found. */
export interface EventPlace {
  readonly date: Date;
  readonly id: string;
}

/** An event that is recorded without the trigger's checks: a grant, or an imported one. */
export interface NewEvent {
  readonly id: string;
  readonly address: Address;
  /**
   * Whole points, 1 to `CREDIT_POINTS_MAX`; a correction has the negative of its event's points.
   */
  readonly points: number;
  /** The trigger key; null for a grant. */
  readonly event: string | null;
  readonly date: Date;
  /** The boost that made the points of a test fire. */
  readonly boost?: AppliedBoost | null | undefined;
  /** The event that this correction voids: the wallet's points and events both go down. */
  readonly voids?: EventPlace | undefined;
  /** The wallet that was named in place of this one (`point_events.named_address`); a move's is the other wallet. */
  readonly namedAddress?: Address | undefined;
  /** The events that the points of a move stand for, negative where they leave. Only a move has it. */
  readonly movedEvents?: number | undefined;
  /** The operator who recorded it, the reason, and the import that it belongs to. */
  readonly operatorId?: string | undefined;
  readonly note?: string | null | undefined;
  readonly importId?: string | undefined;
}

/** An addition to a point system's ledger. */
export interface LedgerAddition<Event extends NewEvent> {
  /** The events, in the order in which they are credited. */
  readonly events: readonly Event[];
  /** The addresses that get an entry without points. */
  readonly registered: readonly Address[];
  readonly registeredAt: Date;
  /** The entries that are removed unless something is left of them. */
  readonly opened?: readonly OpenedEntry[];
}

/** An event with the wallet's total after it. */
interface RecordedEvent extends NewEvent {
  readonly balance: number;
}

/** The change of a wallet, which may be new, by the added events. */
interface WalletChange {
  readonly address: Address;
  readonly createdAt: Date;
  readonly isNew: boolean;
  points: number;
  events: number;
}

/**
 * Records events and registers wallets, and updates wallets, balances and totals. Credits and registrations of a linked
 * wallet go to its primary one. The caller holds the ledger lock and has checked that no event with one of these ids
 * exists.
 * @returns the events that would raise a wallet's total above its maximum; if there is one, nothing
 *   was written
 * @throws {Failure} `points_are_spent` when corrections take more than what a wallet has left
 */
export async function appendToLedger<Event extends NewEvent>(
  tx: Transaction,
  pointSystemId: string,
  { events, registered, registeredAt, opened = [] }: LedgerAddition<Event>,
): Promise<readonly Event[]> {
  const named = new Set([...events.map(({ address }) => address), ...registered]);
  const primaries = await findPrimaries(tx, pointSystemId, [...named]);
  const addresses = new Set([...named, ...primaries.values()]);
  const pointsBefore = await findWalletPoints(tx, pointSystemId, [...addresses]);
  const { recorded, changes, excessive } = await creditInOrder(events, pointsBefore, primaries);
  if (excessive.length > 0) return excessive;
  await refuseIfSpent(tx, pointSystemId, [...changes.values()]);
  for (const wallet of registered) {
    const address = primaries.get(wallet) ?? wallet;
    if (pointsBefore.has(address) || changes.has(address)) continue;
    changes.set(address, { address, createdAt: registeredAt, isNew: true, points: 0, events: 0 });
  }

  const windows = await findWindowsOf(tx, pointSystemId, events);
  for await (const batch of toBatches(recorded)) await insertEvents(tx, pointSystemId, batch);
  const wallets = [...changes.values()];
  const newWallets = wallets.filter(({ isNew }) => isNew);
  const boardIds = [pointSystemId, ...windows.map(({ id }) => id)];
  const moving = new Set([...changes.keys(), ...opened.map(({ address }) => address)]);
  await moveOnBoards(tx, boardIds, [...moving], async () => {
    for await (const batch of toBatches(newWallets)) await insertWallets(tx, pointSystemId, batch);
    for await (const batch of toBatches(wallets.filter(({ isNew }) => !isNew))) {
      await updateWallets(tx, pointSystemId, batch);
    }
    await countOnBoards(tx, pointSystemId, windows, recorded);
    for await (const batch of toBatches(opened))
      await removeOpenedEntries(tx, pointSystemId, batch);
  });
  const eventsAdded = wallets.reduce((sum, change) => sum + change.events, 0);
  await changeTotals(tx, pointSystemId, { wallets: newWallets.length, events: eventsAdded });
  return [];
}

async function refuseIfSpent(
  tx: Transaction,
  pointSystemId: string,
  changes: readonly WalletChange[],
): Promise<void> {
  for await (const batch of toBatches(changes.filter(({ points }) => points < 0))) {
    const taken = sql`
      select * from unnest(
        ${toArrayLiteral(batch.map(({ address }) => toBytea(address)))}::bytea[],
        ${toArrayLiteral(batch.map(({ points }) => String(-points)))}::bigint[]
      ) as t(address, points)`;
    await refuseSpentPoints(tx, pointSystemId, taken);
  }
}

/**
 * Finds the open windows of boards at the time of the last of the events, or now if that is in the future; none for no
 * events.
 */
async function findWindowsOf(
  tx: Transaction,
  pointSystemId: string,
  events: readonly NewEvent[],
): Promise<readonly BoardWindow[]> {
  if (events.length === 0) return [];
  const lastMs = events.reduce((last, { date }) => Math.max(last, date.getTime()), 0);
  return findOpenWindows(tx, pointSystemId, new Date(lastMs));
}

/**
 * Updates the wallet entries, the boards that are open or being filled, and the count of blacklisted entries after a
 * change of the blacklist. Addresses without an entry are skipped. The caller holds the ledger lock.
 */
export async function markWallets(
  tx: Transaction,
  pointSystemId: string,
  addresses: readonly Address[],
  isBlacklisted: boolean,
): Promise<void> {
  const windows = await findOpenWindows(tx, pointSystemId, await readDatabaseClock(tx));
  const filling = await tx.execute<{ id: string }>(sql`
    select id from board_windows
    where point_system_id = ${pointSystemId}::uuid and closed_seq is null and not is_ready`);
  const boardIds = [pointSystemId, ...[...windows, ...filling].map(({ id }) => id)];
  const marking = toArrayLiteral(addresses.map(toBytea));
  await moveOnBoards(tx, boardIds, addresses, async () => {
    for (const boardId of boardIds) {
      const [row] = await tx.execute<{ marked: number }>(sql`
        select mark_wallets(${boardId}::uuid, ${marking}::bytea[], ${isBlacklisted}) as marked`);
      if (boardId !== pointSystemId) continue;
      const marked = row?.marked ?? 0;
      await changeTotals(tx, pointSystemId, {
        blacklistedWallets: isBlacklisted ? marked : -marked,
      });
    }
  });
}

/** Reads the points of the addresses that have a wallet. */
export async function findWalletPoints(
  executor: Executor,
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<Map<Address, number>> {
  const found = new Map<Address, number>();
  for await (const batch of toBatches(addresses)) {
    const rows = await executor.execute<{ address: Address; points: number }>(sql`
      select '0x' || encode(w.address, 'hex') as address, w.points::float8 as points
      from unnest(${toArrayLiteral(batch.map(toBytea))}::bytea[]) as q(address)
      cross join lateral (
        select address, points from wallets
        where point_system_id = ${pointSystemId}::uuid and address = q.address limit 1
      ) w`);
    for (const { address, points } of rows) found.set(address, points);
  }
  return found;
}

/**
 * Computes the credits in order, each from the wallet's points at that time. A correction or a move is of the wallet that
 * it says; a credit of a linked wallet is of its primary one.
 */
async function creditInOrder<Event extends NewEvent>(
  events: readonly Event[],
  pointsBefore: ReadonlyMap<Address, number>,
  primaries: ReadonlyMap<Address, Address>,
): Promise<{
  recorded: RecordedEvent[];
  changes: Map<Address, WalletChange>;
  excessive: Event[];
}> {
  const changes = new Map<Address, WalletChange>();
  const excessive: Event[] = [];
  const recorded: RecordedEvent[] = [];
  const credit = (event: Event): RecordedEvent => {
    const { date, voids, movedEvents } = event;
    const primary = voids || movedEvents ? undefined : primaries.get(event.address);
    const address = primary ?? event.address;
    const before = pointsBefore.get(address);
    let change = changes.get(address);
    if (change === undefined) {
      change = { address, createdAt: date, isNew: before === undefined, points: 0, events: 0 };
      changes.set(address, change);
    }
    change.points += event.points;
    change.events += movedEvents ?? (voids ? -1 : 1);
    const balance = (before ?? 0) + change.points;
    if (balance > TOTAL_POINTS_MAX) excessive.push(event);
    return { ...event, address, balance, ...(primary && { namedAddress: event.address }) };
  };
  for await (const batch of toBatches(events)) recorded.push(...batch.map(credit));
  return { recorded, changes, excessive };
}

/** Inserts the events in their order, so that `seq` ascends with it. */
async function insertEvents(
  tx: Transaction,
  pointSystemId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  await tx.execute(sql`
    insert into point_events (
      point_system_id, id, address, points, balance, event, created_at, voids, voids_created_at,
      operator_id, note, import_id, base_points, boost_factor, named_address, moved_events
    )
    select ${pointSystemId}::uuid, e.id, e.address, e.points, e.balance, e.event, e.created_at,
      e.voids, e.voids_created_at, e.operator_id, e.note, e.import_id, e.base_points, e.boost_factor,
      e.named_address, e.moved_events
    from unnest(
      ${toArrayLiteral(events.map(({ id }) => id))}::uuid[],
      ${toArrayLiteral(events.map(({ address }) => toBytea(address)))}::bytea[],
      ${toArrayLiteral(events.map(({ points }) => String(points)))}::bigint[],
      ${toArrayLiteral(events.map(({ balance }) => String(balance)))}::bigint[],
      ${toArrayLiteral(events.map(({ event }) => event))}::text[],
      ${toArrayLiteral(events.map(({ date }) => date.toISOString()))}::timestamptz[],
      ${toArrayLiteral(events.map(({ voids }) => voids?.id ?? null))}::uuid[],
      ${toArrayLiteral(events.map(({ voids }) => voids?.date.toISOString() ?? null))}::timestamptz[],
      ${toArrayLiteral(events.map(({ operatorId }) => operatorId ?? null))}::uuid[],
      ${toArrayLiteral(events.map(({ note }) => note ?? null))}::text[],
      ${toArrayLiteral(events.map(({ importId }) => importId ?? null))}::uuid[],
      ${toArrayLiteral(events.map(({ boost }) => toText(boost?.basePoints)))}::bigint[],
      ${toArrayLiteral(events.map(({ boost }) => toText(boost?.factor)))}::numeric[],
      ${toArrayLiteral(events.map(({ namedAddress }) => (namedAddress ? toBytea(namedAddress) : null)))}::bytea[],
      ${toArrayLiteral(events.map(({ movedEvents }) => toText(movedEvents)))}::bigint[]
    ) with ordinality as e(
      id, address, points, balance, event, created_at, voids, voids_created_at, operator_id, note, import_id,
      base_points, boost_factor, named_address, moved_events, n
    )
    order by e.n`);
}

const toText = (value: number | undefined) => (value === undefined ? null : String(value));

async function insertWallets(
  tx: Transaction,
  pointSystemId: string,
  changes: readonly WalletChange[],
): Promise<void> {
  await tx.execute(sql`
    insert into wallets (point_system_id, address, points, events, created_at)
    select ${pointSystemId}::uuid, w.* from unnest(
      ${toArrayLiteral(changes.map(({ address }) => toBytea(address)))}::bytea[],
      ${toArrayLiteral(changes.map(({ points }) => String(points)))}::bigint[],
      ${toArrayLiteral(changes.map(({ events }) => String(events)))}::bigint[],
      ${toArrayLiteral(changes.map(({ createdAt }) => createdAt.toISOString()))}::timestamptz[]
    ) as w`);
}

async function updateWallets(
  tx: Transaction,
  pointSystemId: string,
  changes: readonly WalletChange[],
): Promise<void> {
  await tx.execute(sql`
    select change_wallets_by_address(
      ${pointSystemId}::uuid,
      ${toArrayLiteral(changes.map(({ address }) => toBytea(address)))}::bytea[],
      ${toArrayLiteral(changes.map(({ points }) => String(points)))}::bigint[],
      ${toArrayLiteral(changes.map(({ events }) => String(events)))}::bigint[]
    )`);
}
