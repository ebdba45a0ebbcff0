import { type SQL, sql } from "drizzle-orm";
import { wallets } from "../../db/schema/ledger";

// The only order of the board: more points first, then the lower address. Blacklisted wallets hold
// no position and do not count for the positions of others.

/** The order of the board, best first. */
export const boardOrder = [sql`${wallets.points} desc`, sql`${wallets.address} asc`] as const;

/**
 * Selects the position of a wallet: the number of wallets ahead plus one, so 1 for the best. For a
 * blacklisted wallet it is the position that it would hold. The cost is the same at any depth; the
 * wallets ahead are only counted one by one while the board's counts are not built yet.
 * @param wallet the alias of a row of `wallets` in the surrounding statement
 */
export function rankOf(wallet: SQL): SQL<number> {
  return sql<number>`
    rank_on_board(${wallet}.point_system_id, ${wallet}.points, ${wallet}.address)`.mapWith(Number);
}
