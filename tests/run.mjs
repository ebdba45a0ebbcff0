// npm run check, npm test and npm run test:deep. Each closes with the line `N passed, N failed`.
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { CITUS_CORE, CITUS_CORE_WALKS, hasCitus } from "./citus-files.mjs";
import { measureFixedWorkMs } from "./fixed-work.mjs";

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {string[]} command
 * @property {Record<string, string>} [env]
 * @property {(report: any) => boolean} [read] adds up what the step reports; false when it ran no test
 */

const FAILURE_LENGTH_MAX = 2_000;
/** The folder of files in memory, on Linux: a database is made there in a tenth of the time. */
const MEMORY_FOLDER = "/dev/shm";
/** `npm test` has some 400 MB there. */
const MEMORY_BYTES_MIN = 2 * 2 ** 30;
const reports = mkdtempSync(path.join(os.tmpdir(), "points-reports-"));
const totals = { passed: 0, failed: 0, skipped: 0 };
/** Why tests failed. It is printed at the end, because CI may keep only the end of a log. */
const failures = /** @type {string[]} */ ([]);
/** Tests that passed at the second attempt. */
const unsteady = /** @type {string[]} */ ([]);
/** How long each test file took. */
const files = /** @type {{ name: string, seconds: number }[]} */ ([]);
let isBroken = false;

/** @param {string} name a package's command */
const bin = (name) => path.join("node_modules", ".bin", name);

/** @param {number} from a moment of performance.now() */
const secondsSince = (from) => (performance.now() - from) / 1_000;

/**
 * Runs a step to its end.
 * @param {Step} step
 * @param {boolean} isAlone whether its output is shown while it runs; otherwise it is shown at its end
 */
async function run({ title, command: [program = "", ...args], env, read }, isAlone) {
  const report = path.join(reports, `${title.replaceAll(" ", "-")}.json`);
  console.log(isAlone ? `\n== ${title}` : `== ${title} begins`);
  const startedAt = performance.now();
  const child = spawn(
    program,
    [...args, ...(read === readVitest ? [`--outputFile=${report}`] : [])],
    {
      stdio: isAlone ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env, TEST_REPORT: report, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
  const code = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", resolve);
  });
  if (!isAlone) console.log(`\n== ${title}\n${output.trimEnd()}`);
  console.log(`== ${title}: ${secondsSince(startedAt).toFixed(0)} s`);
  const hasTests =
    !read || (existsSync(report) && read(JSON.parse(readFileSync(report, "utf8"))) !== false);
  if (code === 0 && hasTests) return;
  isBroken = true;
  if (!read || !hasTests) {
    failures.push(`${title} ended with ${code}\n${output.slice(-FAILURE_LENGTH_MAX)}`);
  }
}

/**
 * Runs steps at once.
 * @param {Step[]} steps
 */
async function together(...steps) {
  await Promise.all(steps.map((step) => run(step, steps.length === 1)));
}

/** @param {any} report Vitest's */
function readVitest(report) {
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests;
  for (const { name, message, startTime, endTime, assertionResults } of report.testResults) {
    const file = path.relative(process.cwd(), name);
    files.push({ name: file, seconds: (endTime - startTime) / 1_000 });
    if (message) failures.push(`${file}\n${message}`);
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (failureMessages.length === 0) continue;
      const list = status === "failed" ? failures : unsteady;
      list.push([`${file}: ${fullName}`, ...failureMessages].join("\n"));
    }
  }
  return report.numPassedTests + report.numFailedTests > 0;
}

/** @param {any} report Playwright's */
function readPlaywright({ stats, suites }) {
  totals.passed += stats.expected + stats.flaky;
  totals.failed += stats.unexpected;
  totals.skipped += stats.skipped;
  for (const suite of suites) {
    const milliseconds = readSuite(suite);
    files.push({ name: `tests/e2e/${suite.file}`, seconds: milliseconds / 1_000 });
  }
  return stats.expected + stats.unexpected + stats.flaky > 0;
}

/**
 * @param {any} suite of Playwright's report
 * @returns {number} how long its tests took
 */
