import { isEnsConfigured } from "../../chain/ens/ens";
import { type Address, findPastedAddress, getAddressRange } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { PAGE_LIMIT_DEFAULT } from "../../domain/pagination";
import type { Member } from "../access/members";
import { findWalletEntry } from "../board/wallets";
import { ensNames } from "../ens/names";
import { findBlacklistEntry } from "../ledger/blacklist-entries";
import { findPrimary } from "../ledger/primaries";
import { searchPointSystem } from "./search";

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
 * Finds a wallet and its page of the board; for a linked wallet, its primary one, which is on the board for it.
 * @param text an address in any letter case, its beginning as the palette takes it, or an ENS name
 * @throws {Failure} `wallet_prefix_unknown`, `wallet_prefix_ambiguous`, `invalid_address_or_ens`, `ens_not_configured`, `ens_unavailable`
 */
export async function findWalletOnBoard(member: Member, text: string): Promise<FoundWallet> {
  const named = (await findByPrefix(member, text.trim())) ?? (await resolveWallet(member, text));
  const primary = await findPrimary(member.pointSystemId, named.address);
  const found = primary ? { address: primary, name: null } : named;
  const [entry, blacklisted] = await Promise.all([
    findWalletEntry(member.pointSystemId, found.address),
    findBlacklistEntry(member, found.address),
  ]);
  if (blacklisted) return { ...found, standing: "blacklisted", page: null };
  if (!entry) return { ...found, standing: "unknown", page: null };
  return { ...found, standing: "board", page: getBoardPage(entry.rank) };
}

/** Finds the only wallet whose address begins with a text; null when the text is no such beginning. */
async function findByPrefix(member: Member, text: string) {
  if (findPastedAddress(text) || !getAddressRange(text)) return null;
  const { wallets } = await searchPointSystem(member, text);
  const [first] = wallets;
  if (!first) throw new Failure("wallet_prefix_unknown");
  if (wallets.length > 1) throw new Failure("wallet_prefix_ambiguous");
  return { address: first.address, name: null };
}

/** Checks whether texts may offer to enter an ENS name. */
export function canResolveNames(): boolean {
  return isEnsConfigured();
}

/** Computes the page of the board that holds a position. */
export function getBoardPage(rank: number): number {
  return Math.ceil(rank / PAGE_LIMIT_DEFAULT);
}

/**
 * Parses an address or resolves an ENS name, on account of the member's point system.
 * @throws {Failure} `invalid_address_or_ens`, `ens_not_configured`, `ens_unavailable`
 */
export async function resolveWallet(
  { pointSystemId }: Member,
  text: string,
): Promise<{ address: Address; name: string | null }> {
  const trimmed = text.trim();
  const address = findPastedAddress(trimmed);
  if (address) return { address, name: null };
  if (!trimmed.includes(".")) throw new Failure("invalid_address_or_ens");
  if (!isEnsConfigured()) throw new Failure("ens_not_configured");
  const name = await ensNames.normalizeName(trimmed);
  const resolved = name === null ? null : (await ensNames.findAddress(name, pointSystemId)).value;
  if (!resolved) throw new Failure("invalid_address_or_ens");
  return { address: resolved, name };
}
