/** The colour schemes of the dashboard; `system` follows the device. */
export const THEMES = ["light", "dark", "system"] as const;

export type Theme = (typeof THEMES)[number];

/** Finds a theme by its name; anything else is `system`. */
export function findTheme(value: unknown): Theme {
  return THEMES.find((theme) => theme === value) ?? "system";
}
