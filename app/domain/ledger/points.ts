/** The most points that one trigger, grant or imported event may credit. */
export const CREDIT_POINTS_MAX = 1_000_000_000;

/** The most points that a wallet may hold: every total stays an exact JSON number. */
export const TOTAL_POINTS_MAX = Number.MAX_SAFE_INTEGER;
