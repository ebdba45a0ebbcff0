import fs from "node:fs";
import { expect, test } from "vitest";
import { findUnproven } from "../check-lock.mjs";

const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));

const withEntry = (path: string, entry: object) => ({
  packages: { ...lock.packages, [path]: entry },
});

test("each package of the lock file has a hash or a reason", () => {
  expect(findUnproven(lock)).toEqual([]);
});

test.each([
  ["a package without a hash", "node_modules/left-pad", { version: "1.0.0" }],
  ["a hash of SHA-1", "node_modules/left-pad", { version: "1.0.0", integrity: "sha1-abc=" }],
  [
    "a build for other platforms that nobody gave a reason for",
    "node_modules/@esbuild/win32-arm64-msvc",
    { version: "1.0.0", optional: true, dev: true },
  ],
  [
    "an excused build that the service itself would use",
    "node_modules/@biomejs/cli-win32-arm64",
    { version: "1.0.0", optional: true },
  ],
  [
    "an excused build that names where to fetch it",
    "node_modules/@biomejs/cli-win32-arm64",
    { version: "1.0.0", optional: true, dev: true, resolved: "https://example.com/a.tgz" },
  ],
])("%s is found", (_, path, entry) => {
  expect(findUnproven(withEntry(path, entry))).toEqual([path]);
});
