import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { moveOnBoards } from "./rank-moves";

/** Removes the entries of wallets without points and events. The caller holds the ledger lock. */
export async function removeEntries(
  tx: Transaction,
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<void> {
  if (addresses.length === 0) return;
  await moveOnBoards(tx, [pointSystemId], addresses, () =>
    tx.execute(sql`
      with removed as (
        delete from wallets w using unnest(${toArrayLiteral(addresses.map(toBytea))}::bytea[]) as q(address)
        where w.point_system_id = ${pointSystemId}::uuid and w.address = q.address
        returning w.is_blacklisted
      )
      update point_system_totals
      set wallets = wallets - (select count(*) from removed),
        blacklisted_wallets = blacklisted_wallets - (select count(*) from removed where is_blacklisted)
      where point_system_id = ${pointSystemId}`),
  );
}
