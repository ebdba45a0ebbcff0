/** The most points that one trigger, grant or imported event may credit. */
export const CREDIT_POINTS_MAX = 1_000_000_000;

/** The least and the most points that a call of a trigger may name. */
export interface PointsRange {
  readonly min: number;
  readonly max: number;
}

/** The most points that a wallet may hold: every total stays an exact JSON number. */
export const TOTAL_POINTS_MAX = Number.MAX_SAFE_INTEGER;
