import { type AppLoadContext, redirect } from "@remix-run/node";
import { findSession, type Operator, type SessionFinding } from "./sessions";

interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
}

/** The loaders of a page run side by side, each with the request's one context: one look-up serves all. */
const findings = new WeakMap<AppLoadContext, Promise<SessionFinding>>();

/** The operator that is signed in, or null. */
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
 * The operator that is signed in.
 * @throws {Response} a redirect to the sign-in page when nobody is
 */
export async function requireOperator(args: RequestArguments): Promise<Operator> {
  const operator = await findOperator(args);
  if (!operator) throw redirect("/sign-in");
  return operator;
}
