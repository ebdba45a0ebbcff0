import { and, asc, eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { boards, boardWindows } from "../../db/schema/boards";
import type { BoardKind } from "../../domain/board/board-kind";
import { Failure } from "../../domain/failure";

/** A board beside the all-time board, with its present window or, once it has ended, its last one. */
export interface Board {
  readonly id: string;
  /** A season's slug, or a colon and the kind of a board that repeats. */
  readonly key: string;
  readonly kind: BoardKind;
  readonly slug: string | null;
  readonly name: string;
  readonly timeZone: string;
  readonly isPublic: boolean;
  /** The window's label; empty for a season. */
  readonly label: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** `filling` while the events before its creation are counted. */
  readonly state: "scheduled" | "open" | "ended" | "filling";
}

/** Lists a point system's boards: those that repeat, then the seasons, the newest first. */
export async function listBoards(pointSystemId: string, tx?: Transaction): Promise<Board[]> {
  const run = (executor: Pick<Transaction, "select">) =>
    executor
      .select({
        id: boards.id,
        key: sql<string>`coalesce(${boards.slug}, ':' || ${boards.kind})`,
        kind: boards.kind,
        slug: boards.slug,
        name: boards.name,
        timeZone: boards.timeZone,
        isPublic: boards.isPublic,
        label: sql<string>`w.label`,
        startsAt: sql`w.starts_at`.mapWith(boardWindows.startsAt),
        endsAt: sql`w.ends_at`.mapWith(boardWindows.endsAt),
        state: sql<Board["state"]>`case
          when not w.is_ready then 'filling'
          when w.starts_at > statement_timestamp() then 'scheduled'
          when w.ends_at <= statement_timestamp() then 'ended'
          else 'open' end`,
      })
      .from(boards)
      .innerJoinLateral(
        sql`find_board_window(${boards.pointSystemId}, coalesce(${boards.slug}, ':' || ${boards.kind}), null) as w`,
        sql`true`,
      )
      .where(eq(boards.pointSystemId, pointSystemId))
      .orderBy(
        sql`array_position(array['daily', 'weekly', 'monthly', 'season'], ${boards.kind})`,
        sql`w.starts_at desc`,
        asc(boards.id),
      );
  return tx ? run(tx) : withDatabase(run);
}

/**
 * Reads a board.
 * @throws {Failure} `not_found`
 */
export async function getBoard(
  pointSystemId: string,
  boardKey: string,
  tx?: Transaction,
): Promise<Board> {
  const found = (await listBoards(pointSystemId, tx)).find(({ key }) => key === boardKey);
  if (!found) throw new Failure("not_found");
  return found;
}

/** Lists the windows of a board, the newest first. A window in which nobody earned points is not among them. */
export async function listBoardWindows(
  pointSystemId: string,
  boardId: string,
): Promise<{ label: string; startsAt: Date; endsAt: Date }[]> {
  return withDatabase((db) =>
    db
      .select({
        label: boardWindows.label,
        startsAt: boardWindows.startsAt,
        endsAt: boardWindows.endsAt,
      })
      .from(boardWindows)
      .where(and(eq(boardWindows.pointSystemId, pointSystemId), eq(boardWindows.boardId, boardId)))
      .orderBy(sql`${boardWindows.label} desc`)
      .limit(WINDOWS_LISTED_MAX),
  );
}

/** The newest windows that a page lists; earlier ones are read by their labels. */
const WINDOWS_LISTED_MAX = 100;
