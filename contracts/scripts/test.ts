import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runForge } from "./foundry";
import { compileCampaigns } from "./generate";

// npm run test:contracts [-- --report FILE] [-- FORGE'S OPTIONS]: runs forge's tests against the
// deployed code.

const { values, positionals } = parseArgs({
  options: { report: { type: "string" } },
  allowPositionals: true,
});

const CAMPAIGN_INIT_CODE = compileCampaigns().initCode;
const { isGreen, output } = runForge(["test", ...positionals], { CAMPAIGN_INIT_CODE });
console.log(output);
const [, passed = "0", failed = "0", skipped = "0"] =
  /(\d+) tests passed, (\d+) failed, (\d+) skipped/.exec(output) ?? [];
if (values.report !== undefined) {
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  writeFileSync(values.report, JSON.stringify(counts));
}
// A run without tests counts as failed.
if (!isGreen || Number(passed) === 0) process.exitCode = 1;
