import { commandDatabase, openMigratedDatabase } from "../db/open";
import { getAccountLink } from "../domain/access/account-link";
import { Failure } from "../domain/failure";
import { type Env, readEnv } from "../env";
import { getListeningOrigin } from "../server/same-origin";
import {
  getOperatorByEmail,
  listOperators,
  setAdministrator,
} from "../services/access/administrators";
import { createResetLink } from "../services/accounts/password-reset";

// npm run operators: lists the operators who can sign in, and helps those who cannot. The exit
// status is 1 when no operator matches.

const USAGE = `Usage:
  npm run operators -- list
  npm run operators -- reset EMAIL                prints a link that sets a new password
  npm run operators -- make-administrator EMAIL`;

async function list(): Promise<void> {
  let afterId: string | null = null;
  do {
    const found = await listOperators(null, afterId);
    for (const { email, name, isAdministrator, createdAt } of found.operators) {
      const role = isAdministrator ? "administrator" : "operator";
      console.log([email, name, role, `since ${createdAt.toISOString()}`].join("\t"));
    }
    afterId = found.hasMore ? (found.operators.at(-1)?.id ?? null) : null;
  } while (afterId !== null);
}

async function printResetLink(env: Env, email: string): Promise<void> {
  const { id } = await getOperatorByEmail(null, email);
  const { token, name } = await createResetLink(null, id);
  const origin = env.APP_ORIGIN ?? getListeningOrigin(env.HOST, env.PORT);
  console.error(`This link sets a new password for ${name}. It works once, for a day:`);
  console.log(getAccountLink("password_reset", token, origin));
}

async function makeAdministrator(email: string): Promise<void> {
  const { id } = await getOperatorByEmail(null, email);
  const { name } = await setAdministrator(null, id, true);
  console.log(`${name} (${email}) is an administrator.`);
}

/**
 * Finds the task of the arguments.
 * @returns null for unknown arguments
 */
function findTask(env: Env, [name, argument, ...more]: string[]): (() => Promise<void>) | null {
  const email = argument?.trim().toLowerCase();
  if (more.length > 0) return null;
  if (name === "list" && email === undefined) return list;
  if (name === "reset" && email) return () => printResetLink(env, email);
  if (name === "make-administrator" && email) return () => makeAdministrator(email);
  return null;
}

const env = readEnv();
const task = findTask(env, process.argv.slice(2));
if (task) {
  const closeDatabase = await openMigratedDatabase(commandDatabase(env, console.error));
  try {
    await task();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "not_found") throw error;
    console.error("There is no operator with this email address.");
    process.exitCode = 1;
  } finally {
    await closeDatabase();
  }
} else {
  console.error(USAGE);
  process.exitCode = 1;
}
