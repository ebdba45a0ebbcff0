import { Failure, type FailureCode } from "./failure";

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads a UUID of any version in any letter case. Returns null when the text is not one. */
export function parseUuid(text: string): string | null {
  return UUID_PATTERN.test(text) ? text.toLowerCase() : null;
}

/**
 * Reads a UUID that a request names.
 * @throws {Failure} the code, when the text is not one
 */
export function requireUuid(text: string, code: FailureCode = "not_found"): string {
  const id = parseUuid(text);
  if (!id) throw new Failure(code);
  return id;
}
