/**
 * Limits the log lines per minute that unknown callers can cause.
 * @returns a function that tells whether one more line may be written now
 */
export function createLogAllowance(linesPerMinuteMax: number): () => boolean {
  let startedAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return () => {
    const now = performance.now();
    if (now - startedAt >= 60_000) {
      startedAt = now;
      lines = 0;
    }
    if (lines >= linesPerMinuteMax) return false;
    lines += 1;
    return true;
  };
}
