import net from "node:net";
import ipaddr from "ipaddr.js";

type ParsedAddress = ReturnType<typeof ipaddr.process>;
type Range = readonly [address: ParsedAddress, prefixLength: number];

/** The prefix of IPv4 addresses in IPv6 notation: `::ffff:0:0/96`. */
const MAPPED_PREFIX_LENGTH = 96;

/**
 * Creates a reader of a request's client address. X-Forwarded-For is trusted only as far as trusted
 * proxies wrote it. Each proxy appends the address that called it, so the list is read from its
 * end: the first address that is not a trusted proxy's is the client's. Anyone can forge the
 * entries before it.
 * @param trustedProxies addresses and CIDR ranges
 * @returns reads the client's address from the socket's address and the header; IPv4 is in
 *   dotted notation
 */
export function createClientIpReader(
  trustedProxies: readonly string[],
): (socketIp: string, forwardedFor: string | undefined) => string {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: ParsedAddress) =>
    ranges.some(
      ([range, length]) =>
        // Ranges and addresses of different kinds cannot be compared.
        range.kind() === address.kind() &&
        (address as ipaddr.IPv6).match(range as ipaddr.IPv6, length),
    );
  return (socketIp, forwardedFor = "") => {
    let client = parseAddress(socketIp);
    if (!client) return socketIp;
    const hops = ranges.length > 0 && isTrusted(client) ? forwardedFor.split(",") : [];
    for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
      const address = parseHop(hop);
      // The entry is unreadable: the last known address stands for the client.
      if (!address) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return client.toString();
  };
}

/**
 * Parses one entry of the header: an address, which some proxies write in brackets or with a port.
 */
function parseHop(text: string): ParsedAddress | null {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^[\]]*?))(?::\d{1,5})?$/.exec(text.trim()) ?? [];
  if (bracketed !== undefined) return net.isIPv6(bracketed) ? parseAddress(bracketed) : null;
  const whole = text.trim();
  // An IPv6 address without brackets has no port: the text after its last colon is part of it.
  return parseAddress(net.isIPv6(whole) ? whole : (plain ?? ""));
}

/**
 * Parses an address. Returns null for other text, and for an address with a zone, which is valid on
 * one machine only.
 */
function parseAddress(text: string): ParsedAddress | null {
  if (net.isIP(text) === 0 || text.includes("%")) return null;
  return ipaddr.process(text);
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
