/**
 * Keeps answers for a moment, so that any number of readers costs one read in that time. Whoever
 * asks while a read is under way waits for that one. A failure is told to all who wait, and kept
 * for nobody.
 * @param options.keepMs how old an answer can get
 * @param options.entriesMax beyond it, the oldest entry makes room
 * @returns reads the entry of a key, by `read` where there is none
 */
export function createBriefCache<Value>(options: {
  readonly keepMs: number;
  readonly entriesMax: number;
}): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const { keepMs, entriesMax } = options;
  const entries = new Map<string, { value: Promise<Value>; expiresAt: number }>();
  return (key, read) => {
    const kept = entries.get(key);
    if (kept && performance.now() < kept.expiresAt) return kept.value;
    const entry = { value: read(), expiresAt: Number.POSITIVE_INFINITY };
    // Deleted first: a map remembers where a key once stood.
    entries.delete(key);
    entries.set(key, entry);
    const oldest = entries.keys().next();
    if (entries.size > entriesMax && !oldest.done) entries.delete(oldest.value);
    entry.value.then(
      () => {
        entry.expiresAt = performance.now() + keepMs;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry.value;
  };
}
