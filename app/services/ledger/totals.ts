import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";

/** How many wallets and events a point system gained; negative for what left. */
interface TotalsChange {
  readonly wallets?: number;
  readonly blacklistedWallets?: number;
  readonly events?: number;
}

/** Changes the totals of a point system. The caller holds the ledger lock. */
export async function changeTotals(
  tx: Transaction,
  pointSystemId: string,
  { wallets = 0, blacklistedWallets = 0, events = 0 }: TotalsChange,
): Promise<void> {
  await tx.execute(sql`
    select change_totals(${pointSystemId}::uuid, ${wallets}::bigint, ${blacklistedWallets}::bigint, ${events}::bigint)`);
}
