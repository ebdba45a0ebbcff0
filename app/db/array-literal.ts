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
  if (typeof value === "string") {
    const lastBackslash = value.lastIndexOf("\\");
    if (lastBackslash > 0 || value.includes('"')) return `"${value.replace(/["\\]/g, "\\$&")}"`;
    // Bytes in hex begin with their only one.
    return lastBackslash === 0 ? `"\\${value}"` : `"${value}"`;
  }
  return `"\\\\x${value.toString("hex")}"`;
}

/**
 * Reads a PostgreSQL array as text, of one dimension. Its elements are numbers, ids or words, which have no quotes.
 * @returns the elements as text; null where PostgreSQL has NULL
 */
export function readPlainArray(text: string): (string | null)[] {
  if (text === "{}") return [];
  return text
    .slice(1, -1)
    .split(",")
    .map((element) => (element === "NULL" ? null : element));
}

/** Writes an array literal of texts that need no quotes, such as numbers and UUIDs. It is faster than one with quotes. */
export function toPlainArray(elements: readonly (string | number)[]): string {
  return `{${elements.join(",")}}`;
}

/** Writes an array literal of bytes that are given in hexadecimal digits. */
export function toBytesArray(elements: readonly string[]): string {
  return elements.length === 0 ? "{}" : `{\\\\x${elements.join(",\\\\x")}}`;
}
