import ipaddr from "ipaddr.js";

/**
 * The length of one subscriber's share of IPv6 in groups of 16 bits: a subscriber holds a whole
 * /64.
 */
const IPV6_GROUPS = 4;

/**
 * Returns the network that a limit per IP counts: an IPv4 address, or the /64 of an IPv6 address.
 * IPv4 in IPv6 notation counts as IPv4. Text that is not an address counts as itself.
 */
export function getClientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, IPV6_GROUPS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}

/**
 * Returns the network of an address in the form that is kept: the /24 of an IPv4 address, or the /48
 * of an IPv6 address. It tells networks apart, and not their subscribers.
 */
export function getNetworkPrefix(ip: string): string {
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return `${address.octets.slice(0, 3).join(".")}.0/24`;
  const network = address.parts.slice(0, 3).map((part) => part.toString(16));
  return `${network.join(":")}::/48`;
}
