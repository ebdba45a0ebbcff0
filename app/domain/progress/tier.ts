/** The most tiers of a point system. */
export const TIERS_MAX = 20;

/** The longest name of a tier, in characters. */
export const TIER_NAME_LENGTH_MAX = 40;

/** A tier of a point system: wallets with at least its points have it, unless a higher one fits. */
export interface Tier {
  readonly name: string;
  /** Whole points, from 0. */
  readonly pointsMin: number;
  /** `#` and six lowercase hexadecimal digits. */
  readonly color: string;
}

/**
 * Finds the tier of a number of points.
 * @param tiers in any order
 * @returns null below the lowest tier
 */
export function findTier(tiers: readonly Tier[], points: number): Tier | null {
  let found: Tier | null = null;
  for (const tier of tiers) {
    if (tier.pointsMin > points) continue;
    if (found === null || tier.pointsMin > found.pointsMin) found = tier;
  }
  return found;
}
