import { commandDatabase, prepareDatabase } from "../db/open";
import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { RELEASE } from "../process/release";
import { readOptions } from "./options";

// npm run migrate: brings the database to this version, as a start does, and serves nothing. The exit status is 1
// when it cannot; the database is then as it was.

readOptions("npm run migrate", {});
try {
  const { release } = await prepareDatabase(commandDatabase(readEnv(), console.error));
  await release();
  console.log(`The database is of version ${RELEASE}`);
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
