// npm run test:citus [-- FILE…]: runs tests of services, of the API and of the dashboard on a coordinator and two workers of Citus, from
// CITUS_BIN or from the archive beside the checkout. Without either it says so, and does not pass.
import { spawnSync } from "node:child_process";
import { CITUS_FILES, CITUS_WALKS, hasCitus } from "./citus-files.mjs";

if (!hasCitus()) {
  console.log(
    "There is no Citus: nothing was tested. Name the folder of its programs in CITUS_BIN.",
  );
  process.exit(1);
}
const named = process.argv.slice(2);
const files = named.length > 0 ? named : [...CITUS_FILES, ...CITUS_WALKS];
const isWalk = (/** @type {string} */ file) => file.startsWith("tests/e2e/");
const walks = files.filter(isWalk);
const tests = files.filter((file) => !isWalk(file));

/** @param {string[]} command */
function run(...command) {
  const env = { ...process.env, TEST_ENGINE: "citus" };
  return spawnSync("npx", command, { stdio: "inherit", env }).status ?? 1;
}
const projects = ["citus", "database", "slow", "timed-citus"].map((name) => `--project=${name}`);
const failed = [
  tests.length > 0 && run("vitest", "run", ...projects, ...tests) !== 0,
  walks.length > 0 && run("playwright", "test", ...walks) !== 0,
];
process.exit(failed.includes(true) ? 1 : 0);
