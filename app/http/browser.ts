import { redirect } from "@remix-run/node";
import { z } from "zod";
import { readDeviceHashes } from "../auth/devices";
import { makeLinkCookie, readLinkCookie } from "../auth/link-cookie";
import {
  type Browser,
  getStoredSessionId,
  renewSession,
  type SignedIn,
  startSession,
} from "../auth/sessions";
import { type RequestArguments, redirectToWantedPage } from "../auth/wanted-page";
import { findLinkToken } from "../domain/access/account-link";
import type { RequestOrigin } from "../services/access/members";
import { rememberBrowser } from "../services/accounts/devices";
import { form } from "./form";

/** Reads the origin of a request: its address and its id, for actions that need no sign-in. */
export function readOrigin({ context: { ip, requestId } }: RequestArguments): RequestOrigin {
  return { ip, requestId };
}

function readBrowser({ request, context }: RequestArguments): Browser {
  return {
    cookies: request.headers.get("cookie") ?? "",
    ip: context.ip,
    userAgent: request.headers.get("user-agent") ?? "",
  };
}

/** Reads the browser's session id in the form that the database stores. */
export function readStoredSessionId({ request, context }: RequestArguments): string | null {
  return getStoredSessionId(request.headers.get("cookie") ?? "", context.appOrigin);
}

/** Reads the ids by which the browser is known, as the database stores them. */
export function readBrowserDevices({ request, context }: RequestArguments): Buffer[] {
  return readDeviceHashes(request.headers.get("cookie") ?? "", context.appOrigin);
}

/**
 * Signs the browser in, under a new session.
 * @returns the Set-Cookie value
 * @throws {Failure} as `startSession`
 */
export function startBrowserSession(args: RequestArguments, operator: SignedIn): Promise<string> {
  return startSession(operator, readBrowser(args), args.context.appOrigin);
}

/** Gives the browser's session a new id, after its operator gave the password or a passkey again. */
export async function renewBrowserSession({ request, context }: RequestArguments): Promise<void> {
  const cookie = await renewSession(request.headers.get("cookie") ?? "", context.appOrigin);
  if (cookie) context.setCookies.push(cookie);
}

/**
 * Signs the browser in and redirects to the page of the dashboard that it asked for before, or to
 * the dashboard's first page. A link cannot choose the target.
 */
export async function redirectSignedIn(
  args: RequestArguments,
  operator: SignedIn,
): Promise<Response> {
  const response = await redirectToWantedPage(args);
  for (const cookie of await enterBrowser(args, operator)) {
    response.headers.append("Set-Cookie", cookie);
  }
  // A link that signed in is used up.
  if (readKeptToken(args) !== "") {
    response.headers.append("Set-Cookie", makeLinkCookie("", args.context.appOrigin));
  }
  return response;
}

/**
 * Signs the browser in, and makes it known.
 * @returns the Set-Cookie values, that of the session first
 */
export async function enterBrowser(args: RequestArguments, operator: SignedIn): Promise<string[]> {
  const session = await startBrowserSession(args, operator);
  const cookie = await rememberBrowser(operator.id, readBrowser(args), args.context.appOrigin);
  return [session, cookie];
}

/**
 * Reads the token of the link that the browser opened: from its cookie. Links of earlier versions have
 * it in the page's address, which `keepLinkToken` takes it out of.
 */
export function readLinkToken(args: RequestArguments): string {
  return readAddressToken(args.request) ?? readKeptToken(args);
}

const readKeptToken = ({ request, context }: RequestArguments) =>
  readLinkCookie(request.headers.get("cookie") ?? "", context.appOrigin);

const readAddressToken = (request: Request) => new URL(request.url).searchParams.get("token");

/**
 * Redirects a page whose address has a token to the address without it. The page after a post shows
 * the form's problems instead: its request has the headers of the post.
 */
export function keepLinkToken(args: RequestArguments): void {
  const { request } = args;
  const token = readAddressToken(request);
  if (token === null || request.headers.has("content-type")) return;
  throw redirectWithLink(args, token, new URL(request.url).pathname);
}

/** Redirects to a page with another link's token in the browser; with the empty text, the link is used up. */
export function redirectWithLink(
  { context }: RequestArguments,
  token: string,
  to: string,
): Response {
  return redirect(to, { headers: { "Set-Cookie": makeLinkCookie(token, context.appOrigin) } });
}

/** Declares the form that takes a link, or the token in its fragment, as `form` does. */
export function linkForm(args: RequestArguments) {
  const schema = z.object({ link: z.string().trim().min(1, "Paste the link").max(500) });
  return form(schema, async ({ link }) =>
    redirectWithLink(args, findLinkToken(link), new URL(args.request.url).pathname),
  );
}
