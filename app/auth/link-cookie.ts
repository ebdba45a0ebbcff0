const LIFE_SECONDS = 3_600;
const TOKEN = /^[\w-]{1,200}$/;

// The token of the link that a browser opened last. Pages of links read it from this cookie, so that it stands in
// no address.

/** Names the cookie. Under https, the prefix keeps other hosts of the domain from setting it. */
const nameCookie = (appOrigin: string) => (appOrigin.startsWith("https:") ? "__Host-link" : "link");

/** Reads the token from a request's Cookie header; empty without one. */
export function readLinkCookie(cookies: string, appOrigin: string): string {
  const start = `${nameCookie(appOrigin)}=`;
  const cookie = cookies.split(/; ?/).find((each) => each.startsWith(start));
  const token = cookie?.slice(start.length) ?? "";
  return TOKEN.test(token) ? token : "";
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
  return `${nameCookie(appOrigin)}=${value}; ${attributes}${isHttps ? "; Secure" : ""}`;
}
