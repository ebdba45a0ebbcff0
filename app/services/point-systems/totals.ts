import { eq, sql } from "drizzle-orm";
import { pipelinedQuery } from "../../db/client";
import { pointSystemTotals } from "../../db/schema/ledger";

const selectTotals = pipelinedQuery("reads", (db) =>
  db
    .select({
      wallets: pointSystemTotals.wallets,
      blacklistedWallets: pointSystemTotals.blacklistedWallets,
      events: pointSystemTotals.events,
    })
    .from(pointSystemTotals)
    .where(eq(pointSystemTotals.pointSystemId, sql.placeholder("pointSystemId")))
    .prepare("select_totals"),
);

/** Reads the numbers of wallets and events of a point system, without counting them. */
export async function findTotals(
  pointSystemId: string,
): Promise<{ wallets: number; blacklistedWallets: number; events: number }> {
  const [totals] = await selectTotals({ pointSystemId });
  return totals ?? { wallets: 0, blacklistedWallets: 0, events: 0 };
}
