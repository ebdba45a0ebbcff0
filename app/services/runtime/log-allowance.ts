/**
 * Lets strangers write so many lines of the log a minute and no more.
 * @returns whether one more line may be written now
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
