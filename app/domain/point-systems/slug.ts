/** A public path of one word or several: lowercase letters and digits, joined by single hyphens. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const SLUG_LENGTH_MAX = 60;

/** Checks whether a text is a slug as it is stored, in lower case. */
export function isSlug(text: string): boolean {
  return text.length <= SLUG_LENGTH_MAX && SLUG_PATTERN.test(text);
}

/** Reads a slug from a path in any letter case: phones write the first letter in upper case. */
export function findSlug(text: string): string | null {
  const slug = text.toLowerCase();
  return isSlug(slug) ? slug : null;
}

/** Slugs that are paths of the service beside the claim pages, as `POST /claim/hint`. */
const RESERVED_SLUGS: readonly string[] = ["hint"];

/** Checks whether a slug would hide a page behind one of the service's own paths. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED_SLUGS.includes(slug);
}
