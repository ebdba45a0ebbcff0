import type { Address } from "../../domain/address";
import type { Member } from "../access/members";
import { type BlacklistEntry, findBlacklistEntry } from "../ledger/blacklist-entries";
import { findPrimary } from "../ledger/primaries";
import { findBalance } from "../ledger/spending";
import { findTotals } from "../point-systems/totals";
import { findWalletEntry } from "./wallets";

/** The standing of a wallet in a point system, also for a wallet without an entry there. */
export interface WalletProfile {
  readonly address: Address;
  /** The wallet that has its points: the primary one of a linked wallet, otherwise itself. */
  readonly holder: Address;
  readonly points: number;
  /** The points that it spent, less those given back. */
  readonly spent: number;
  readonly events: number;
  /**
   * Null when the wallet has no entry. For a blacklisted wallet it is the position that it would
   * hold.
   */
  readonly rank: number | null;
  /** The number of wallets on the board. */
  readonly boardSize: number;
  /** The holder's entry of the blacklist. */
  readonly blacklisted: BlacklistEntry | null;
  /** The time before which the point system's events were archived. */
  readonly archivedBefore: Date | null;
}

/** Reads a wallet's standing. */
export async function getWalletProfile(member: Member, address: Address): Promise<WalletProfile> {
  const { pointSystemId } = member;
  const holder = (await findPrimary(pointSystemId, address)) ?? address;
  const [entry, balance, blacklisted, totals] = await Promise.all([
    findWalletEntry(pointSystemId, address),
    findBalance(pointSystemId, address),
    findBlacklistEntry(member, holder),
    findTotals(pointSystemId),
  ]);
  return {
    address,
    holder,
    points: entry?.points ?? 0,
    spent: balance?.spent ?? 0,
    events: entry?.events ?? 0,
    rank: entry?.rank ?? null,
    boardSize: totals.wallets - totals.blacklistedWallets,
    blacklisted,
    archivedBefore: totals.archivedBefore,
  };
}
