import ipaddr from "ipaddr.js";

/**
 * The IPv6 addresses of hosts on the Internet. All others are local, embed IPv4 or are not in use.
 */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Checks whether an IP address belongs to a host on the Internet. It refuses addresses of this
 * machine, of private networks and of a cloud's link-local range, and IPv6 forms of such IPv4
 * addresses.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_IPV6);
}
