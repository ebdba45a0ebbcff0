import type { IncomingMessage } from "node:http";
import { Failure } from "../domain/failure";
import { describeFailure, getHelpHeader } from "../http/failures";

/** Returns the path of a request's target. */
export function getPath(url = "/"): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** Joins doubled slashes of a target's path, as clients send them whose base address ends in one. */
export function joinSlashes(url = "/"): string {
  const path = getPath(url);
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") + url.slice(path.length) : url;
}

/** The route of requests that are refused for their form. */
export const MALFORMED = "malformed";

/** The routes without a line in the log: those of probes, and those that strangers could fill it by. */
export const UNLOGGED = new Set(["/healthz", "/readyz", "/metrics", MALFORMED]);

/** Hosts that are surely valid. */
const PLAIN_HOST = /^[a-z\d.-]+(:(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}))?$/;

/** Checks whether a Host needs no second look. */
export function hasPlainHost({ headers: { host = "" }, rawHeaders }: IncomingMessage): boolean {
  return PLAIN_HOST.test(host) && countLines(rawHeaders, "host") === 1;
}

/** Checks whether a Host is one of URLs, in their form. Requests of HTTP/1.0 need none. */
function isHost(host: string): boolean {
  if (host === "" || PLAIN_HOST.test(host)) return true;
  const url = `http://${host}`;
  const hostname = URL.canParse(url) ? new URL(url).hostname : null;
  return hostname === host.replace(/:\d{1,5}$/, "").toLowerCase();
}

/** The ends of lines. No pattern of a route takes them, so Remix answers such a path of the API with a page. */
const LINE_END = /[\n\r\u2028\u2029]/;

/**
 * Checks for a request that no page of this service makes, and that Remix would log as an error: a
 * target that is no path, a path that does not decode or that has the end of a line, a parameter of
 * older versions of Remix, and a Host that is none, that HTTP/1.1 lacks, or that has several lines (RFC 9112, 3.2).
 */
export function isMalformed({
  url = "/",
  headers: { host },
  httpVersion,
  rawHeaders,
}: IncomingMessage) {
  if (!isHost(host ?? "") || (host === undefined && httpVersion !== "1.0")) return true;
  if (countLines(rawHeaders, "host") > 1) return true;
  const path = getPath(url);
  if (url !== "*" && !path.startsWith("/")) return true;
  if (/[?&]_data=/.test(url.slice(path.length))) return true;
  try {
    return LINE_END.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

/** Checks whether a request comes from a client of the API: it has an API key, or asks for JSON. */
export function isFromProgram({ headers }: IncomingMessage): boolean {
  const { authorization = "", accept = "" } = headers;
  return /^bearer /i.test(authorization) || /^application\/json\b/i.test(accept);
}

/** Answers a request whose path or Host is invalid, in the form of every error. */
export function answerMalformed(): Response {
  const { status, message } = describeFailure(new Failure("invalid_request"));
  const body = { error: message, message, code: "invalid_request" };
  const headers = { "Cache-Control": "no-store", ...getHelpHeader("invalid_request") };
  return Response.json(body, { status, headers });
}

/**
 * Counts the lines of a header. Node's own lists of all lines cost more to make.
 * @param rawHeaders names and values in turn
 * @param header in lowercase
 */
export function countLines(rawHeaders: readonly string[], header: string): number {
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === header.length && name.toLowerCase() === header) lines += 1;
  }
  return lines;
}
