import { createHash } from "node:crypto";

/** Makes a digest by which the terms that an operator saw are compared with those that are stored. */
export function digestValues(values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 32);
}
