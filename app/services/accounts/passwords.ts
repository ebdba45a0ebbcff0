import * as passwords from "../../auth/passwords";
import { containsName, type Person } from "../../domain/accounts/password";
import { Failure } from "../../domain/failure";
import { createLimiter } from "../runtime/limiter";
import { isCommonPassword } from "./common-passwords";

/**
 * Limits the hashes that a process computes at once: each takes 19 MiB and some milliseconds of a
 * core, and strangers can order them.
 */
const limit = createLimiter({ atOnceMax: 4, waitingMax: 200, waitMs: 10_000 });

/**
 * Hashes a new password, if it can be used: it is not one of the commonest, and contains no name.
 * @param field the form's field that took it
 * @throws {Failure} `password_common`, `password_names`, `service_unavailable`
 */
export async function hashNewPassword(
  password: string,
  person: Person,
  field = "password",
): Promise<string> {
  if (await isCommonPassword(password)) throw new Failure("password_common", { field });
  if (containsName(password, person)) throw new Failure("password_names", { field });
  return hashPassword(password);
}

/**
 * Hashes a password.
 * @throws {Failure} `service_unavailable` when too many wait
 */
export function hashPassword(password: string): Promise<string> {
  return limit(() => passwords.hashPassword(password));
}

/**
 * Checks a password against a hash.
 * @throws {Failure} `service_unavailable` when too many wait
 */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return limit(() => passwords.verifyPassword(passwordHash, password));
}
