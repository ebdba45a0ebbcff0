/** The least and the greatest factor of a boost. */
export const BOOST_FACTOR_MIN = 1.01;
export const BOOST_FACTOR_MAX = 100;

/** The most boosts of a point system that run or are to come. */
export const BOOSTS_MAX = 20;

/** The most wallets of a boost that is not for every wallet. */
export const BOOST_WALLETS_MAX = 1_000;

/** Checks that a number is a factor that a boost may have: 1.01 to 100, with at most two decimal places. */
export function isBoostFactor(factor: number): boolean {
  return (
    factor >= BOOST_FACTOR_MIN && factor <= BOOST_FACTOR_MAX && Number(factor.toFixed(2)) === factor
  );
}

/** The part of an event that says how a boost made its points. */
export interface AppliedBoost {
  readonly basePoints: number;
  readonly factor: number;
}

/** Makes an event's boost from its columns; null when none was applied. */
export function toAppliedBoost(
  basePoints: number | null,
  factor: number | null,
): AppliedBoost | null {
  return basePoints === null || factor === null ? null : { basePoints, factor };
}