function readSuite({ file, specs = [], suites = [] }) {
  let milliseconds = 0;
  for (const { ok, title, tests } of specs) {
    const results = tests.flatMap((/** @type {any} */ test) => test.results);
    const errors = results.flatMap((/** @type {any} */ result) => result.errors);
    for (const { duration } of results) milliseconds += duration;
    if (ok && errors.length === 0) continue;
    const messages = errors.map((/** @type {any} */ { message }) => message);
    (ok ? unsteady : failures).push([`${file}: ${title}`, ...messages].join("\n"));
  }
  for (const suite of suites) milliseconds += readSuite(suite);
  return milliseconds;
}

/** @param {any} report of `npm run test:contracts`, and of its coverage */
function readContracts({ passed, failed, skipped, suites }) {
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
  files.push(...suites);
  return passed + failed > 0;
}

/**
 * @param {string} title
 * @param {string[]} projects of vite.config.ts
 * @param {Record<string, string>} env
 * @returns {Step}
 */
const vitest = (title, projects, env = {}) => ({
  title,
  command: [
    ...[bin("vitest"), "run", "--reporter=default", "--reporter=json"],
    ...projects.map((project) => `--project=${project}`),
  ],
  env,
  read: readVitest,
});

/**
 * @param {string} title
 * @param {Record<string, string>} env
 * @returns {Step}
 */
const playwright = (title, env = {}) => ({
  title,
  command: [bin("playwright"), "test", "--reporter=list,json"],
  env,
  read: readPlaywright,
});

/** @param {string} profile of foundry.toml */
const contracts = (profile) => ({
  title: "Contracts",
  command: [bin("tsx"), "contracts/scripts/test.ts"],
  env: { FOUNDRY_PROFILE: profile },
  read: readContracts,
});

/** The time by which CI stops, in milliseconds since 1970. */
const ENDS_AT = Number(process.env.CI_ENDS_AT) * 1_000 || Number.POSITIVE_INFINITY;
const minutesLeft = () => (ENDS_AT - Date.now()) / 60_000;
/** The minutes of all that begins when depth has ended, of PostgreSQL 15 without depth, of Citus, and of the browser at depth. */
const MINUTES_AFTER_DEPTH = 20;
const MINUTES_OF_POSTGRES_15 = 14;
const MINUTES_OF_CITUS = 10;
const MINUTES_OF_BROWSER = 14;
const DEPTH_ENDS_AT = ENDS_AT - MINUTES_AFTER_DEPTH * 60_000;

/** @param {string} title */
function sayLeftOut(title) {
  console.log(`\n== ${title}: left out, as CI stops in ${minutesLeft().toFixed(0)} minutes`);
}

const DEEP = { DEEP: "1", DEPTH_ENDS_AT: String(DEPTH_ENDS_AT) };

/** @param {Record<string, string>} env */
const build = (env = {}) => ({
  title: "Build",
  command: [process.execPath, "tests/build.mjs"],
  env,
});

/** Lists the tests that are of this rung alone, and those that do more in it. */
function listDeepFiles() {
  return readdirSync("tests", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => path.join("tests", file))
    .filter((file) => {
      if (file.includes(".deep.") || file.startsWith(path.join("tests", "faults"))) return true;
      return readFileSync(file, "utf8").includes("support/depth");
    });
}

