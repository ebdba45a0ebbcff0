import { requireOperator } from "../auth/request-operator";
import type { RequestArguments } from "../auth/wanted-page";
import type { AtLeast, Role } from "../domain/access/role";
import { Failure } from "../domain/failure";
import { parseTraceId } from "../domain/trace";
import { type Administrator, getAdministrator } from "../services/access/administrators";
import { type Actor, getMember, type Member } from "../services/access/members";
import { recordingRefusals, recordSecurityEvent } from "../services/access/security-events";

interface PageArguments extends RequestArguments {
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Returns the signed-in operator and the request's origin, for services that write. */
export async function requireActor(args: RequestArguments): Promise<Actor> {
  const { id, email } = await requireOperator(args);
  const { ip, requestId } = args.context;
  const traceId = parseTraceId(args.request.headers.get("traceparent"));
  return { operatorId: id, email, ip, requestId, traceId };
}

/**
 * Returns the signed-in operator as a member, with at least this role, of the point system in the
 * page's path. Every loader and action beneath that path begins with this call.
 * @throws {Response} a redirect to the sign-in page
 * @throws {Failure} `not_found`, `role_missing`
 */
export async function requireMember<Needed extends Role>(
  args: PageArguments,
  needed: Needed,
): Promise<Member<AtLeast<Needed>>> {
  const actor = await requireActor(args);
  const { pointSystemId = "" } = args.params;
  return recordingRefusals(actor.email, actor, () => getMember(actor, pointSystemId, needed));
}

/**
 * Returns the signed-in operator as an administrator of this installation.
 * @throws {Response} a redirect to the sign-in page
 * @throws {Failure} `not_found` for other operators
 */
export async function requireAdministrator(args: RequestArguments): Promise<Administrator> {
  const actor = await requireActor(args);
  try {
    return await getAdministrator(actor);
  } catch (error) {
    const action = "security.permission_refused";
    if (error instanceof Failure && error.code === "not_found") {
      await recordSecurityEvent({ action, account: actor.email, origin: actor });
    }
    throw error;
  }
}
