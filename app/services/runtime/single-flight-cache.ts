import { LRUCache } from "lru-cache";

/**
 * Keeps answers for a moment, so that any number of readers costs one read in that time. Readers that
 * come during a read get its answer or its failure; a failure is not kept.
 * @param options.keepMs how old an answer can get
 * @param options.entriesMax beyond it, the oldest entry makes room
 * @returns reads the entry of a key, by `read` where there is none
 */
export function createSingleFlightCache<Value extends string | number | object>(options: {
  readonly keepMs: number;
  readonly entriesMax: number;
}): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const entries = new LRUCache<string, Value, () => Promise<Value>>({
    max: options.entriesMax,
    ttl: options.keepMs,
    ttlResolution: 0,
    // Looked up at each call, so that a test can put a clock in its place.
    perf: { now: () => performance.now() },
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: read }) => read(),
  });
  // `peek` leaves the order of the entries as it is: by age, not by use.
  return async (key, read) => entries.peek(key) ?? entries.forceFetch(key, { context: read });
}
