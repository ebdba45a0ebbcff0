import { type AppLoadContext, redirect } from "@remix-run/node";
import { findDashboardPath } from "../domain/own-path";
import { createOwnCookie } from "./own-cookie";

// The page that a visitor asked for before signing in stays in the visitor's own browser: the
// address of the sign-in page is the same for everybody, and no link chooses where it leads.

/** The parts of a loader's or an action's arguments that sessions and cookies need. */
export interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
}

/** The page to which a visitor without a session is sent. */
export const SIGN_IN_PATH = "/sign-in";

const FIRST_PAGE = "/dashboard";

const getCookie = (context: AppLoadContext) => createOwnCookie(context, "wanted", 60 * 60);

/** Redirects a visitor to the sign-in page, and remembers the page that was asked for. */
export async function redirectToSignIn({ request, context }: RequestArguments): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const path = findDashboardPath(pathname + search) ?? FIRST_PAGE;
  const cookie = await getCookie(context).serialize(path);
  return redirect(SIGN_IN_PATH, { headers: { "Set-Cookie": cookie } });
}

/** Redirects to the page that a visitor asked for before signing in, once. */
export async function redirectToWantedPage({
  request,
  context,
}: RequestArguments): Promise<Response> {
  const cookie = getCookie(context);
  const path: unknown = await cookie.parse(request.headers.get("cookie"));
  if (path === null) return redirect(FIRST_PAGE);
  const headers = { "Set-Cookie": await cookie.serialize("", { maxAge: 0 }) };
  return redirect(findDashboardPath(path) ?? FIRST_PAGE, { headers });
}
