import { eq, sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import { pointSystemTotals } from "../../db/schema/ledger";

const selectTotals = replicatedQuery("reads", (db) =>
  db
    .select({
      wallets: pointSystemTotals.wallets,
      blacklistedWallets: pointSystemTotals.blacklistedWallets,
      events: pointSystemTotals.events,
      archivedEvents: pointSystemTotals.archivedEvents,
      archivedBefore: pointSystemTotals.archivedBefore,
    })
    .from(pointSystemTotals)
    .where(eq(pointSystemTotals.pointSystemId, sql.placeholder("pointSystemId")))
    .prepare("select_totals"),
);

interface Totals {
  readonly wallets: number;
  readonly blacklistedWallets: number;
  readonly events: number;
  /** Those of the events that are in archives. */
  readonly archivedEvents: number;
  /** The time before which events were archived; null when none was. */
  readonly archivedBefore: Date | null;
}

const NOTHING: Totals = {
  wallets: 0,
  blacklistedWallets: 0,
  events: 0,
  archivedEvents: 0,
  archivedBefore: null,
};

/** Reads the numbers of wallets and events of a point system, without counting them. */
export async function findTotals(pointSystemId: string): Promise<Totals> {
  const [totals] = await selectTotals({ pointSystemId });
  return totals ?? NOTHING;
}
