import { isAddress, zeroAddress } from "viem";
import { parseAddress } from "./address";

/**
 * Describes in a sentence what is doubtful about an address as a person typed it; null when nothing
 * is, or the text is no address. Mixed letters are a checksum (EIP-55); all small or all capital
 * letters have none.
 */
export function describeAddressDoubt(typed: string): string | null {
  const text = typed.trim();
  const address = parseAddress(text);
  if (!address) return null;
  if (address === zeroAddress) return "Nobody owns this address.";
  if (!hasChecksum(text) || isAddress(text, { strict: true })) return null;
  return "A letter of this address is wrong: its checksum does not match.";
}

/** Says whether an address is written with letters of both cases. */
export function hasChecksum(typed: string): boolean {
  const digits = typed.trim().slice(2);
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
}
