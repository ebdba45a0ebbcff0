import { inParts } from "./give-way";

// Helpers for statements that take many rows at once, as one array for each column
// (array-literal.ts).

/** Rows in one statement: enough to make the round trip negligible, few enough for memory. */
const BATCH_ROWS = 5_000;

/** Splits rows into batches, each for one statement. */
export function toBatches<T>(rows: readonly T[]): AsyncGenerator<T[]> {
  return inParts(splitRows(rows));
}

function* splitRows<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    yield rows.slice(start, start + BATCH_ROWS);
  }
}

/** Writes bytes in text form, as an element of an array literal. */
export function toBytea(hex: string): string {
  return `\\x${hex.replace(/^0x/, "")}`;
}
