import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { findBrowser } from "./find-browser.mjs";

// Finds a browser for Playwright, or gets one: Debian's where this is root, else Playwright's own.

const isRoot = process.getuid?.() === 0;

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync(command, args, { stdio: "inherit", env });
}

function installByApt() {
  run("apt-get", ["update", "-qq"]);
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"]);
}

function hasBrowser() {
  return findBrowser() !== undefined || existsSync(chromium.executablePath());
}

const installations = [
  ...(isRoot && existsSync("/usr/bin/apt-get") ? [installByApt] : []),
  () => run("npx", ["playwright", "install", ...(isRoot ? ["--with-deps"] : []), "chromium"]),
];
for (const install of installations) {
  if (hasBrowser()) break;
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
