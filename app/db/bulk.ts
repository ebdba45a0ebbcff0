// For statements that take many rows at once, as one array a column (array-literal.ts).

/** Rows a statement: enough that the round trip is nothing, few enough for memory. */
const BATCH_ROWS = 5_000;

/** Cuts rows into batches, each to be written or looked up by one statement. */
export function* toBatches<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    yield rows.slice(start, start + BATCH_ROWS);
  }
}

/** The text form of bytes, as an element of an array literal. */
export function toBytea(hex: string): string {
  return `\\x${hex.replace(/^0x/, "")}`;
}
