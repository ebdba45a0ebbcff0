/** A public path of one word or several: lowercase letters and digits, joined by single hyphens. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const SLUG_LENGTH_MAX = 60;

export function isSlug(text: string): boolean {
  return text.length <= SLUG_LENGTH_MAX && SLUG_PATTERN.test(text);
}
