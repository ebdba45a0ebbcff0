import { isEnsConfigured } from "../../chain/ens/ens";
import { type Address, parseAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { PAGE_LIMIT_DEFAULT } from "../../domain/pagination";
import type { Member } from "../access/members";
import { findWalletEntry } from "../board/wallets";
import { ensNames } from "../ens/names";
import { findBlacklistEntry } from "../ledger/blacklist-entries";

/** The result of a search for a wallet. */
export interface FoundWallet {
  readonly address: Address;
  /** The ENS name that was searched for. */
  readonly name: string | null;
  /** `unknown`: the wallet never had points here. */
  readonly standing: "board" | "blacklisted" | "unknown";
  /** The page of the board that holds it, when it is on the board. */
  readonly page: number | null;
}

/**
 * Finds a wallet and its page of the board.
 * @param text an address in any letter case, or an ENS name
 * @throws {Failure} `invalid_address_or_ens`, `ens_not_configured`, `ens_unavailable`
 */
export async function findWalletOnBoard(member: Member, text: string): Promise<FoundWallet> {
  const found = await resolveWallet(text);
  const [entry, blacklisted] = await Promise.all([
    findWalletEntry(member.pointSystemId, found.address),
    findBlacklistEntry(member, found.address),
  ]);
  if (blacklisted) return { ...found, standing: "blacklisted", page: null };
  if (!entry) return { ...found, standing: "unknown", page: null };
  return { ...found, standing: "board", page: getBoardPage(entry.rank) };
}

/** Computes the page of the board that holds a position. */
export function getBoardPage(rank: number): number {
  return Math.ceil(rank / PAGE_LIMIT_DEFAULT);
}

/**
 * Parses an address or resolves an ENS name.
 * @throws {Failure} `invalid_address_or_ens`, `ens_not_configured`, `ens_unavailable`
 */
export async function resolveWallet(
  text: string,
): Promise<{ address: Address; name: string | null }> {
  const trimmed = text.trim();
  const address = parseAddress(trimmed);
  if (address) return { address, name: null };
  if (!trimmed.includes(".")) throw new Failure("invalid_address_or_ens");
  if (!isEnsConfigured()) throw new Failure("ens_not_configured");
  const name = await ensNames.normalizeName(trimmed);
  const resolved = name === null ? null : (await ensNames.findAddress(name)).value;
  if (!resolved) throw new Failure("invalid_address_or_ens");
  return { address: resolved, name };
}
