import path from "node:path";
import { z } from "zod";
import { restoreDatabase } from "../db/backups";
import { readEnv } from "../env";
import { describeError } from "../process/describe-error";
import { setKeyEnvironment } from "../services/keyring/keyring";
import { describeKeys } from "../services/keyring/keys";
import { checkGiftCardKeys } from "../services/webhooks/key-check";
import { readOptions, refuseCall } from "./options";
import { reportLedger } from "./report-ledger";
import { withCommandDatabase } from "./with-database";

// npm run restore -- FOLDER [--at TIME]: restores the embedded database from a backup into DATA_DIR, which has none,
// and verifies its ledger. The exit status is 1 when it cannot or something differs, 2 for a wrong call.

const USAGE = "npm run restore -- FOLDER [--at 2026-01-31T12:00:00Z]";
const { values, positionals } = readOptions(USAGE, { at: { type: "string" } }, 1);
const [folder] = positionals;
if (folder === undefined) refuseCall("No folder is named", USAGE);
const at = z.iso.datetime({ offset: true }).optional().safeParse(values.at);
if (!at.success) refuseCall("--at is a time with its zone", USAGE);

try {
  const env = readEnv();
  const time = at.data === undefined ? undefined : new Date(at.data);
  const release = await restoreDatabase(env, { folder, at: time, log: console.error });
  try {
    await withCommandDatabase(async () => {
      await reportLedger({ archives: path.join(env.DATA_DIR, "archives"), isEmptyRight: true });
      setKeyEnvironment(env);
      const { lacking, wrong } = await checkGiftCardKeys(env);
      const ids = [...lacking, ...wrong];
      if (ids.length === 0) return;
      console.log(
        `Codes of gift cards or other secrets are under the key ${ids.join(", ")}. Put it back into ${describeKeys(env)}`,
      );
    });
  } finally {
    await release();
  }
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
