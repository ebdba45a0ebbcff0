export const TRIGGER_KEY_LENGTH_MAX = 100;

const TRIGGER_KEY_PATTERN = new RegExp(`^[a-z0-9_]{1,${TRIGGER_KEY_LENGTH_MAX}}$`);

/**
 * Turns typed text into a trigger key: lowercase, spaces to `_`, other characters removed. The
 * result may be empty.
 */
export function sanitizeTriggerKey(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(" ", "_")
    .replace(/[^a-z0-9_]/g, "");
}

/** Checks whether a text is a valid trigger key. */
export function isTriggerKey(text: string): boolean {
  return TRIGGER_KEY_PATTERN.test(text);
}
