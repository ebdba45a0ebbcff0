import { existsSync } from "node:fs";

const PLACES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * The Chromium that this machine has.
 * @returns {string | undefined} its path; undefined leaves the choice to Playwright
 */
export function findBrowser() {
  return PLACES.find((place) => place && existsSync(place));
}
