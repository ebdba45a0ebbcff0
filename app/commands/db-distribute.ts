import { distributeDatabase } from "../db/citus/distribute";
import { commandDatabase, prepareDatabase } from "../db/open";
import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { readOptions } from "./options";

// npm run db:distribute: turns the database of DATABASE_URL, which is the coordinator of Citus, into the sharded form
// (docs/scaling.md), and says what it did. Run again, it brings what is missing up to date. The exit status is 1 when
// it cannot; the tables are then as they were.

readOptions("npm run db:distribute", {});
try {
  const { address, release } = await prepareDatabase(commandDatabase(readEnv(), console.error));
  try {
    await distributeDatabase(address, console.log);
  } finally {
    await release();
  }
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
