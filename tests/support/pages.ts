import type { AppLoadContext, LoaderFunctionArgs } from "@remix-run/node";
import { startSession } from "../../app/auth/sessions";
import type { Member } from "../../app/services/access/members";

const APP_ORIGIN = "http://test.local";

/**
 * Calls the loader of a page or file below a point system as a member who is signed in.
 * @param params the parameters of its path besides the point system's id
 */
export async function callLoader<Result>(
  loader: (args: LoaderFunctionArgs) => Promise<Result>,
  { actor, pointSystemId }: Member,
  params: Readonly<Record<string, string>>,
): Promise<Result> {
  const browser = { cookies: "", ip: actor.ip, userAgent: "test" };
  const cookie = (await startSession(actor.operatorId, browser, APP_ORIGIN)).split(";")[0] ?? "";
  const context: AppLoadContext = {
    ip: actor.ip,
    appOrigin: APP_ORIGIN,
    isSignUpOpen: false,
    requestId: "test",
    replyHeaders: {},
    setCookies: [],
    log: {},
    logError: (error) => {
      throw error;
    },
    logViolation: () => {},
  };
  const request = new Request(APP_ORIGIN, { headers: { cookie } });
  return loader({ request, context, params: { pointSystemId, ...params } });
}
