import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";

/** An open window of a board beside the all-time board. */
export interface BoardWindow {
  readonly id: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** The part of an event that decides whether a window counts it. */
interface CountedEvent {
  readonly address: Address;
  readonly points: number;
  readonly date: Date;
  readonly voids?: { readonly date: Date } | undefined;
  readonly namedAddress?: Address | undefined;
  readonly movedEvents?: number | undefined;
}

/** The points and events that a wallet gains in a window. */
export interface WalletChange {
  readonly address: Address;
  readonly points: number;
  readonly events: number;
}

/**
 * Lists the open windows of a point system's boards. Windows that have ended by `at` are closed first, and the next
 * ones opened. A time in the future stands for the database's clock: windows that are open now stay so. The caller
 * holds the ledger lock.
 */
export async function findOpenWindows(
  tx: Transaction,
  pointSystemId: string,
  at: Date,
): Promise<readonly BoardWindow[]> {
  const rows = await tx.execute<{ id: string; startsMs: number; endsMs: number }>(sql`
    select id, (extract(epoch from starts_at) * 1000)::float8 as "startsMs",
      (extract(epoch from ends_at) * 1000)::float8 as "endsMs"
    from open_board_windows(
      ${pointSystemId}::uuid, least(${at.toISOString()}::timestamptz, clock_timestamp())
    )`);
  return rows.map(({ id, startsMs, endsMs }) => ({
    id,
    startsAt: new Date(startsMs),
    endsAt: new Date(endsMs),
  }));
}

/**
 * Adds events to the wallets of the windows that count them. A move takes what the wallet has in a window to its primary
 * one. The caller holds the ledger lock and records the moves.
 */
export async function countOnBoards(
  tx: Transaction,
  pointSystemId: string,
  windows: readonly BoardWindow[],
  events: readonly CountedEvent[],
): Promise<void> {
  for (const window of windows) {
    const changes = new Map<Address, WalletChange>();
    for (const { address, points, date, voids, movedEvents } of events) {
      if (movedEvents !== undefined) continue;
      if (!holds(window, date) || (voids && !holds(window, voids.date))) continue;
      addChange(changes, { address, points, events: voids ? -1 : 1 });
    }
    await changeInWindow(tx, pointSystemId, window.id, [...changes.values()]);
  }
  const moves = new Map<Address, Address>();
  for (const { address, namedAddress, movedEvents = 0 } of events) {
    if (movedEvents < 0 && namedAddress) moves.set(address, namedAddress);
  }
  if (moves.size === 0) return;
  for (const { id } of windows) await moveInWindow(tx, pointSystemId, id, moves);
}

/** Moves what wallets have in a window to others. */
async function moveInWindow(
  tx: Transaction,
  pointSystemId: string,
  windowId: string,
  moves: ReadonlyMap<Address, Address>,
): Promise<void> {
  const moved = await tx.execute<WalletChange & Record<string, unknown>>(sql`
    select '0x' || encode(w.address, 'hex') as address, w.points::float8 as points, w.events::float8 as events
    from unnest(${toArrayLiteral([...moves.keys()].map(toBytea))}::bytea[]) as q(address)
    cross join lateral (
      select address, points, events from wallets
      where point_system_id = ${windowId}::uuid and address = q.address limit 1
    ) w`);
  const changes = new Map<Address, WalletChange>();
  for (const { address, points, events } of moved) {
    addChange(changes, { address, points: -points, events: -events });
    addChange(changes, { address: moves.get(address) as Address, points, events });
  }
  await changeInWindow(tx, pointSystemId, windowId, [...changes.values()]);
}

function addChange(changes: Map<Address, WalletChange>, change: WalletChange): void {
  const { points = 0, events = 0 } = changes.get(change.address) ?? {};
  const sum = { points: points + change.points, events: events + change.events };
  changes.set(change.address, { address: change.address, ...sum });
}

/** Mirrors the database function `counts_in_window`. */
const holds = ({ startsAt, endsAt }: BoardWindow, date: Date) =>
  startsAt.getTime() <= date.getTime() && date.getTime() < endsAt.getTime();

/** Adds to what wallets have in a window. The caller holds the ledger lock and records the moves. */
export async function changeInWindow(
  tx: Transaction,
  pointSystemId: string,
  windowId: string,
  changes: readonly WalletChange[],
): Promise<void> {
  for await (const batch of toBatches(changes)) {
    await tx.execute(sql`
      select change_window_wallets(
        ${pointSystemId}::uuid,
        ${windowId}::uuid,
        ${toArrayLiteral(batch.map(({ address }) => toBytea(address)))}::bytea[],
        ${toArrayLiteral(batch.map(({ points }) => String(points)))}::bigint[],
        ${toArrayLiteral(batch.map(({ events }) => String(events)))}::bigint[]
      )`);
  }
}
