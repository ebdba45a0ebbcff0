import { type AppLoadContext, redirect } from "@remix-run/node";
import { type Browser, getStoredSessionId, startSession } from "../auth/sessions";
import type { RequestOrigin } from "../services/access/members";

interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
}

/** Reads the origin of a request: its address and its id, for actions that need no sign-in. */
export function readOrigin({ context: { ip, requestId } }: RequestArguments): RequestOrigin {
  return { ip, requestId };
}

/** Reads the browser's session id in the form that the database stores. */
export function readStoredSessionId({ request, context }: RequestArguments): string | null {
  return getStoredSessionId(request.headers.get("cookie") ?? "", context.appOrigin);
}

/**
 * Signs the browser in, under a new session.
 * @returns the Set-Cookie value
 */
export function startBrowserSession(
  { request, context }: RequestArguments,
  operatorId: string,
): Promise<string> {
  const browser: Browser = {
    cookies: request.headers.get("cookie") ?? "",
    ip: context.ip,
    userAgent: request.headers.get("user-agent") ?? "",
  };
  return startSession(operatorId, browser, context.appOrigin);
}

/**
 * Signs the browser in and redirects to the dashboard. The target is fixed, so a request cannot
 * choose it.
 */
export async function redirectSignedIn(
  args: RequestArguments,
  operatorId: string,
): Promise<Response> {
  const cookie = await startBrowserSession(args, operatorId);
  return redirect("/dashboard", { headers: { "Set-Cookie": cookie } });
}

/** Reads the link's token from the page's own address, which its form posts to. */
export function readLinkToken(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? "";
}
