import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { getCompilerVersion, readCompilerInput } from "./compile";
import { CAMPAIGNS_FILE, generateFiles } from "./generate";

// npm run contracts:build: compiles the contracts, and writes the generated files of the app and
// the tests.
//   -- --check                 writes nothing; exit status 1 when a file is stale
//   -- --standard-json FILE    writes the input with which explorers verify the source

const ROOT = path.join(import.meta.dirname, "../..");

function writeStandardJson(file: string): void {
  writeFileSync(file, `${JSON.stringify(readCompilerInput(CAMPAIGNS_FILE), null, 2)}\n`);
  console.log(`${file}: standard JSON input for ${CAMPAIGNS_FILE}:RewardCampaigns`);
  console.log(`Compiler ${getCompilerVersion()}, no constructor arguments, MIT`);
}

function findStale(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([file, text]) => readFileSync(path.join(ROOT, file), "utf8") !== text)
    .map(([file]) => file);
}

const [option, file] = process.argv.slice(2);
if (option === "--standard-json") {
  writeStandardJson(file ?? "reward-campaigns.standard-input.json");
} else if (option === "--check") {
  const stale = findStale(generateFiles());
  for (const name of stale) console.error(`${name} is stale: npm run contracts:build`);
  if (stale.length > 0) process.exitCode = 1;
} else if (option === undefined) {
  for (const [name, text] of Object.entries(generateFiles())) {
    writeFileSync(path.join(ROOT, name), text);
    console.log(name);
  }
} else {
  console.error("Usage: npm run contracts:build [-- --check | --standard-json FILE]");
  process.exitCode = 1;
}
