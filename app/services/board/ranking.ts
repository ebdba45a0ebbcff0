import { type SQL, sql } from "drizzle-orm";
import { wallets } from "../../db/schema/ledger";

// The board's one order: more points first, then the lower address. Blacklisted wallets hold no
// position and stand in nobody's way.

/** The order of the board, best first. */
export const boardOrder = [sql`${wallets.points} desc`, sql`${wallets.address} asc`] as const;

/**
 * The position of a wallet, 1 for the best: one more than the wallets ahead of it. For a
 * blacklisted wallet the position that it would hold. Costs the same at any depth, and counts the
 * wallets ahead only while their counts are not made yet.
 * @param wallet a row of `wallets`, by its alias in the statement around
 */
export function rankOf(wallet: SQL): SQL<number> {
  return sql<number>`
    rank_on_board(${wallet}.point_system_id, ${wallet}.points, ${wallet}.address)`.mapWith(Number);
}
