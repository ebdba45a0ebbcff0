#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// Wraps npm's compiler in the interface that forge calls, so that no compiler has to be downloaded.
// Forge asks for the version, and sends one standard JSON with every source.

const require = createRequire(import.meta.url);
const words = process.argv.slice(2);
if (words.includes("--version")) {
  // The version is read from the package: the compiler itself takes a second to load.
  console.log(`Version: ${require("solc/package.json").version}+commit.00000000.Emscripten.clang`);
} else if (words.includes("--standard-json")) {
  process.stdout.write(require("solc").compile(readFileSync(0, "utf8")));
} else {
  console.error(`Forge asks for what is not known here: ${words.join(" ")}`);
  process.exitCode = 1;
}
