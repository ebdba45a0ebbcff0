import path from "node:path";
import { backUpDatabase, endDatabaseBackups } from "../db/backups";
import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { describeKeys } from "../services/keyring/keys";
import { readOptions, refuseCall } from "./options";

// npm run backup -- FOLDER [--keep NUMBER] | --off: copies the embedded database into a folder while the service runs, and
// has its log copied there from then on. The exit status is 1 when it cannot, 2 for a wrong call.

const USAGE = "npm run backup -- FOLDER [--keep NUMBER], or npm run backup -- --off";
const { values, positionals } = readOptions(
  USAGE,
  { keep: { type: "string" }, off: { type: "boolean" } },
  1,
);
const [folder] = positionals;
if ((folder === undefined) !== (values.off === true)) refuseCall("No folder is named", USAGE);
if (values.keep !== undefined && !/^[1-9]\d{0,3}$/.test(values.keep)) {
  refuseCall("--keep is a number from 1", USAGE);
}
try {
  const env = readEnv();
  if (folder === undefined) {
    const former = await endDatabaseBackups(env);
    console.log(former === null ? "No log was copied" : `The log is no longer copied to ${former}`);
  } else {
    const keep = values.keep === undefined ? undefined : Number(values.keep);
    const { name, endedAt } = await backUpDatabase(env, { folder, keep, log: console.error });
    console.log(`${path.join(folder, name)} is complete`);
    console.log(`Every moment from ${endedAt} on can be restored, up to the last minute`);
    console.log(`Not in it: ${describeKeys(env)}. Keep a copy of them in another place`);
  }
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
