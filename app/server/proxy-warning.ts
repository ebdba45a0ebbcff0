import type { Logger } from "pino";
import { getClientNetwork } from "../domain/client-network";

/** The time for which a proxy is remembered, and after which it is logged again. */
const REMEMBERED_MS = 60 * 60 * 1_000;

/**
 * Notes senders of X-Forwarded-For that TRUSTED_PROXIES does not name. Behind such a proxy all
 * visitors share its address and its limits. A stranger who forges the header is noted, too.
 */
export function createProxyWarning(logger: Logger) {
  let network: string | null = null;
  let notedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Logs a sender, once an hour. */
    note(ip: string): void {
      const now = performance.now();
      if (now - notedAt < REMEMBERED_MS) return;
      notedAt = now;
      network = getClientNetwork(ip);
      logger.warn({ network }, "X-Forwarded-For from a sender that TRUSTED_PROXIES does not name");
    },
    /** Returns the network of a sender of the last hour. */
    find: (): string | null => (performance.now() - notedAt < REMEMBERED_MS ? network : null),
  };
}
