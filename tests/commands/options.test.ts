import { expect, test } from "vitest";
import { runCommand, runNode } from "../support/server-process";

/** A command that takes the call ends with status 1: nothing may be made there. */
const NO_DATABASE = { DATA_DIR: "package.json" };

const ARCHIVE = "Usage: npm run ledger:archive -- --before 2026-01-31 [--to FOLDER]\n";
const VERIFY =
  "Usage: npm run ledger:verify [-- --archives FOLDER | --without-archives] [--allow-empty]\n";
const REBUILD = "Usage: npm run ranks:rebuild [-- POINT-SYSTEM…]\n";
const BACKUP = "Usage: npm run backup -- FOLDER [--keep NUMBER], or npm run backup -- --off\n";

const SEED = "Usage: npm run db:seed -- FILE.json\n";
const OPERATORS =
  /^No known task is named in full\. Usage: one of\n {2}npm run operators -- list\n/;
const DEPLOY = /^No chain is named by its id\. Usage: npm run contracts:deploy -- CHAIN_ID\n/;

test.each([
  ["ledger-archive", ["--befor", "2026-01-01"], `Unknown option '--befor'. ${ARCHIVE}`],
  ["ledger-archive", [], `No date is named. ${ARCHIVE}`],
  ["ledger-archive", ["--before", "2026-02-30"], `'2026-02-30' is no date in UTC. ${ARCHIVE}`],
  ["ledger-archive", ["--before", "0000-12-31"], `'0000-12-31' is no date in UTC. ${ARCHIVE}`],
  ["ledger-verify", ["all"], `Unexpected argument 'all'. ${VERIFY}`],
  ["migrate", ["x"], "Unexpected argument 'x'. Usage: npm run migrate\n"],
  ["db-distribute", ["x"], "Unexpected argument 'x'. Usage: npm run db:distribute\n"],
  ["gift-cards-rotate", ["x"], "Unexpected argument 'x'. Usage: npm run gift-cards:rotate\n"],
  ["ranks-rebuild", ["alpha"], `'alpha' is no id of a point system. ${REBUILD}`],
  ["backup", [""], `An argument is empty. ${BACKUP}`],
  ["ledger-archive", ["--before=2026-01-01", "--to="], `An argument is empty. ${ARCHIVE}`],
  [
    "ledger-archive",
    ["--before=2026-01-01", "--before", "2026-02-01"],
    `The option '--before' is given twice. ${ARCHIVE}`,
  ],
  ["backup", ["--off", "--off"], `The option '--off' is given twice. ${BACKUP}`],
  [
    "ledger-archive",
    ["--before=2026-01-01", "--to=package.json/archives"],
    `The archive cannot be written to package.json/archives: ENOTDIR: not a directory, mkdir 'package.json/archives'. ${ARCHIVE}`,
  ],
  [
    "ledger-archive",
    ["--before=2026-01-01", "--to=package.json"],
    `The archive cannot be written to package.json: ENOTDIR: not a directory, scandir 'package.json'. ${ARCHIVE}`,
  ],
  ["operators", [], expect.stringMatching(OPERATORS)],
  ["operators", ["reset"], expect.stringMatching(OPERATORS)],
  ["operators", ["delete", "grace@example.com"], expect.stringMatching(OPERATORS)],
  ["operators", ["list", "a", "b"], expect.stringMatching(/^Unexpected argument 'b'\. Usage: /)],
  ["seed", [], `No file is named. ${SEED}`],
  ["seed", ["a.json", "b.json"], `Unexpected argument 'b.json'. ${SEED}`],
  ["deploy", [], expect.stringMatching(DEPLOY)],
  ["deploy", ["mainnet"], expect.stringMatching(DEPLOY)],
])("a wrong call of %s %j is answered with a sentence and status 2", async (name, args, stderr) => {
  const run = runCommand([name, ...args], NO_DATABASE);
  await expect(run).rejects.toMatchObject({ code: 2, stderr, stdout: "" });
});

test.each([
  ["init", ["--force"], "Unexpected argument '--force'. Usage: npm run init\n"],
  ["sbom", ["out.json"], "Unexpected argument 'out.json'. Usage: npm run sbom\n"],
  ["release", ["a", "b"], "Unexpected argument 'b'. Usage: npm run release [-- FOLDER]\n"],
  ["release", ["--to=a"], "Unexpected argument '--to=a'. Usage: npm run release [-- FOLDER]\n"],
  ["release", [""], "Unexpected argument ''. Usage: npm run release [-- FOLDER]\n"],
])("%s refuses arguments that it would not read: %j", async (name, args, stderr) => {
  const run = runNode([`app/commands/${name}.mjs`, ...args], NO_DATABASE);
  await expect(run).rejects.toMatchObject({ code: 2, stderr, stdout: "" });
});

test.each([
  ["start", "npm start"],
  ["worker", "npm run worker"],
  ["demo", "npm run demo"],
])("%s refuses arguments, which it would not read", async (name, command) => {
  const run = runNode([`app/commands/${name}.mjs`, "--port=4000"], NO_DATABASE);
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: `Unexpected argument '--port=4000'. Usage: ${command}, with its settings in .env or the environment\n`,
    stdout: "",
  });
});
