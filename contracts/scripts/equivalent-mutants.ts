/** Mutants that behave like the contract, as `line -> changed line`, each with the reason. */
export const EQUIVALENT: ReadonlyMap<string, string> = new Map([
  [
    "b.marks[marker >> 8] = marks | mark; -> b.marks[marker >> 8] = marks ^ mark;",
    "the mark is not set yet: the line before refuses a leaf that was paid",
  ],
  [
    "if (marker < BOOK_MARKS) { -> if (marker < (BOOK_MARKS - 1)) {",
    "marker 127 then has its mark in the word beside the book, at the bit from which it is read as well",
  ],
  [
    "if (gasleft() < gasEach + gasEach / 63 + HAND_OVER_GAS) revert NotEnoughGas(); -> if (gasleft() <= gasEach + gasEach / 63 + HAND_OVER_GAS) revert NotEnoughGas();",
    "it asks for one unit of gas more, and HAND_OVER_GAS is thousands of units more than the call takes",
  ],
  [
    "b.book = EXISTS | amount; -> b.book = EXISTS ^ amount;",
    "the amount is at most AMOUNT_MAX, so it has no bit in common with EXISTS",
  ],
]);
