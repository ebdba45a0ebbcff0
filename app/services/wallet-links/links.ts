import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import { walletLinks } from "../../db/schema/wallet-links";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { WALLETS_OF_HOLDER_MAX } from "../../domain/wallet-links/wallet-link";
import { recordAudit } from "../access/audit-log";
import type { Actor, Editor } from "../access/members";
import { appendToLedger, markWallets } from "../ledger/append";
import { findBlacklisted } from "../ledger/blacklist-look-up";
import { moveHoldings, type WalletPair } from "../ledger/move";
import { readDatabaseClock, writeLedger } from "../ledger/write-ledger";
import { sayEvent } from "../webhooks/outbox/say-event";
import { linkFields, linksOf } from "./list";

/** The points that came to the primary wallet, and the events that they stand for. */
export interface MovedPoints {
  readonly points: number;
  readonly events: number;
}

/**
 * Links a wallet to a primary one for an operator.
 * @throws {Failure} as `linkInLedger`
 */
export function linkWallets(
  { actor, pointSystemId }: Editor,
  pair: WalletPair,
): Promise<MovedPoints> {
  return linkInLedger(pointSystemId, pair, actor);
}

/**
 * Links a wallet to a primary one: its points move there, and so does from now on what is credited to it. Both happen in
 * one transaction, whose length does not depend on the number of its events.
 * @param actor the operator; null for the holder, who has signed with both wallets
 * @throws {Failure} `wallets_same`, `wallet_linked` when the wallet has a primary one, `wallet_has_links` when it is one,
 *   `primary_linked` when the primary one is linked itself, `too_many_linked_wallets`, `wallet_blacklisted`,
 *   `points_limit_reached`
 */
export async function linkInLedger(
  pointSystemId: string,
  pair: WalletPair,
  actor: Actor | null,
): Promise<MovedPoints> {
  return writeLedger(pointSystemId, async (tx) => {
    const date = await readDatabaseClock(tx);
    const operatorId = actor?.operatorId ?? null;
    const moved = await addLink(tx, pointSystemId, pair, { date, operatorId });
    const linkedBy = actor ? "operator" : "holder";
    await recordAudit(tx, actor ?? "holder", {
      pointSystemId,
      action: "wallet.link",
      subject: pair.address,
      after: { primaryAddress: pair.primaryAddress, ...moved },
    });
    await sayEvent(tx, pointSystemId, "wallet.linked", { ...pair, ...moved, linkedBy }, actor);
    return moved;
  });
}

/**
 * Links a wallet to a primary one within a transaction whose caller holds the ledger lock.
 * @throws {Failure} as `linkInLedger`
 */
export async function addLink(
  tx: Transaction,
  pointSystemId: string,
  pair: WalletPair,
  { date, operatorId }: { readonly date: Date; readonly operatorId: string | null },
): Promise<MovedPoints> {
  await checkPair(tx, pointSystemId, pair);
  const entries = await moveHoldings(tx, pointSystemId, [pair], { date, operatorId });
  const entry = entries.get(pair.address);
  await tx.insert(walletLinks).values({
    pointSystemId,
    ...pair,
    operatorId,
    linkedAt: date,
    entryCreatedAt: entry ? new Date(entry.createdAtMs) : null,
    entryLastCreditAt: entry ? new Date(entry.lastCreditAtMs) : null,
  });
  return { points: entry?.points ?? 0, events: entry?.events ?? 0 };
}

/** Checks that neither wallet is blacklisted, and that no chain, circle or too large group arises. */
async function checkPair(
  tx: Transaction,
  pointSystemId: string,
  { address, primaryAddress }: WalletPair,
): Promise<void> {
  if (address === primaryAddress) throw new Failure("wallets_same", { field: "primaryAddress" });
  const links = await tx.select(linkFields).from(linksOf(pointSystemId, [address, primaryAddress]));
  if (links.some((link) => link.address === address)) throw new Failure("wallet_linked");
  if (links.some((link) => link.primaryAddress === address)) throw new Failure("wallet_has_links");
  if (links.some((link) => link.address === primaryAddress)) {
    throw new Failure("primary_linked", { field: "primaryAddress" });
  }
  if (links.length + 2 > WALLETS_OF_HOLDER_MAX) throw new Failure("too_many_linked_wallets");
  const banned = await findBlacklisted(tx, pointSystemId, [address, primaryAddress]);
  if (banned.size > 0) throw new Failure("wallet_blacklisted");
}

/**
 * Unlinks a wallet for an operator.
 * @throws {Failure} as `unlinkInLedger`
 */
export function unlinkWallet(
  { actor, pointSystemId }: Editor,
  address: Address,
): Promise<WalletPair> {
  return unlinkInLedger(pointSystemId, address, actor);
}

/**
 * Unlinks a wallet: from now on it gets its own credits again. What moved to the primary wallet stays there.
 * @param actor the operator; null for the holder, who has signed with the linked wallet
 * @throws {Failure} `wallet_not_linked`
 */
export function unlinkInLedger(
  pointSystemId: string,
  address: Address,
  actor: Actor | null,
): Promise<WalletPair> {
  return writeLedger(pointSystemId, async (tx) => {
    const [link] = await tx
      .delete(walletLinks)
      .where(and(eq(walletLinks.pointSystemId, pointSystemId), eq(walletLinks.address, address)))
      .returning();
    if (!link) throw new Failure("wallet_not_linked");
    await restoreEntry(tx, link);
    const { primaryAddress } = link;
    await recordAudit(tx, actor ?? "holder", {
      pointSystemId,
      action: "wallet.unlink",
      subject: address,
      before: { primaryAddress },
    });
    const unlinkedBy = actor ? "operator" : "holder";
    const data = { address, primaryAddress, unlinkedBy };
    await sayEvent(tx, pointSystemId, "wallet.unlinked", data, actor);
    return { address, primaryAddress };
  });
}

/**
 * Gives the wallet back the entry that it had, without points. Its times stay, since the trigger limit and caps go on
 * counting what it was credited before.
 */
async function restoreEntry(tx: Transaction, link: typeof walletLinks.$inferSelect): Promise<void> {
  const { pointSystemId, address, entryCreatedAt, entryLastCreditAt } = link;
  if (!entryCreatedAt || !entryLastCreditAt) return;
  await appendToLedger(tx, pointSystemId, {
    events: [],
    registered: [address],
    registeredAt: entryCreatedAt,
  });
  await tx.execute(sql`
    update wallets set last_credit_at = ${entryLastCreditAt.toISOString()}
    where point_system_id = ${pointSystemId} and address = ${sql.param(address, wallets.address)}`);
  const banned = await findBlacklisted(tx, pointSystemId, [address]);
  if (banned.size > 0) await markWallets(tx, pointSystemId, [address], true);
}
