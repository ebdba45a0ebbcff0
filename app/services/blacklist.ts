import { sql } from "drizzle-orm";
import { blacklist } from "../db/schema/ledger";
import type { Address } from "../domain/address";
import { markWallets } from "./ledger-append";
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
    if (added.length > 0) await markWallets(tx, pointSystemId, [address], true);
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
    if (removed.length > 0) await markWallets(tx, pointSystemId, [address], false);
    return removed.length > 0;
  });
}
