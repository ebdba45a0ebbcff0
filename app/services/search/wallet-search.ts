import { isEnsConfigured } from "../../chain/ens/ens";
import { type Address, parseAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { PAGE_LIMIT_DEFAULT } from "../../domain/pagination";
import type { Member } from "../access/members";
import { findWalletEntry } from "../board/wallets";
import { ensNames } from "../ens/names";
import { findBlacklistEntry } from "../ledger/blacklist-entries";

/** A wallet that was looked for, and where it is. */
export interface FoundWallet {
  readonly address: Address;
  /** The ENS name that was looked for. */
  readonly name: string | null;
  /** `unknown`: it never had points here. */
  readonly standing: "board" | "blacklisted" | "unknown";
  /** Its page of the board, when it is there. */
  readonly page: number | null;
}

/**
 * Looks a wallet up on the board.
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

/** The page of the board that a position is on. */
export function getBoardPage(rank: number): number {
  return Math.ceil(rank / PAGE_LIMIT_DEFAULT);
}

/**
 * Reads an address, or resolves an ENS name.
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
