const URL_LENGTH_MAX = 2_000;

/**
 * Reads the URL of an endpoint. Whether its host may be called is decided with its addresses, at
 * each attempt.
 * @returns the URL as it is called; null when it is not a plain http or https URL
 */
export function parseWebhookUrl(text: string): URL | null {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  if (!isWeb || url.username !== "" || url.password !== "") return null;
  url.hash = "";
  return url.href.length > URL_LENGTH_MAX ? null : url;
}

/** Masks what may be secret in the URL of an endpoint: all that follows its origin. */
export function maskWebhookUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname, search } = new URL(text);
  return pathname === "/" && search === "" ? origin : `${origin}/…`;
}
