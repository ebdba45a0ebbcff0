const BASE = "https://own.invalid";
const LENGTH_MAX = 2_000;

/**
 * Returns a path of the dashboard with its query, for a redirect that a visitor chose.
 * @returns null for anything else: another origin, another page, or a text that browsers read
 *   differently
 */
export function findDashboardPath(text: unknown): string | null {
  if (typeof text !== "string" || text.length > LENGTH_MAX || !URL.canParse(text, BASE))
    return null;
  const { origin, pathname, search } = new URL(text, BASE);
  // The parsed form is returned: it begins with one slash and has no backslash or control character.
  const isOwn = origin === BASE && /^\/dashboard(\/|$)/.test(pathname);
  return isOwn ? pathname + search : null;
}
