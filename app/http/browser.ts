import { type AppLoadContext, redirect } from "@remix-run/node";
import { type Browser, getStoredSessionId, startSession } from "../auth/sessions";
import type { RequestOrigin } from "../services/access/members";

interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
}

/** Where a request is from, for what nobody needs to be signed in for. */
export function readOrigin({ context: { ip, requestId } }: RequestArguments): RequestOrigin {
  return { ip, requestId };
}

/** The session of the browser, as the database names it. */
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

/** Signs the browser in and leads to the dashboard: nothing in a request says where to go. */
export async function redirectSignedIn(
  args: RequestArguments,
  operatorId: string,
): Promise<Response> {
  const cookie = await startBrowserSession(args, operatorId);
  return redirect("/dashboard", { headers: { "Set-Cookie": cookie } });
}

/** The token in the page's own address, which its form posts to. */
export function readLinkToken(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? "";
}
