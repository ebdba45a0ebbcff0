import { type AppLoadContext, redirect } from "@remix-run/node";
import { findSession, type Operator, type SessionFinding } from "./sessions";

interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
}

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
 * @throws {Response} a redirect to the sign-in page when no operator is signed in
 */
export async function requireOperator(args: RequestArguments): Promise<Operator> {
  const operator = await findOperator(args);
  if (!operator) throw redirect("/sign-in");
  return operator;
}
