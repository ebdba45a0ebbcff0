import { and, eq, not, sql } from "drizzle-orm";
import { hotQuery } from "../db/client";
import { wallets } from "../db/schema/ledger";
import { getPageOffset, type PageRequest, type Pagination, paginate } from "../domain/pagination";
import { boardOrder } from "./ranking";
import { findTotals } from "./totals";
import type { WalletEntry } from "./wallets";

const listBoardRows = hotQuery((db) =>
  db
    .select({ address: wallets.address, points: wallets.points, events: wallets.events })
    .from(wallets)
    .where(
      and(eq(wallets.pointSystemId, sql.placeholder("pointSystemId")), not(wallets.isBlacklisted)),
    )
    .orderBy(...boardOrder)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .prepare("list_board_rows"),
);

/** A page of the board, best first; blacklisted wallets are neither on it nor in its total. */
export async function listLeaderboard(
  pointSystemId: string,
  request: PageRequest,
): Promise<{ leaderboard: WalletEntry[]; pagination: Pagination }> {
  const { wallets: entries, blacklistedWallets } = await findTotals(pointSystemId);
  const total = entries - blacklistedWallets;
  const pagination = paginate(request, total);
  const offset = getPageOffset(request, total);
  if (offset === null) return { leaderboard: [], pagination };
  const rows = await listBoardRows({ pointSystemId, limit: request.limit, offset });
  return {
    leaderboard: rows.map((row, i) => ({ rank: offset + i + 1, ...row })),
    pagination,
  };
}
