import net from "node:net";
import { createRangeCheck, type ParsedAddress, parseAddress } from "../net/address-ranges";

/**
 * Creates a reader of a request's client address. X-Forwarded-For is trusted only as far as trusted
 * proxies wrote it. Each proxy appends the address that called it, so the list is read from its
 * end: the first address that is not a trusted proxy's is the client's. Anyone can forge the
 * entries before it.
 * @param trustedProxies addresses and CIDR ranges
 * @param onUntrusted is told the address of a sender of the header who is not trusted
 * @returns reads the client's address from the socket's address and the header; IPv4 is in
 *   dotted notation
 */
export function createClientIpReader(
  trustedProxies: readonly string[],
  onUntrusted: (ip: string) => void = () => {},
): (socketIp: string, forwardedFor: string | undefined) => string {
  const isTrusted = createRangeCheck(trustedProxies);
  return (socketIp, forwardedFor = "") => {
    let client = parseAddress(socketIp);
    if (!client) return socketIp;
    const isBelieved = isTrusted(client);
    if (forwardedFor !== "" && !isBelieved) onUntrusted(client.toString());
    const hops = isBelieved ? forwardedFor.split(",") : [];
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
