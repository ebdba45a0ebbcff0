import { expect, test } from "vitest";
import { runCommand } from "../support/server-process";

const ARCHIVE = "Usage: npm run ledger:archive -- --before 2026-01-31 [--to FOLDER]\n";
const VERIFY =
  "Usage: npm run ledger:verify [-- --archives FOLDER | --without-archives] [--allow-empty]\n";

test.each([
  ["ledger-archive", ["--befor", "2026-01-01"], `Unknown option '--befor'. ${ARCHIVE}`],
  ["ledger-verify", ["all"], `Unexpected argument 'all'. ${VERIFY}`],
])("a wrong call of %s %j is answered with a sentence and status 2", async (name, args, stderr) => {
  const run = runCommand([`app/commands/${name}.ts`, ...args], {});
  await expect(run).rejects.toMatchObject({ code: 2, stderr, stdout: "" });
});
