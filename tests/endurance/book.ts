/** How a call ended, as its caller knows it. */
export type Outcome = "ok" | "failed" | "unknown";

/** A call that was made. */
export interface Call {
  readonly number: number;
  readonly address: string;
  readonly idempotencyKey: string;
  outcome: Outcome;
  /** Whether an attempt of it was not answered, or with an unknown outcome: a later refusal says nothing about that one. */
  hasOpenAttempt: boolean;
  /** Whether it once got no answer, or a refusal other than the limit's, even if a repetition was credited. */
  isBroken: boolean;
}

/** Creates the list of all calls. */
export function createBook() {
  const calls: Call[] = [];
  return {
    calls,
    /** Writes a call down before it is made: until it ends, its outcome is unknown. */
    open(address: string): Call {
      const number = calls.length;
      const call: Call = {
        number,
        address,
        idempotencyKey: `call-${number}`,
        outcome: "unknown",
        hasOpenAttempt: false,
        isBroken: false,
      };
      calls.push(call);
      return call;
    },
    countBroken: () => calls.filter(({ isBroken }) => isBroken).length,
    count: (outcome: Outcome) => calls.filter((call) => call.outcome === outcome).length,
  };
}
export type Book = ReturnType<typeof createBook>;
