import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "../support/server-process";

/** The longest that a rule waits, and the time to scrape and to evaluate on a busy machine. */
export const SETTLES_WITHIN_MS = 120_000;

/**
 * Creates the function that makes a situation in which alerts fire that did not before, and ends it.
 * @param listFiring lists the names of the alerts that fire
 * @param fired receives the names of those that it has seen firing
 */
export function createProvoker(listFiring: () => Promise<Set<string>>, fired: Set<string>) {
  /** Waits until all alerts fire, or none. */
  async function settle(names: readonly string[], isFiring: boolean): Promise<void> {
    let others = names;
    const look = async () => {
      const firing = await listFiring();
      others = names.filter((name) => firing.has(name) !== isFiring);
      return others.length === 0;
    };
    await waitUntil(look, SETTLES_WITHIN_MS).catch(() => {
      throw new Error(`${others.join(", ")}: ${isFiring ? "not fired" : "not ended"}`);
    });
  }

  /**
   * @param make makes the situation, and returns what ends it
   * @param hasEnd whether the alerts are to end soon after the situation
   */
  return async function provoke(
    names: readonly string[],
    make: () => Promise<() => Promise<unknown>>,
    { hasEnd = true } = {},
  ): Promise<void> {
    // A second attempt finds the alerts of the first.
    await settle(names, false);
    const end = await make();
    try {
      await settle(names, true);
      for (const name of names) fired.add(name);
    } finally {
      await end();
    }
    if (hasEnd) await settle(names, false);
  };
}

/** Does something again and again, until it is stopped. */
export function keepDoing(callers: number, act: () => Promise<unknown>): () => Promise<void> {
  let isOver = false;
  const loops = Array.from({ length: callers }, async () => {
    while (!isOver) {
      await act().catch(() => {});
      await sleep(5);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}
