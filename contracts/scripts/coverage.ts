import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runForge } from "./foundry";
import { CAMPAIGNS_FILE } from "./generate";

// npm run test:contracts:coverage: the exit status is 1 unless the unit tests and a few runs of
// each fuzz test reach every line, branch and function of the campaign contract. Forge counts by
// source positions, so it compiles without the optimizer here. Inside assembly it counts lines, but
// no branches: fuzz tests against OpenZeppelin's verifier and the mutants cover _computeRoot's
// loop.

const ROOT = path.join(import.meta.dirname, "../..");
const REPORT = ".forge/lcov.info";
/** The names in lcov's report: found and hit. */
const COUNTS = {
  lines: ["LF", "LH"],
  branches: ["BRF", "BRH"],
  functions: ["FNF", "FNH"],
} as const;

function readRecord(): string {
  const records = readFileSync(path.join(ROOT, REPORT), "utf8").split("end_of_record\n");
  const record = records.find((text) => text.includes(`SF:${CAMPAIGNS_FILE}\n`));
  if (record === undefined) throw new Error(`${CAMPAIGNS_FILE} is not in the report`);
  return record;
}

function readCount(record: string, name: string): number {
  const count = new RegExp(`^${name}:(\\d+)$`, "m").exec(record)?.[1];
  if (count === undefined) throw new Error(`The report has no ${name}`);
  return Number(count);
}

rmSync(path.join(ROOT, REPORT), { force: true });
const { isGreen, output } = runForge(
  ["coverage", "--report=lcov", `--report-file=${REPORT}`, "--no-match-contract=Invariants"],
  // Without the variable, the tests deploy the code that forge compiled, which is counted.
  { FOUNDRY_PROFILE: "fast", CAMPAIGN_INIT_CODE: "" },
);
if (!isGreen) {
  console.error(output);
  process.exitCode = 1;
} else {
  const record = readRecord();
  for (const [what, [found, hit]] of Object.entries(COUNTS)) {
    const [all, reached] = [readCount(record, found), readCount(record, hit)];
    console.log(`${CAMPAIGNS_FILE}: ${reached} of ${all} ${what}`);
    if (all === 0 || reached < all) process.exitCode = 1;
  }
  for (const [, line] of record.matchAll(/^DA:(\d+),0$/gm)) console.log(`  line ${line}: never`);
  for (const [, line] of record.matchAll(/^BRDA:(\d+),\d+,\d+,(?:0|-)$/gm)) {
    console.log(`  a branch of line ${line}: never`);
  }
}
// One test: that the others reach every line and branch.
if (process.env.TEST_REPORT) {
  const failed = process.exitCode === undefined ? 0 : 1;
  const report = { passed: 1 - failed, failed, skipped: 0, suites: [] };
  writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
}
