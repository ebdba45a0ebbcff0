import { sql } from "drizzle-orm";
import { blacklist, pointSystemTotals, wallets } from "../db/schema/ledger";
import type { Address } from "../domain/address";
import { writeLedger } from "./ledger-transaction";

/**
 * Puts an address on a point system's blacklist: it earns nothing more and leaves the board.
 * @returns whether it was not there yet; the reason and date of one that was are kept
 */
export function blacklistWallet(
  pointSystemId: string,
  address: Address,
  reason: string | null,
): Promise<boolean> {
  return writeLedger(pointSystemId, async (tx) => {
    const added = await tx
      .insert(blacklist)
      .values({ pointSystemId, address, reason })
      .onConflictDoNothing()
      .returning({ address: blacklist.address });
    if (added.length > 0) await tx.execute(markWallet(pointSystemId, address, true));
    return added.length > 0;
  });
}

/**
 * Takes an address off the blacklist: it is back on the board with the points that it had.
 * @returns whether it was there
 */
export function removeFromBlacklist(pointSystemId: string, address: Address): Promise<boolean> {
  return writeLedger(pointSystemId, async (tx) => {
    const removed = await tx
      .delete(blacklist)
      .where(
        sql`${blacklist.pointSystemId} = ${pointSystemId}
          and ${blacklist.address} = ${sql.param(address, blacklist.address)}`,
      )
      .returning({ address: blacklist.address });
    if (removed.length > 0) await tx.execute(markWallet(pointSystemId, address, false));
    return removed.length > 0;
  });
}

/** Keeps the wallet entry, if there is one, and the count of blacklisted entries true. */
function markWallet(pointSystemId: string, address: Address, isBlacklisted: boolean) {
  return sql`
    with marked as (
      update ${wallets} set is_blacklisted = ${isBlacklisted}
      where point_system_id = ${pointSystemId}
        and address = ${sql.param(address, wallets.address)}
      returning 1
    )
    update ${pointSystemTotals}
    set blacklisted_wallets = blacklisted_wallets
      + (select count(*) from marked) * ${isBlacklisted ? 1 : -1}::int
    where point_system_id = ${pointSystemId}`;
}
