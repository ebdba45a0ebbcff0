import type { Transaction } from "../../db/client";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { appendToLedger, findWalletPoints } from "./append";
import { findBlacklisted } from "./blacklist-look-up";
import { findPrimaries } from "./primaries";
import { readDatabaseClock, writeLedger } from "./write-ledger";

/**
 * Registers a wallet in a point system: it gets an entry without points. A linked wallet has its primary one's.
 * @returns whether the entry is new; an existing one stays as it is
 * @throws {Failure} `wallet_blacklisted`
 */
export function registerWallet(pointSystemId: string, address: Address): Promise<boolean> {
  return writeLedger(pointSystemId, (tx) => addEntry(tx, pointSystemId, address));
}

/**
 * Registers a wallet for an operator, as `registerWallet` does.
 * @throws {Failure} `wallet_blacklisted`
 */
export function registerWalletByHand(
  { actor, pointSystemId }: Editor,
  address: Address,
): Promise<boolean> {
  return writeLedger(pointSystemId, async (tx) => {
    const isNew = await addEntry(tx, pointSystemId, address);
    if (isNew) {
      await recordAudit(tx, actor, { pointSystemId, action: "wallet.register", subject: address });
    }
    return isNew;
  });
}

async function addEntry(
  tx: Transaction,
  pointSystemId: string,
  address: Address,
): Promise<boolean> {
  const banned = await findBlacklisted(tx, pointSystemId, [address]);
  if (banned.size > 0) throw new Failure("wallet_blacklisted");
  const primaries = await findPrimaries(tx, pointSystemId, [address]);
  const known = await findWalletPoints(tx, pointSystemId, [primaries.get(address) ?? address]);
  if (known.size > 0) return false;
  const registeredAt = await readDatabaseClock(tx);
  await appendToLedger(tx, pointSystemId, { events: [], registered: [address], registeredAt });
  return true;
}
