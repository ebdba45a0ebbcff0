import { commandDatabase, openCurrentDatabase } from "../db/open";
import { type Env, readEnv } from "../env";
import { describeError } from "../process/describe-error";

/**
 * Runs a command on the database that the environment names, as that is: no command but `npm run migrate` and
 * `npm run db:seed` makes a database or changes its schema. The exit status is 1 when it cannot be opened.
 * @param isOwner opens the embedded database as the role that owns the ledger
 */
export async function withCommandDatabase(
  run: (env: Env) => Promise<void>,
  { isOwner = false } = {},
): Promise<void> {
  let env: Env;
  let close: () => Promise<void>;
  try {
    env = readEnv();
    close = await openCurrentDatabase({ ...commandDatabase(env, console.error), isOwner });
  } catch (error) {
    console.error(describeError(error));
    process.exitCode = 1;
    return;
  }
  try {
    await run(env);
  } finally {
    await close();
  }
}
