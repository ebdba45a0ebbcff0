import type { IncomingMessage } from "node:http";

/** Methods that change nothing, and so may come from any origin. */
const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const EVERY_INTERFACE = ["0.0.0.0", "::"];

/** Checks whether a request can make a change for the owner of the cookie that it carries. */
export function isUnsafeMethod(method = "GET"): boolean {
  return !READ_METHODS.has(method);
}

/**
 * Checks whether a page of this service sent the request. Browsers report this themselves
 * (`Sec-Fetch-Site`), except old ones and those that use plain http to another machine. For these,
 * the page's origin decides. A missing origin and `null` are refused.
 * @param appOrigin the configured origin, if any
 * @param listeningOrigin the origin at which the server listens; it counts when none is configured
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
  // A foreign name can point to this machine and then be the Host, but it is not a local name.
  return origin === listeningOrigin || (LOCAL_HOST.test(host) && origin === `http://${host}`);
}

/** Returns the path as the router reads it: `/api/../sign-out` is no path of the API. */
export function getRoutedPath(url = "/"): string {
  const absolute = url.startsWith("/") ? `http://localhost${url}` : url;
  return URL.canParse(absolute) ? new URL(absolute).pathname : url;
}

/** Returns the origin at which browsers reach a server that listens here. */
export function getListeningOrigin(host: string, port: number): string {
  if (EVERY_INTERFACE.includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
