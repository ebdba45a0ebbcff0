/** Numbers that a seed repeats. */
export type Random = ReturnType<typeof createRandom>;

/** Creates a generator of pseudo-random numbers: mulberry32, by Tommy Ettinger. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** Returns a number from 0 up to, but not including, 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** Returns a whole number from `least` to `most`. */
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  /** Returns one of the list. */
  const pick = <T>(list: readonly T[]) => list[between(0, list.length - 1)] as T;
  return { next, between, pick };
}
