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

/** The names of a point system's triggers, by key. */
export type TriggerNames = ReadonlyMap<string, string>;

/** Maps the keys of triggers to their names, for pages that list events. */
export function nameTriggers(
  triggers: readonly { readonly key: string; readonly name: string }[],
): Map<string, string> {
  return new Map(triggers.map(({ key, name }) => [key, name]));
}
