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
  await moveOnBoards(tx, [pointSystemId], addresses, async () => {
    const [row] = await tx.execute<{ removed: number; blacklisted: number }>(sql`
      select removed, blacklisted
      from remove_emptied_wallets(${pointSystemId}::uuid, ${toArrayLiteral(addresses.map(toBytea))}::bytea[])`);
    const { removed, blacklisted } = row ?? { removed: 0, blacklisted: 0 };
    await tx.execute(sql`
      update point_system_totals
      set wallets = wallets - ${removed}::int, blacklisted_wallets = blacklisted_wallets - ${blacklisted}::int
      where point_system_id = ${pointSystemId}`);
  });
}
