// npm run test:citus [-- FILE…]: runs tests of services and of the API on a coordinator and two workers of Citus, from
// CITUS_BIN or from the archive beside the checkout. Without either it says so, and does not pass.
import { spawnSync } from "node:child_process";
import { CITUS_FILES, hasCitus } from "./citus-files.mjs";

if (!hasCitus()) {
  console.log(
    "There is no Citus: nothing was tested. Name the folder of its programs in CITUS_BIN.",
  );
  process.exit(1);
}
const files = process.argv.slice(2);
const { status } = spawnSync(
  "npx",
  [
    "vitest",
    "run",
    "--project=citus",
    "--project=database",
    "--project=slow",
    ...(files.length > 0 ? files : CITUS_FILES),
  ],
  { stdio: "inherit", env: { ...process.env, TEST_ENGINE: "citus" } },
);
process.exit(status ?? 1);
