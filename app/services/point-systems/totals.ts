import { sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import { pointSystemTotals } from "../../db/schema/ledger";

const selectTotals = replicatedQuery("reads", (db) =>
  db
    .select({
      wallets: sql`t.wallets`.mapWith(pointSystemTotals.wallets),
      blacklistedWallets: sql`t.blacklisted_wallets`.mapWith(pointSystemTotals.blacklistedWallets),
      events: sql`t.events`.mapWith(pointSystemTotals.events),
      archivedEvents: sql`t.archived_events`.mapWith(pointSystemTotals.archivedEvents),
      archivedBefore: sql`t.archived_before`.mapWith(pointSystemTotals.archivedBefore),
    })
    .from(sql`read_totals(${sql.placeholder("pointSystemId")}) t`)
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
