import { commandDatabase, openCurrentDatabase } from "../db/open";
import { Failure } from "../domain/failure";
import { type Env, readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { lowerPriority } from "../process/priority";

/**
 * Runs a command on the database that the environment names, as that is: no command but `npm run migrate` and
 * `npm run db:seed` makes a database or changes its schema. The exit status is 1 when it cannot be opened
 * or the command fails, with a sentence. Servers beside it have the processors first.
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
  lowerPriority();
  try {
    await run(env);
  } catch (error) {
    const isAway = error instanceof Failure && error.code === "service_unavailable";
    console.error(isAway ? "The database is not available" : describeError(error));
    process.exitCode = 1;
  } finally {
    await close();
  }
}
