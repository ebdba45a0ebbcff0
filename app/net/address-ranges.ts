import net from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

export type ParsedAddress = ReturnType<typeof ipaddr.process>;
type Range = readonly [address: ParsedAddress, prefixLength: number];

/** The prefix of IPv4 addresses in IPv6 notation: `::ffff:0:0/96`. */
const MAPPED_PREFIX_LENGTH = 96;

/**
 * Creates a check whether an address is in one of the ranges.
 * @param ranges addresses and CIDR ranges
 */
export function createRangeCheck(ranges: readonly string[]): (address: ParsedAddress) => boolean {
  const known = ranges.map(parseRange);
  return (address) =>
    known.some(
      ([range, length]) =>
        // Ranges and addresses of different kinds cannot be compared.
        range.kind() === address.kind() &&
        (address as ipaddr.IPv6).match(range as ipaddr.IPv6, length),
    );
}

/** The addresses that were parsed last: most requests come from the same few. */
const parsed = new LRUCache<string, ParsedAddress>({ max: 1_000 });

/**
 * Parses an address. Returns null for other text, and for an address with a zone, which is valid on
 * one machine only.
 */
export function parseAddress(text: string): ParsedAddress | null {
  const known = parsed.get(text);
  if (known) return known;
  if (net.isIP(text) === 0 || text.includes("%")) return null;
  const address = ipaddr.process(text);
  parsed.set(text, address);
  return address;
}

function parseRange(text: string): Range {
  const [address, length] = ipaddr.parseCIDR(
    text.includes("/") ? text : `${text}/${ipaddr.parse(text).kind() === "ipv4" ? 32 : 128}`,
  );
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  // A prefix shorter than the one of all IPv4 addresses is a mistake: it must not trust every
  // address.
  if (!isMapped || length < MAPPED_PREFIX_LENGTH) return [address, length];
  return [address.toIPv4Address(), length - MAPPED_PREFIX_LENGTH];
}
