import ipaddr from "ipaddr.js";

/** One subscriber's share of IPv6: whoever holds an address holds all of its /64. */
const IPV6_GROUPS = 4;

/**
 * What a limit per IP counts: an IPv4 address, or the /64 of an IPv6 address. IPv4 in IPv6 notation
 * is IPv4. Text that is no address counts as itself.
 */
export function getClientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, IPV6_GROUPS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
