/** The hosts of this machine: nobody listens on the way there. */
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1|)$/;

/**
 * Checks whether a database is reached over TLS, which always verifies the certificate: every one
 * that is not on this machine, unless its URL has `sslmode=disable`.
 * @param address a URL of PostgreSQL
 */
export function isTlsNeeded(address: string): boolean {
  const url = new URL(address);
  const mode = url.searchParams.get("sslmode");
  if (mode !== null) return mode !== "disable";
  return !url.searchParams.has("host") && !LOCAL_HOST.test(getHostname(url));
}

/** Returns a URL's host without the brackets of IPv6. */
export function getHostname({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
