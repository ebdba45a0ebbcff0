import { isSignedIn } from "../auth/sessions";
import { Failure } from "../domain/failure";
import { getMember, type Member } from "../services/access/members";

/** The parts of the opening request that a stream keeps. */
interface Opening {
  readonly cookies: string;
  readonly appOrigin: string;
}

/** Checks whether the operator who opened a stream is still signed in there and still a member. */
export async function isStillWelcome(
  { actor, pointSystemId }: Member,
  { cookies, appOrigin }: Opening,
): Promise<boolean> {
  if (!(await isSignedIn(cookies, appOrigin))) return false;
  try {
    await getMember(actor, pointSystemId, "viewer");
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return false;
    throw error;
  }
}
