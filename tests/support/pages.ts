import { randomBytes } from "node:crypto";
import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/node";
import { startSession } from "../../app/auth/sessions";
import type { Actor, Member } from "../../app/services/access/members";

const APP_ORIGIN = "http://test.local";

/**
 * Calls the loader of a page or file below a point system as a member who is signed in.
 * @param params the parameters of its path besides the point system's id
 * @param path its path and query, for a loader that reads them
 */
export async function callLoader<Result>(
  loader: (args: LoaderFunctionArgs) => Promise<Result>,
  { actor, pointSystemId }: Member,
  params: Readonly<Record<string, string>>,
  path = "/",
): Promise<Result> {
  const request = new Request(APP_ORIGIN + path, {
    headers: { cookie: await startTestSession(actor) },
  });
  const context = createContext(actor);
  return loader({ request, context, params: { pointSystemId, ...params } });
}

/**
 * Calls the loader of a public page or file, each time from another network.
 * @param options.query the search of its address, with its question mark
 */
export async function callPublicLoader<Result>(
  loader: (args: LoaderFunctionArgs) => Promise<Result>,
  params: Readonly<Record<string, string>>,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Result> {
  const request = new Request(`${APP_ORIGIN}/${query}`, { headers });
  const ip = `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`;
  return loader({ request, context: createContext({ ip }), params });
}

/**
 * Posts a form to a page as an operator who is signed in.
 * @param cookie of the session, from `startTestSession`
 * @param setCookies takes the cookies that its answer sets beside its own
 */
export async function callAction<Result>(
  action: (args: ActionFunctionArgs) => Promise<Result>,
  actor: Actor,
  cookie: string,
  params: Readonly<Record<string, string>>,
  body: URLSearchParams | FormData,
  setCookies: string[] = [],
): Promise<Result> {
  const request = new Request(APP_ORIGIN, { method: "POST", headers: { cookie }, body });
  return action({ request, context: { ...createContext(actor), setCookies }, params });
}

/** Signs an operator in. Returns the Cookie header. */
export async function startTestSession({ operatorId, ip }: Actor): Promise<string> {
  const browser = { cookies: "", ip, userAgent: "test" };
  return (await startSession({ id: operatorId }, browser, APP_ORIGIN)).split(";")[0] ?? "";
}

function createContext(actor: Pick<Actor, "ip">): AppLoadContext {
  return {
    ip: actor.ip,
    appOrigin: APP_ORIGIN,
    isSignUpOpen: false,
    untrustedProxy: null,
    requestId: "test",
    isRepeated: () => false,
    replyHeaders: {},
    setCookies: [],
    log: {},
    breakConnection: () => {},
    logError: (error) => {
      throw error;
    },
    logViolation: () => {},
  };
}
