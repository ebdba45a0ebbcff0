import { LRUCache } from "lru-cache";

/**
 * Creates a cache that keeps answers for a short time, so that many readers cost one read in that
 * time. Readers that arrive during a read get its answer or its failure. A failure is not kept.
 * @param options.keepMs the largest age of an answer, in milliseconds
 * @param options.entriesMax the most entries; beyond it, the oldest one is removed
 * @returns a function that returns the entry of a key, and reads it by `read` when there is none
 */
export function createSingleFlightCache<Value extends string | number | object>(options: {
  readonly keepMs: number;
  readonly entriesMax: number;
}): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const entries = new LRUCache<string, Value, () => Promise<Value>>({
    max: options.entriesMax,
    ttl: options.keepMs,
    ttlResolution: 0,
    // The clock is looked up at each call, so that a test can replace it.
    perf: { now: () => performance.now() },
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: read }) => read(),
  });
  // `peek` keeps the entries in the order of their age instead of their use.
  return async (key, read) => entries.peek(key) ?? entries.forceFetch(key, { context: read });
}
