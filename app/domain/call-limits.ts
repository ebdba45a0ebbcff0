/** A limit of calls within any span of time. */
export interface CallLimit {
  readonly calls: number;
  readonly seconds: number;
}

/** The documented limits, by the names that answers have in `RateLimit`. */
export const CALL_LIMITS = {
  /** The credits of one key, wallet and trigger. `credit_points` counts them, and has the same numbers. */
  trigger: { calls: 10, seconds: 60 },
  /** The calls of one network to both public endpoints. */
  public: { calls: 60, seconds: 60 },
} as const satisfies Record<string, CallLimit>;

export type CallLimitName = keyof typeof CALL_LIMITS;

/** The room that a limit leaves after a call. */
export interface Room {
  readonly callsLeft: number;
  /** Seconds until there is room for one more. */
  readonly seconds: number;
}
