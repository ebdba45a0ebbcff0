import { and, eq, isNull, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { boards, boardWindows } from "../../db/schema/boards";
import { pointSystemTotals } from "../../db/schema/ledger";
import type { BoardKind } from "../../domain/board/board-kind";
import { toBoardKey } from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { findOpenWindows } from "../ledger/board-windows";
import { readDatabaseClock, takeLedgerSeq, writeLedger } from "../ledger/write-ledger";
import { checkTimeZone } from "../point-systems/time-zones";
import { enqueueJob } from "../runtime/job-queue";
import { countPassedEvents } from "./board-books";
import { beginFill } from "./board-fill";
import { type Board, getBoard } from "./board-list";

/** The fields of a new board. */
export interface NewBoard {
  readonly kind: BoardKind;
  /** The name of a season in calls; null for a board that repeats. */
  readonly slug: string | null;
  readonly name: string;
  readonly timeZone: string;
  readonly isPublic: boolean;
  /** The window of a season; null for a board that repeats, which begins with the present window. */
  readonly season: Season | null;
}

/** The window of a season. The start may lie in the past. */
export interface Season {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** The fields of a board that can be changed. */
export interface BoardChange {
  readonly name: string;
  readonly isPublic: boolean;
  /** The times of a season that has not ended; null leaves them as they are. */
  readonly season: Season | null;
}

/** The most open boards of a point system beside its all-time board: each adds to a credit. */
const OPEN_BOARDS_MAX = 10;

/**
 * Creates a board. One whose window began in the past counts the ledger's events from then on.
 * @throws {Failure} `board_taken`, `too_many_boards`, `board_archived` when events of its time are archived,
 *   `invalid_field` for a time zone that the database does not know
 */
export async function createBoard(
  { actor, pointSystemId }: Editor,
  board: NewBoard,
): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const at = await readDatabaseClock(tx);
    await addBoard(tx, pointSystemId, board, at);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "board.create",
      subject: toBoardKey(board.kind, board.slug),
      after: toAudit(board),
    });
  });
}

/**
 * Adds a board at a time. The caller holds the ledger lock.
 * @throws {Failure} as `createBoard`
 */
export async function addBoard(
  tx: Transaction,
  pointSystemId: string,
  { season, ...fields }: NewBoard,
  at: Date,
): Promise<void> {
  await checkTimeZone(tx, fields.timeZone, "timeZone");
  // A season that has ended leaves its place, though nothing was credited since.
  await findOpenWindows(tx, pointSystemId, at);
  const place = await findFreePlace(tx, pointSystemId);
  const [board] = await tx
    .insert(boards)
    .values({ pointSystemId, ...fields })
    .onConflictDoNothing()
    .returning({ id: boards.id });
  if (!board) throw new Failure("board_taken", { field: "slug" });
  const window = season
    ? sql`select '', ${season.startsAt.toISOString()}::timestamptz, ${season.endsAt.toISOString()}::timestamptz`
    : sql`select * from find_window(${fields.kind}, ${fields.timeZone}, ${at.toISOString()}::timestamptz)`;
  const [added] = await tx.execute<{ id: string }>(sql`
    insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place, is_ready)
    select ${pointSystemId}::uuid, ${board.id}::uuid, f.label, f.starts_at, f.ends_at, ${place}::int, false
    from (${window}) f(label, starts_at, ends_at)
    returning id`);
  if (!added) throw new Error("A board has no window");
  const [archived] = await tx.execute(sql`
    select 1 from ${pointSystemTotals} t
    join ${boardWindows} w on w.point_system_id = t.point_system_id and w.id = ${added.id}
    where t.point_system_id = ${pointSystemId} and t.archived_before > w.starts_at`);
  if (archived) throw new Failure("board_archived", { field: "startsAt" });
  await beginFill(tx, { pointSystemId, windowId: added.id });
}

/**
 * Changes a board's name and visibility, and the times of a season.
 * @throws {Failure} `not_found`, `board_ended` for times of a season that has ended or is still being counted,
 *   `board_begun` for another start of a season that has begun
 */
export async function updateBoard(
  { actor, pointSystemId }: Editor,
  key: string,
  { season, ...fields }: BoardChange,
): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getBoard(pointSystemId, key, tx);
    await tx.update(boards).set(fields).where(isBoard(pointSystemId, before.id));
    if (season) await changeSeason(tx, pointSystemId, before, season);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "board.update",
      subject: key,
      before: toAudit(before),
      after: toAudit({ ...before, ...fields, ...season }),
    });
  });
}

