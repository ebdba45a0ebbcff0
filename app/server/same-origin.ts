import type { IncomingMessage } from "node:http";

/** Methods that change nothing, and so may come from anywhere. */
const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const EVERY_INTERFACE = ["0.0.0.0", "::"];

/** Whether a request can change something on behalf of whoever's cookie it carries. */
export function isUnsafeMethod(method = "GET"): boolean {
  return !READ_METHODS.has(method);
}

/**
 * Whether a page of this service sent the request. Browsers say so themselves (`Sec-Fetch-Site`),
 * except old ones and over plain http to another machine; there, the page's origin counts.
 * A missing origin and `null` are nobody's.
 * @param appOrigin the one that is configured, if any
 * @param listeningOrigin what the server listens at, which counts without a configured one
 */
export function isFromSameOrigin(
  { headers }: IncomingMessage,
  appOrigin: string | undefined,
  listeningOrigin: string,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin, host = "" } = headers;
  if (origin === undefined) return false;
  if (appOrigin !== undefined) return origin === appOrigin;
  // A name that someone else made point to this machine is a Host too, but not a local one.
  return origin === listeningOrigin || (LOCAL_HOST.test(host) && origin === `http://${host}`);
}

/** The path as the router sees it: `/api/../sign-out` is no path of the API. */
export function getRoutedPath(url = "/"): string {
  const absolute = url.startsWith("/") ? `http://localhost${url}` : url;
  return URL.canParse(absolute) ? new URL(absolute).pathname : url;
}

/** Where browsers reach a server that listens here. */
export function getListeningOrigin(host: string, port: number): string {
  if (EVERY_INTERFACE.includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
