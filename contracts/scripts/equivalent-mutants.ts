/** Mutants that behave like the contract, as `line -> changed line`, each with the reason. */
export const EQUIVALENT: ReadonlyMap<string, string> = new Map([
  [
    "b.marks[marker >> 8] = marks | mark; -> b.marks[marker >> 8] = marks ^ mark;",
    "the mark is not set yet: the line before refuses a leaf that was paid",
  ],
  [
    "b.book = EXISTS | amount; -> b.book = EXISTS ^ amount;",
    "the amount is at most AMOUNT_MAX, so it has no bit in common with EXISTS",
  ],
]);
