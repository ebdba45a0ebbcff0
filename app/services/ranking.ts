import { type SQL, sql } from "drizzle-orm";
import { wallets } from "../db/schema/ledger";

// The board's one order: more points first, then the lower address. Blacklisted wallets hold no
// position and stand in nobody's way.

/** The order of the board, best first. */
export const boardOrder = [sql`${wallets.points} desc`, sql`${wallets.address} asc`] as const;

/**
 * The position of a wallet, 1 for the best: one more than the wallets ahead of it. For a
 * blacklisted wallet the position that it would hold.
 * @param wallet a row of `wallets`, by its alias in the statement around
 */
export function rankOf(wallet: SQL): SQL<number> {
  const ahead = sql`from ${wallets} as ahead
    where ahead.point_system_id = ${wallet}.point_system_id and not ahead.is_blacklisted`;
  return sql<number>`(
    1 + (select count(*) ${ahead} and ahead.points > ${wallet}.points)
    + (select count(*) ${ahead} and ahead.points = ${wallet}.points
        and ahead.address < ${wallet}.address)
  )`.mapWith(Number);
}
