import type { IncomingMessage } from "node:http";
import type { AppLoadContext } from "@remix-run/node";
import ipaddr from "ipaddr.js";
import { recordSecurityEvent } from "../services/access/security-events";

/** Methods that change nothing, and so may come from any origin. */
const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** The endings of names that mean something in one's own network only, or nothing. */
const LOCAL_ENDINGS = ["localhost", "local", "lan", "internal", "test", "home.arpa"];
const LOCAL_RANGES = ["loopback", "private", "linkLocal", "uniqueLocal", "carrierGradeNat"];
const ORIGIN_LENGTH_MAX = 200;
const SESSION_COOKIE = /(?:^|; ?)(?:__Host-)?session=/;
const EVERY_INTERFACE = ["0.0.0.0", "::"];

export const FORGED =
  "Refused: the request did not come from a page of this service.\n" +
  "If it did, set APP_ORIGIN to the address in the browser.\n";

export const HOST_UNKNOWN =
  "Refused: this service does not know the address in the browser.\n" +
  "Set APP_ORIGIN to it, such as https://points.example.com, and restart the service.\n";

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

/**
 * Checks whether a Host can be reached without a proxy of the public Internet: this machine, an
 * address of a private network, a name without a dot (as containers have), or a name of one's own
 * network.
 */
export function isLocalHost(host: string): boolean {
  if (/[/?#@\\]/.test(host) || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (ipaddr.isValid(address)) return LOCAL_RANGES.includes(ipaddr.process(address).range());
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  return !name.includes(".") || LOCAL_ENDINGS.some((ending) => name.endsWith(`.${ending}`));
}

/** Checks whether a request carries the cookie of a session. */
export function hasSessionCookie({ headers }: IncomingMessage): boolean {
  return SESSION_COOKIE.test(headers.cookie ?? "");
}

/** Writes a change that came from another site to the audit log, beside the answer. */
export function recordForgery(
  { headers }: IncomingMessage,
  context: AppLoadContext,
  route: string,
): void {
  const from = (headers.origin ?? "no origin").slice(0, ORIGIN_LENGTH_MAX);
  recordSecurityEvent({
    action: "security.origin_refused",
    account: null,
    origin: context,
    subject: `${route} from ${from}`,
  }).catch(context.logError);
}
