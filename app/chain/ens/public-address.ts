import ipaddr from "ipaddr.js";

/** What the Internet routes to hosts, of IPv6: everything else is local, embeds IPv4, or is not in use. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address is one of a host on the Internet: not this machine's, not a private network's,
 * not a cloud's link-local one, and no IPv6 form that holds such an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_IPV6);
}
