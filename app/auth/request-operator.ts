import { type AppLoadContext, redirect } from "@remix-run/node";
import { findSession, type Operator, type SessionFinding } from "./sessions";
import { type RequestArguments, redirectToSignIn, SIGN_IN_PATH } from "./wanted-page";

/** The page that adds second factors, and the path by which it asks for a confirmation. */
const FACTORS_PAGE = "/dashboard/security";
const CONFIRM_PATH = "/dashboard/confirm";

/**
 * Session look-ups by request. The loaders of a page run side by side with one context, so one
 * look-up serves all of them.
 */
const findings = new WeakMap<AppLoadContext, Promise<SessionFinding>>();

/** Finds the operator who is signed in. Returns null when no operator is. */
export async function findOperator({
  request,
  context,
}: RequestArguments): Promise<Operator | null> {
  let finding = findings.get(context);
  if (!finding) {
    finding = findSession(request.headers.get("cookie") ?? "", context.appOrigin);
    findings.set(context, finding);
    const { cookieChange } = await finding;
    if (cookieChange) context.setCookies.push(cookieChange);
  }
  const { operator } = await finding;
  if (operator) context.log.operatorId = operator.id;
  return operator;
}

/**
 * Finds the operator who is signed in.
 * @throws {Response} a redirect to the sign-in page when no operator is signed in, and to the page of
 *   second factors for one who has to add one first
 */
export async function requireOperator(args: RequestArguments): Promise<Operator> {
  const operator = await findOperator(args);
  const { pathname } = new URL(args.request.url);
  if (!operator) {
    // A form posts to the page that it is on. For a page that is read, its layout remembers it.
    const isForm = args.request.method !== "GET" && pathname !== CONFIRM_PATH;
    throw isForm ? await redirectToSignIn(args) : redirect(SIGN_IN_PATH);
  }
  const finding = await findings.get(args.context);
  if (finding?.needsFactor && pathname !== FACTORS_PAGE && pathname !== CONFIRM_PATH) {
    throw redirect(FACTORS_PAGE);
  }
  return operator;
}
