// npm test: everything, on a fresh clone. Closes with the line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const reports = mkdtempSync(path.join(os.tmpdir(), "points-reports-"));
const totals = { passed: 0, failed: 0, skipped: 0 };
/** What failed and why, said again at the end: a log of which only the end is kept is enough. */
const failures = /** @type {string[]} */ ([]);
/** What failed once and passed then: nothing to be fine with, so it is said as well. */
const unsteady = /** @type {string[]} */ ([]);
let isBroken = false;

/**
 * Runs a step and shows what it says.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function run(title, command, args, env = {}) {
  console.log(`\n== ${title}`);
  const result = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  return result.status === 0;
}

/** @param {string} name a package's command */
const bin = (name) => path.join("node_modules", ".bin", name);

/**
 * Adds a report in Vitest's JSON form. A run that executed no test is a failure.
 * @param {string} file
 */
function addVitestReport(file) {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  if (!report || report.numPassedTests + report.numFailedTests === 0) return false;
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests;
  for (const { name, message, assertionResults } of report.testResults) {
    const file = path.relative(process.cwd(), name);
    if (message) failures.push(`${file}\n${message}`);
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (failureMessages.length === 0) continue;
      const list = status === "failed" ? failures : unsteady;
      list.push([`${file}: ${fullName}`, ...failureMessages].join("\n"));
    }
  }
  return true;
}

/** @param {any} suite of Playwright's JSON report */
function addPlaywrightFailures({ file, specs = [], suites = [] }) {
  for (const { ok, title, tests } of specs) {
    const results = tests.flatMap((/** @type {any} */ test) => test.results);
    const errors = results.flatMap((/** @type {any} */ result) => result.errors);
    if (ok && errors.length === 0) continue;
    const messages = errors.map((/** @type {any} */ { message }) => message);
    (ok ? unsteady : failures).push([`${file}: ${title}`, ...messages].join("\n"));
  }
  suites.forEach(addPlaywrightFailures);
}

/** @param {string} file Playwright's JSON report */
function addPlaywrightReport(file) {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  if (!report || report.stats.expected + report.stats.unexpected + report.stats.flaky === 0) {
    return false;
  }
  totals.passed += report.stats.expected + report.stats.flaky;
  totals.failed += report.stats.unexpected;
  totals.skipped += report.stats.skipped;
  addPlaywrightFailures(report);
  return true;
}

/** @param {string} file the report of `npm run test:contracts` */
function addForgeReport(file) {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  if (!report || report.passed + report.failed === 0) return false;
  totals.passed += report.passed;
  totals.failed += report.failed;
  totals.skipped += report.skipped;
  return true;
}

if (!existsSync("node_modules")) isBroken ||= !run("Install", "npm", ["ci"]);

isBroken ||= !run("Build", bin("remix"), ["vite:build", "--logLevel", "error"]);

if (!isBroken) {
  const forgeReport = path.join(reports, "forge.json");
  const forge = ["contracts/scripts/test.ts", `--report=${forgeReport}`];
  const areContractsGreen = run("Contracts", bin("tsx"), forge);
  const wasForgeRun = addForgeReport(forgeReport);
  // One more test: that the others reach every line and branch.
  const isCovered = run("Contracts' coverage", bin("tsx"), ["contracts/scripts/coverage.ts"]);
  totals[isCovered ? "passed" : "failed"] += 1;

  const vitestReport = path.join(reports, "vitest.json");
  const vitest = ["run", "--reporter=default", "--reporter=json", `--outputFile=${vitestReport}`];
  const isVitestGreen = run("Vitest", bin("vitest"), vitest);
  const wasVitestRun = addVitestReport(vitestReport);
  const hasBrowser = run("Browser", process.execPath, ["tests/ensure-browser.mjs"]);
  isBroken = !areContractsGreen || !wasForgeRun || !isVitestGreen || !wasVitestRun || !hasBrowser;

  const playwrightReport = path.join(reports, "playwright.json");
  const isPlaywrightGreen = run("Playwright", bin("playwright"), ["test", "--reporter=list,json"], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport,
  });
  const wasPlaywrightRun = addPlaywrightReport(playwrightReport);
  isBroken ||= !isPlaywrightGreen || !wasPlaywrightRun;
}

rmSync(reports, { recursive: true, force: true });
const FAILURE_LENGTH_MAX = 2_000;
for (const [title, list] of Object.entries({
  "What passed at the second attempt only": unsteady,
  "What failed": failures,
})) {
  if (list.length > 0) console.log(`\n== ${title}`);
  for (const failure of list) console.log(`\n${failure.slice(0, FAILURE_LENGTH_MAX)}`);
}
// What broke outside a test is a failure too.
if (isBroken && totals.failed === 0) totals.failed = 1;
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(isBroken || totals.failed > 0 ? 1 : 0);
