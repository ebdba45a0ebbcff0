import net from "node:net";
import ipaddr from "ipaddr.js";

type ParsedAddress = ReturnType<typeof ipaddr.process>;
type Range = readonly [address: ParsedAddress, prefixLength: number];

/** IPv4 in IPv6 notation: `::ffff:0:0/96`. */
const MAPPED_PREFIX_LENGTH = 96;

/**
 * Finds out who a request is from. X-Forwarded-For is believed only as far as trusted proxies wrote
 * it: each appends the address that it was called from, so the list is read from its end, and the
 * first address that is no trusted proxy's is the client's. What stands before that one, anybody
 * can have sent.
 * @param trustedProxies addresses and CIDR ranges
 * @returns reads the client's address, IPv4 in its own notation, from the socket's and the header
 */
export function createClientIpReader(
  trustedProxies: readonly string[],
): (socketIp: string, forwardedFor: string | undefined) => string {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: ParsedAddress) =>
    ranges.some(
      ([range, length]) =>
        // Ranges and addresses of the two kinds do not compare.
        range.kind() === address.kind() &&
        (address as ipaddr.IPv6).match(range as ipaddr.IPv6, length),
    );
  return (socketIp, forwardedFor = "") => {
    let client = parseAddress(socketIp);
    if (!client) return socketIp;
    const hops = ranges.length > 0 && isTrusted(client) ? forwardedFor.split(",") : [];
    for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
      const address = parseHop(hop);
      // Nobody can tell what a proxy meant by it: the last one that is known stands for the client.
      if (!address) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return client.toString();
  };
}

/** One entry of the header: an address, in brackets or with a port as some proxies write it. */
function parseHop(text: string): ParsedAddress | null {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^[\]]*?))(?::\d{1,5})?$/.exec(text.trim()) ?? [];
  if (bracketed !== undefined) return net.isIPv6(bracketed) ? parseAddress(bracketed) : null;
  const whole = text.trim();
  // An IPv6 address without brackets has no port: what follows its last colon is a part of it.
  return parseAddress(net.isIPv6(whole) ? whole : (plain ?? ""));
}

/** Null for what is no address, and for one with a zone, which means something on one machine only. */
function parseAddress(text: string): ParsedAddress | null {
  if (net.isIP(text) === 0 || text.includes("%")) return null;
  return ipaddr.process(text);
}

function parseRange(text: string): Range {
  const [address, length] = ipaddr.parseCIDR(
    text.includes("/") ? text : `${text}/${ipaddr.parse(text).kind() === "ipv4" ? 32 : 128}`,
  );
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  // A shorter prefix than that of all of IPv4 is a slip: it must not come to trust everybody.
  if (!isMapped || length < MAPPED_PREFIX_LENGTH) return [address, length];
  return [address.toIPv4Address(), length - MAPPED_PREFIX_LENGTH];
}
