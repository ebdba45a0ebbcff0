import { existsSync } from "node:fs";

/**
 * Chromium without windows. It is twice as fast as the full browser, which draws a window frame for
 * each page.
 */
export const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

const PLACES = [
  process.env.CHROMIUM_PATH,
  HEADLESS_SHELL,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Finds the Chromium of this machine.
 * @returns {string | undefined} its path; undefined leaves the choice to Playwright
 */
export function findBrowser() {
  return PLACES.find((place) => place && existsSync(place));
}