/**
 * Ends a board now: its present window is frozen, and none follows.
 * @throws {Failure} `not_found`, `board_ended` when it is not open
 */
export async function endBoard({ actor, pointSystemId }: Editor, key: string): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getBoard(pointSystemId, key, tx);
    if (before.state !== "open") throw new Failure("board_ended");
    const at = await readDatabaseClock(tx);
    // A window that ended on its own is closed first, and the present one opened.
    await tx.execute(
      sql`select from open_board_windows(${pointSystemId}::uuid, ${at.toISOString()}::timestamptz)`,
    );
    const { windowId, endsAt } = await changeTimes(
      tx,
      pointSystemId,
      before.id,
      ({ startsAt }) => ({
        startsAt,
        endsAt: new Date(Math.max(at.getTime(), startsAt.getTime() + 1)),
      }),
    );
    const closedSeq = await takeLedgerSeq(tx, pointSystemId);
    await tx.execute(sql`
      update board_windows set closed_seq = ${closedSeq}::bigint
      where point_system_id = ${pointSystemId} and id = ${windowId}`);
    await tx.update(boards).set({ endedAt: endsAt }).where(isBoard(pointSystemId, before.id));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "board.end",
      subject: key,
      before: toAudit(before),
    });
  });
}

/**
 * Deletes a board with all its windows. The ledger keeps its events.
 * @throws {Failure} `not_found`, `service_unavailable` while many events are counted into it at once
 */
export async function deleteBoard({ actor, pointSystemId }: Editor, key: string): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getBoard(pointSystemId, key, tx);
    await tx.delete(boards).where(isBoard(pointSystemId, before.id));
    await tx.execute(sql`select close_board_windows(${pointSystemId}::uuid, ${before.id}::uuid)`);
    await enqueueJob(tx, "purge-boards", { pointSystemId }, pointSystemId);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "board.delete",
      subject: key,
      before: toAudit(before),
    });
  });
}

const isBoard = (pointSystemId: string, id: string) =>
  and(eq(boards.pointSystemId, pointSystemId), eq(boards.id, id));

async function changeSeason(
  tx: Transaction,
  pointSystemId: string,
  { id, kind, state, startsAt }: Board,
  season: Season,
): Promise<void> {
  if (kind !== "season" || state === "ended" || state === "filling")
    throw new Failure("board_ended");
  const at = await readDatabaseClock(tx);
  const keepsStart = season.startsAt.getTime() === startsAt.getTime();
  if (!keepsStart && (state === "open" || season.startsAt <= at)) {
    throw new Failure("board_begun", { field: "startsAt" });
  }
  if (season.endsAt <= at) throw new Failure("invalid_field", { field: "endsAt", name: "endsAt" });
  await changeTimes(tx, pointSystemId, id, () => season);
}

/**
 * Changes the times of a board's open window, and counts the events over which one of them passes: a file can date events
 * ahead.
 * @throws {Failure} `board_ended` when it has none
 */
async function changeTimes(
  tx: Transaction,
  pointSystemId: string,
  boardId: string,
  change: (before: Season) => Season,
): Promise<Season & { readonly windowId: string }> {
  const isOpen = and(
    eq(boardWindows.pointSystemId, pointSystemId),
    eq(boardWindows.boardId, boardId),
    isNull(boardWindows.closedSeq),
  );
  const { id, startsAt, endsAt } = boardWindows;
  const [before] = await tx.select({ id, startsAt, endsAt }).from(boardWindows).where(isOpen);
  if (!before) throw new Failure("board_ended");
  const after = change(before);
  await tx.update(boardWindows).set(after).where(isOpen);
  await countPassedEvents(tx, pointSystemId, before.id, before);
  return { ...after, windowId: before.id };
}

/** @throws {Failure} `too_many_boards` */
async function findFreePlace(tx: Transaction, pointSystemId: string): Promise<number> {
  const [free] = await tx.execute<{ place: number }>(sql`
    select n.place from generate_series(1, ${OPEN_BOARDS_MAX}::int) n(place)
    where not exists (
      select 1 from board_windows w
      where w.point_system_id = ${pointSystemId} and w.closed_seq is null and w.place = n.place
    )
    order by n.place limit 1`);
  if (!free) throw new Failure("too_many_boards");
  return free.place;
}

const toAudit = ({ name, timeZone, isPublic, ...board }: NewBoard | (Board & Partial<Season>)) => {
  const { startsAt, endsAt } = "season" in board ? (board.season ?? {}) : board;
  return {
    name,
    timeZone,
    isPublic,
    ...(startsAt && endsAt && board.kind === "season"
      ? { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() }
      : {}),
  };
};
