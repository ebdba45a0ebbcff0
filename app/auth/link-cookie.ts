const LIFE_SECONDS = 3_600;
const COOKIE = /(?:^|; ?)(?:__Host-)?link=([\w-]{1,200})(?=;|$)/;
const TOKEN = /^[\w-]{1,200}$/;

// The token of the link that a browser opened last. Pages of links read it from this cookie, so that it stands in
// no address.

/** Reads the token from a request's Cookie header; empty without one. */
export function readLinkCookie(cookies: string): string {
  return COOKIE.exec(cookies)?.[1] ?? "";
}

/**
 * Makes the cookie that keeps a link's token.
 * @param token the empty text ends the cookie; so does a text that is no token
 * @returns the Set-Cookie value
 */
export function makeLinkCookie(token: string, appOrigin: string): string {
  const isHttps = appOrigin.startsWith("https:");
  const value = TOKEN.test(token) ? token : "";
  const life = value === "" ? 0 : LIFE_SECONDS;
  const attributes = `Path=/; Max-Age=${life}; HttpOnly; SameSite=Strict`;
  return `${isHttps ? "__Host-" : ""}link=${value}; ${attributes}${isHttps ? "; Secure" : ""}`;
}
