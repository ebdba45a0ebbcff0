import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { findBrowser, HEADLESS_SHELL } from "./find-browser.mjs";

// Finds a browser for Playwright, or installs one: Debian's when run as root, otherwise
// Playwright's own.

const isRoot = process.getuid?.() === 0;

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync(command, args, { stdio: "inherit", env });
}

/**
 * Installs a package of Debian.
 * @param {string} name
 */
function installByApt(name) {
  run("apt-get", ["update", "-qq"]);
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name]);
}

function hasBrowser() {
  return findBrowser() !== undefined || existsSync(chromium.executablePath());
}

const canApt = isRoot && existsSync("/usr/bin/apt-get");
/** Installations in their order. Each is skipped when its result already exists. */
const installations = [
  ...(canApt && !process.env.CHROMIUM_PATH
    ? [
        {
          isThere: () => existsSync(HEADLESS_SHELL),
          install: () => installByApt("chromium-headless-shell"),
        },
        { isThere: hasBrowser, install: () => installByApt("chromium") },
      ]
    : []),
  {
    isThere: hasBrowser,
    install: () =>
      run("npx", ["playwright", "install", ...(isRoot ? ["--with-deps"] : []), "chromium"]),
  },
];
for (const { isThere, install } of installations) {
  if (isThere()) continue;
  try {
    install();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}
if (!hasBrowser()) {
  console.error("There is no browser. Install Chromium, or name one in CHROMIUM_PATH.");
  process.exit(1);
}
console.log(findBrowser() ?? chromium.executablePath());
