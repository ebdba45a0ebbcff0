export const TRIGGER_KEY_LENGTH_MAX = 100;

const TRIGGER_KEY_PATTERN = new RegExp(`^[a-z0-9_]{1,${TRIGGER_KEY_LENGTH_MAX}}$`);

/** Turns what an operator typed into a trigger key: lowercase, spaces to `_`, the rest removed. May be empty. */
export function sanitizeTriggerKey(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(" ", "_")
    .replace(/[^a-z0-9_]/g, "");
}

/** Whether a trigger with this key can exist at all. */
export function isTriggerKey(text: string): boolean {
  return TRIGGER_KEY_PATTERN.test(text);
}
