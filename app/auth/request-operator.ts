import { type AppLoadContext, redirect } from "@remix-run/node";
import { findSession, type Operator, type SessionFinding } from "./sessions";

interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
}

/** The loaders of a page run side by side, each with the request's one context: one look-up serves all. */
const findings = new WeakMap<AppLoadContext, Promise<SessionFinding>>();
const cookieChanges = new WeakMap<AppLoadContext, string>();

/** The operator that is signed in, or null. */
export async function findOperator({
  request,
  context,
}: RequestArguments): Promise<Operator | null> {
  let finding = findings.get(context);
  if (!finding) {
    finding = findSession(request.headers.get("cookie") ?? "", context.appOrigin);
    findings.set(context, finding);
  }
  const { operator, cookieChange } = await finding;
  if (cookieChange) cookieChanges.set(context, cookieChange);
  if (operator) context.log.operatorId = operator.id;
  return operator;
}

/**
 * The operator that is signed in.
 * @throws {Response} a redirect to the sign-in page when nobody is
 */
export async function requireOperator(args: RequestArguments): Promise<Operator> {
  const operator = await findOperator(args);
  if (!operator) throw redirect("/sign-in");
  return operator;
}

/** Adds the cookie that the request's session asks for, unless the answer sets one itself. */
export function addSessionCookie(headers: Headers, context: AppLoadContext): void {
  const cookieChange = cookieChanges.get(context);
  if (cookieChange && !headers.has("Set-Cookie")) headers.append("Set-Cookie", cookieChange);
}
