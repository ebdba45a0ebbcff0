import { and, eq, not, type SQL, sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { BoardReference } from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";
import {
  getPageOffset,
  type PageRequest,
  type Pagination,
  paginate,
} from "../../domain/pagination";
import { findTotals } from "../point-systems/totals";
import { findNamedBoard } from "./named-board";
import { boardOrder } from "./ranking";
import type { WalletEntry } from "./wallets";

export interface LeaderboardPage {
  readonly leaderboard: WalletEntry[];
  readonly pagination: Pagination;
}

/**
 * The largest offset that is read by the board's index alone. Beyond it, finding the first row by
 * the counts is quicker.
 */
const SHALLOW_OFFSET_MAX = 1_000;

const listTopRows = replicatedQuery("reads", (db) =>
  db
    .select({ address: wallets.address, points: wallets.points, events: wallets.events })
    .from(wallets)
    .where(
      and(eq(wallets.pointSystemId, sql.placeholder("pointSystemId")), not(wallets.isBlacklisted)),
    )
    .orderBy(...boardOrder)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .prepare("list_top_rows"),
);

const listDeepRows = replicatedQuery("reads", (db) =>
  db
    .select({
      ...columnsOf(sql`page`),
      offset: sql`place.board_offset`.mapWith(Number),
    })
    .from(sql`(select ${sql.placeholder("offset")}::bigint as board_offset) as place`)
    .crossJoinLateral(
      sql`list_board_page(
        ${sql.placeholder("pointSystemId")}, place.board_offset, ${sql.placeholder("limit")}::bigint
      ) as page`,
    )
    .orderBy(sql`page.points desc`, sql`page.address`)
    .prepare("list_deep_rows"),
);

const listRowsAround = replicatedQuery("reads", (db) =>
  db
    .select({ ...columnsOf(sql`page`), offset: sql`page.board_offset`.mapWith(Number) })
    .from(
      sql`list_board_around(
        ${sql.placeholder("pointSystemId")}::uuid, ${sql.param(sql.placeholder("address"), wallets.address)}::bytea,
        ${sql.placeholder("limit")}::bigint
      ) as page`,
    )
    .orderBy(sql`page.points desc`, sql`page.address`)
    .prepare("list_rows_around"),
);

/** Selects the columns of a row of the board. */
function columnsOf(page: SQL) {
  return {
    address: sql`${page}.address`.mapWith(wallets.address),
    points: sql`${page}.points`.mapWith(wallets.points),
    events: sql`${page}.events`.mapWith(wallets.events),
  };
}

/**
 * Lists a page of a board, best first. Blacklisted wallets are neither on it nor in its total.
 * @param board the all-time board when left out
 * @throws {Failure} as `findNamedBoard`
 */
export async function listLeaderboard(
  pointSystemId: string,
  request: PageRequest,
  board?: BoardReference,
): Promise<LeaderboardPage> {
  const { windowId, total } = await findBoard(pointSystemId, board);
  const pagination = paginate(request, total);
  const offset = getPageOffset(request, total);
  if (windowId === null || offset === null) return { leaderboard: [], pagination };
  const listRows = offset <= SHALLOW_OFFSET_MAX ? listTopRows : listDeepRows;
  const rows = await listRows({ pointSystemId: windowId, limit: request.limit, offset });
  return { leaderboard: rankRows(rows, offset), pagination };
}

/**
 * Lists the page of a board that holds a wallet.
 * @throws {Failure} `wallet_not_found` when it has no entry or is blacklisted; as `findNamedBoard`
 */
export async function listLeaderboardAround(
  pointSystemId: string,
  address: Address,
  limit: number,
  board?: BoardReference,
): Promise<LeaderboardPage> {
  const { windowId } = board
    ? await findNamedBoard(pointSystemId, board)
    : { windowId: pointSystemId };
  // The rows are from one snapshot. The total is read after them, so that it counts the wallet.
  const rows = windowId ? await listRowsAround({ pointSystemId: windowId, address, limit }) : [];
  const [first] = rows;
  if (!first) throw new Failure("wallet_not_found");
  const { offset } = first;
  const { total } = await findBoard(pointSystemId, board);
  const pagination = paginate({ page: offset / limit + 1, limit }, total);
  return {
    leaderboard: rankRows(
      rows.map(({ offset: _, ...row }) => row),
      offset,
    ),
    pagination,
  };
}

/** Finds the id and the length of the all-time board, or those of a named board's window. */
async function findBoard(
  pointSystemId: string,
  board: BoardReference | undefined,
): Promise<{ readonly windowId: string | null; readonly total: number }> {
  if (board) return findNamedBoard(pointSystemId, board);
  const { wallets: entries, blacklistedWallets } = await findTotals(pointSystemId);
  return { windowId: pointSystemId, total: entries - blacklistedWallets };
}

function rankRows(rows: readonly Omit<WalletEntry, "rank">[], offset: number): WalletEntry[] {
  return rows.map(({ address, points, events }, i) => ({
    rank: offset + i + 1,
    address,
    points,
    events,
  }));
}
