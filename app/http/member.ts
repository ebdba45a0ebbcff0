import type { AppLoadContext } from "@remix-run/node";
import { requireOperator } from "../auth/request-operator";
import type { AtLeast, Role } from "../domain/access/role";
import { type Administrator, getAdministrator } from "../services/access/administrators";
import { type Actor, getMember, type Member } from "../services/access/members";

interface RequestArguments {
  readonly request: Request;
  readonly context: AppLoadContext;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Who is signed in and from where, for services that write. */
export async function requireActor(args: Omit<RequestArguments, "params">): Promise<Actor> {
  const { id, email } = await requireOperator(args);
  const { ip, requestId } = args.context;
  return { operatorId: id, email, ip, requestId };
}

/**
 * Who is signed in, as a member of the point system in the page's path with at least this role.
 * Every loader and action beneath it begins with this.
 * @throws {Response} a redirect to the sign-in page
 * @throws {Failure} `not_found`, `role_missing`
 */
export async function requireMember<Needed extends Role>(
  args: RequestArguments,
  needed: Needed,
): Promise<Member<AtLeast<Needed>>> {
  return getMember(await requireActor(args), args.params.pointSystemId ?? "", needed);
}

/**
 * Who is signed in, as one who runs this installation.
 * @throws {Response} a redirect to the sign-in page
 * @throws {Failure} `not_found` for other operators
 */
export async function requireAdministrator(
  args: Omit<RequestArguments, "params">,
): Promise<Administrator> {
  return getAdministrator(await requireActor(args));
}
