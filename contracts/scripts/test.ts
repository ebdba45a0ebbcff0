import { writeFileSync } from "node:fs";
import { runForge } from "./foundry";
import { compileCampaigns } from "./generate";

// npm run test:contracts [-- FORGE'S OPTIONS]: forge's tests against the code that is deployed. With
// FOUNDRY_PROFILE=deep, fuzz tests have 10,000 runs.

const CAMPAIGN_INIT_CODE = compileCampaigns().initCode;
const { isGreen, output } = runForge(["test", ...process.argv.slice(2)], { CAMPAIGN_INIT_CODE });
console.log(output);
const [, passed = "0", failed = "0", skipped = "0"] =
  /(\d+) tests passed, (\d+) failed, (\d+) skipped/.exec(output) ?? [];
if (process.env.TEST_REPORT) {
  const suites = [
    ...output.matchAll(/^Ran \d+ tests? for (\S+):\w+$.*?finished in ([\d.]+)(m?s)/gms),
  ].map(([, name, time, unit]) => ({ name, seconds: Number(time) / (unit === "ms" ? 1_000 : 1) }));
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  writeFileSync(process.env.TEST_REPORT, JSON.stringify({ ...counts, suites }));
}
// A run without tests counts as failed.
if (!isGreen || Number(passed) === 0) process.exitCode = 1;
