import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { pipelinedQuery } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { rankOf } from "./ranking";

/** A wallet's standing in a point system. */
export interface WalletEntry {
  readonly address: Address;
  readonly points: number;
  readonly events: number;
  readonly rank: number;
}

const wallet = alias(wallets, "wallet");

const selectWalletEntry = pipelinedQuery("reads", (db) =>
  db
    .select({
      address: wallet.address,
      points: wallet.points,
      events: wallet.events,
      rank: rankOf(sql`wallet`),
    })
    .from(wallet)
    .where(
      and(
        eq(wallet.pointSystemId, sql.placeholder("pointSystemId")),
        eq(wallet.address, sql.param(sql.placeholder("address"), wallet.address)),
      ),
    )
    .prepare("find_wallet_entry"),
);

/**
 * Finds the entry of a wallet. Null when the address never received points and is not registered.
 */
export async function findWalletEntry(
  pointSystemId: string,
  address: Address,
): Promise<WalletEntry | null> {
  const [entry] = await selectWalletEntry({ pointSystemId, address });
  return entry ?? null;
}

/**
 * Reads the entry of a wallet.
 * @throws {Failure} `wallet_not_found` when the address never received points and is not registered
 */
export async function getWalletEntry(
  pointSystemId: string,
  address: Address,
): Promise<WalletEntry> {
  const entry = await findWalletEntry(pointSystemId, address);
  if (!entry) throw new Failure("wallet_not_found");
  return entry;
}