/** The rungs of the ladder: what runs at once stands together. */
const RUNGS = {
  async check() {
    await together(
      { title: "Static checks", command: ["npm", "run", "--silent", "check:static"] },
      vitest("Vitest", ["domain", "database"], { QUICK: "1" }),
    );
  },
  async test() {
    await together(
      build(),
      { title: "Browser", command: [process.execPath, "tests/ensure-browser.mjs"] },
      contracts("default"),
      vitest("Vitest", ["domain", "database"]),
    );
    await together(vitest("Vitest with processes", ["processes"]));
    await together(playwright("Playwright"));
  },
  async deep() {
    await together(build(DEEP), contracts("deep"));
    await together({
      title: "Contracts' coverage",
      command: [bin("tsx"), "contracts/scripts/coverage.ts"],
      read: readContracts,
    });
    const atDepth = vitest("Vitest at depth", ["domain", "processes", "deep", "timed-deep"], DEEP);
    // Of what `npm test` runs, only the files that do more at depth.
    await together({ ...atDepth, command: [...atDepth.command, ...listDeepFiles()] });
    const onPostgres15 = vitest(
      "Vitest on PostgreSQL 15",
      ["database", "slow", "deep-database"],
      DEEP,
    );
    const ofDatabase = ["database-functions", "takeover", "versions", "two-roles"];
    // Where the SQL of its own is; all others ran on the embedded PostgreSQL.
    const ofSql = [".slow.", ...listDeepFiles()].concat(
      [
        "activity",
        "board",
        "fixture",
        "imports",
        "insights",
        "ledger",
        "progress",
        "wallet-links",
        "webhooks",
      ].map((folder) => `tests/services/${folder}/`),
    );
    const isWhole = minutesLeft() > MINUTES_OF_POSTGRES_15;
    if (!isWhole) sayLeftOut("Most of PostgreSQL 15");
    const files = isWhole ? ofDatabase.concat(ofSql) : ofDatabase;
    await together({
      ...onPostgres15,
      command: ["bash", "tests/with-postgres-15.sh", ...onPostgres15.command, ...files],
    });
    if (hasCitus() && minutesLeft() < MINUTES_OF_CITUS) {
      sayLeftOut("Citus");
    } else if (hasCitus()) {
      const onCitus = vitest("Vitest on Citus", ["citus", "database", "timed-citus"], {
        TEST_ENGINE: "citus",
      });
      await together({ ...onCitus, command: [...onCitus.command, ...CITUS_CORE] });
      const walks = playwright("Playwright on Citus", { TEST_ENGINE: "citus" });
      await together({ ...walks, command: [...walks.command, ...CITUS_CORE_WALKS] });
    } else {
      console.log(
        "\n== There is no Citus: nothing was tested on it. CITUS_BIN names its programs.",
      );
    }
    if (Date.now() > DEPTH_ENDS_AT) sayLeftOut("The depth of files that began last");
    const walks = playwright("Playwright in the dark and on phones", DEEP);
    if (minutesLeft() > MINUTES_OF_BROWSER) await together(walks);
    else sayLeftOut(walks.title);
  },
};

/** Has the steps keep their data in memory, where there is enough of it. */
function keepDataInMemory() {
  if (!existsSync(MEMORY_FOLDER)) return;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  if (Math.min(bavail * bsize, os.freemem()) < MEMORY_BYTES_MIN) return;
  const folder = mkdtempSync(path.join(MEMORY_FOLDER, "points-tests-"));
  // PostgreSQL has another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
}

const rung = process.argv[2] ?? "test";
const startedAt = performance.now();
const machine = measureFixedWorkMs() / 1_000;
if (!existsSync("node_modules")) await together({ title: "Install", command: ["npm", "ci"] });
// What is tested at depth may need more, and a true disk.
if (rung !== "deep") keepDataInMemory();
if (!isBroken) await RUNGS[/** @type {keyof typeof RUNGS} */ (rung)]();
rmSync(reports, { recursive: true, force: true });

for (const [title, list] of Object.entries({
  "Passed at the second attempt only": unsteady,
  Failed: failures,
})) {
  if (list.length > 0) console.log(`\n== ${title}`);
  for (const failure of list) console.log(`\n${failure.slice(0, FAILURE_LENGTH_MAX)}`);
}
console.log("\n== The fifteen slowest files");
for (const { name, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, 15)) {
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
const took = secondsSince(startedAt).toFixed(0);
console.log(
  `\n${took} s in all, on a machine that needs ${machine.toFixed(2)} s for the fixed work`,
);
// A failure outside of the tests is a failure too.
if (isBroken && totals.failed === 0) totals.failed = 1;
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(isBroken || totals.failed > 0 ? 1 : 0);
