import { LRUCache } from "lru-cache";

/** Some seconds of credits: a webhook that keeps up carries them within two. */
const EVENTS_MAX = 10_000;

// Traces are kept in memory, not beside the ledger's events: a credit must not pay for them.
const traces = new LRUCache<string, string>({ max: EVENTS_MAX });

/** Remembers the trace of the request that makes an event, for a delivery by this process. */
export function rememberTrace(eventId: string, traceId: string): void {
  traces.set(eventId, traceId);
}

/** Finds the one trace of all these events; null when they have several, or one has none here. */
export function findTrace(eventIds: readonly string[]): string | null {
  const [first = null, ...others] = new Set(eventIds.map((id) => traces.get(id)));
  return others.length === 0 ? first : null;
}
