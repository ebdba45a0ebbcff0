/**
 * Writes a PostgreSQL array literal, for statements that take a batch as one array for each column.
 * Bytes are written in hex, text is quoted.
 * Source: PostgreSQL documentation, "Array Value Input".
 */
export function toArrayLiteral(values: readonly (string | Buffer | null)[]): string {
  return `{${values.map(toElement).join(",")}}`;
}

function toElement(value: string | Buffer | null): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  return `"\\\\x${value.toString("hex")}"`;
}
