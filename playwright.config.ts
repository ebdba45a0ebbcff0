import { defineConfig } from "@playwright/test";
import { findBrowser } from "./tests/find-browser.mjs";

const executablePath = findBrowser();

export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: ["tests/setup/build.ts", "tests/setup/data-dir.ts", "tests/setup/citus.ts"],
  outputDir: "test-results",
  // Of npm run test:deep alone are rarer states, the walks at 390 px and without JavaScript, the demo. It
  // repeats those of `npm test` that do more there or that its own build on. Every page is read at both widths.
  ...(process.env.DEEP
    ? { grep: /@deep|@both| at 390 px/, grepInvert: / at 1280 px/ }
    : { grepInvert: /@deep/ }),
  // One more than there are cores as a rule, as in vite.config.ts.
  workers: 3,
  timeout: 60_000,
  // What is expected is expected on a busy machine too.
  expect: { timeout: 15_000 },
  // As in vite.config.ts: npm test says which needed it.
  retries: 1,
  reporter: "list",
  forbidOnly: true,
  use: {
    headless: true,
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      ...(executablePath && { executablePath }),
      // The first one: Chromium's own sandbox does not work for root.
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
