import { getAccountLink } from "../domain/access/account-link";
import { Failure } from "../domain/failure";
import type { Env } from "../env";
import { getListeningOrigin } from "../server/same-origin";
import {
  getOperatorByEmail,
  listOperators,
  setAdministrator,
} from "../services/access/administrators";
import { enableOperator, resetFactors } from "../services/accounts/operators";
import { createResetLink } from "../services/accounts/password-reset";
import { readOptions, refuseCall } from "./options";
import { withCommandDatabase } from "./with-database";

// npm run operators: lists the operators who can sign in, and helps those who cannot. The exit
// status is 1 when no operator matches, 2 for a wrong call.

const USAGE = `one of
  npm run operators -- list
  npm run operators -- reset EMAIL                prints a link that sets a new password
  npm run operators -- make-administrator EMAIL
  npm run operators -- reset-factors EMAIL        removes passkeys and the authenticator app
  npm run operators -- enable EMAIL               lets a disabled operator sign in again`;

async function list(): Promise<void> {
  let afterId: string | null = null;
  do {
    const found = await listOperators(null, afterId);
    for (const { email, name, isAdministrator, createdAt, disabledAt } of found.operators) {
      const role = isAdministrator ? "administrator" : "operator";
      const since = `since ${createdAt.toISOString()}`;
      console.log([email, name, role, since, ...(disabledAt ? ["disabled"] : [])].join("\t"));
    }
    afterId = found.hasMore ? (found.operators.at(-1)?.id ?? null) : null;
  } while (afterId !== null);
}

async function printResetLink(env: Env, email: string): Promise<void> {
  const { id } = await getOperatorByEmail(null, email);
  const { token, name } = await createResetLink(null, id);
  const origin = env.APP_ORIGIN ?? getListeningOrigin(env.HOST, env.PORT);
  console.error(
    `This link sets a new password for ${name}. It works once and expires after a day:`,
  );
  console.log(getAccountLink("password_reset", token, origin));
}

async function makeAdministrator(email: string): Promise<void> {
  const { id } = await getOperatorByEmail(null, email);
  const { name } = await setAdministrator(null, id, true);
  console.log(`${name} (${email}) is an administrator.`);
}

async function enable(email: string): Promise<void> {
  const { id } = await getOperatorByEmail(null, email);
  const { name } = await enableOperator(null, id);
  console.log(`${name} (${email}) can sign in.`);
}

async function removeFactors(email: string): Promise<void> {
  const { id } = await getOperatorByEmail(null, email);
  const { name } = await resetFactors(null, id);
  console.log(`${name} (${email}) signs in with only a password.`);
}

/** Finds the task of the arguments. */
function findTask([name, argument]: string[]): (env: Env) => Promise<void> {
  const email = argument?.trim().toLowerCase();
  if (name === "list" && email === undefined) return list;
  if (name === "reset" && email) return (env) => printResetLink(env, email);
  if (name === "make-administrator" && email) return () => makeAdministrator(email);
  if (name === "reset-factors" && email) return () => removeFactors(email);
  if (name === "enable" && email) return () => enable(email);
  return refuseCall("No known task is named in full", USAGE);
}

const task = findTask(readOptions(USAGE, {}, 2).positionals);
await withCommandDatabase(async (env) => {
  try {
    await task(env);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "not_found") throw error;
    console.error("There is no operator with this email address.");
    process.exitCode = 1;
  }
});
