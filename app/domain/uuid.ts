const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads a UUID of any version in any letter case. Returns null when the text is not one. */
export function parseUuid(text: string): string | null {
  return UUID_PATTERN.test(text) ? text.toLowerCase() : null;
}
