import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { moveOnBoards } from "./rank-moves";
import { changeTotals } from "./totals";

/** The entry of a wallet, with the time of the event that opened it. */
export interface OpenedEntry {
  readonly address: Address;
  readonly openedAt: Date;
}

/** Removes the entries of wallets without points and events. The caller holds the ledger lock. */
export async function removeEntries(
  tx: Transaction,
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<void> {
  if (addresses.length === 0) return;
  await moveOnBoards(tx, [pointSystemId], addresses, () =>
    removeEmptied(tx, pointSystemId, addresses),
  );
}

/**
 * Removes those of these entries that have no points and no events left, within `moveOnBoards`. An entry that was opened
 * otherwise has another time: a wallet that was registered before keeps it. So does one that was credited through the
 * API since, for the limit of its calls.
 */
export async function removeOpenedEntries(
  tx: Transaction,
  pointSystemId: string,
  entries: readonly OpenedEntry[],
): Promise<void> {
  const opened = await tx.execute<{ address: Address }>(sql`
    select '0x' || encode(w.address, 'hex') as address
    from unnest(
      ${toArrayLiteral(entries.map(({ address }) => toBytea(address)))}::bytea[],
      ${toArrayLiteral(entries.map(({ openedAt }) => openedAt.toISOString()))}::timestamptz[]
    ) as e(address, created_at)
    cross join lateral (
      select * from wallets
      where point_system_id = ${pointSystemId}::uuid and address = e.address limit 1
    ) w
    where w.points = 0 and w.events = 0 and w.created_at = e.created_at and w.last_credit_at <= e.created_at`);
  const addresses = opened.map(({ address }) => address);
  if (addresses.length > 0) await removeEmptied(tx, pointSystemId, addresses);
}

async function removeEmptied(
  tx: Transaction,
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<void> {
  const [row] = await tx.execute<{ removed: number; blacklisted: number }>(sql`
    select removed, blacklisted
    from remove_emptied_wallets(${pointSystemId}::uuid, ${toArrayLiteral(addresses.map(toBytea))}::bytea[])`);
  const { removed, blacklisted } = row ?? { removed: 0, blacklisted: 0 };
  await changeTotals(tx, pointSystemId, { wallets: -removed, blacklistedWallets: -blacklisted });
}
