// Part of `npm run check`: each package in package-lock.json has an integrity hash, or a reason here.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Builds for platforms on which no test runs, which the registry of the lock file lacked
 * (.ci/complete-lock.mjs). They are optional, and npm fetches them only on these platforms.
 */
const OTHER_PLATFORMS =
  /-(?:android|darwin|freebsd|openharmony|win32|linux)-[a-z0-9]+(?:-[a-z]+)?$/;
const REASONS = [
  {
    packages: /^node_modules\/@biomejs\/cli-/,
    reason: "the formatter's builds; development only",
  },
  {
    packages: /^node_modules\/@foundry-rs\/(?:anvil|forge)-/,
    reason: "the demo's and the tests' chain; development only",
  },
  {
    packages: /^node_modules\/@oxc-parser\/binding-/,
    reason: "the parser of knip; development only",
  },
];

/**
 * Finds the packages of a lock file that could be anything: no integrity hash, and no reason for it.
 * @param {{ packages: Record<string, { integrity?: string, link?: boolean, optional?: boolean, dev?: boolean, resolved?: string }> }} lock
 * @returns {string[]}
 */
export function findUnproven(lock) {
  return Object.entries(lock.packages)
    .filter(([path, { integrity, link, optional, dev, resolved }]) => {
      if (path === "" || link) return false;
      // SHA-1 proves nothing any more.
      if (integrity !== undefined) return !integrity.startsWith("sha512-");
      const isExcused =
        optional === true &&
        dev === true &&
        resolved === undefined &&
        OTHER_PLATFORMS.test(path) &&
        REASONS.some(({ packages }) => packages.test(path));
      return !isExcused;
    })
    .map(([path]) => path);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const unproven = findUnproven(lock);
  for (const path of unproven) console.error(`${path} has no integrity hash`);
  console.log(
    `Lock file: ${Object.keys(lock.packages).length - 1} packages, ${unproven.length} problems`,
  );
  process.exitCode = unproven.length > 0 ? 1 : 0;
}
