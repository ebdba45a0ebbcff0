import { execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import { type Browser, chromium, type Page } from "@playwright/test";
import { createDemoFixture, DEMO } from "../../../drizzle/demo-fixture.mjs";
import { findBrowser } from "../../find-browser.mjs";
import { createDataDir, seed, startServerProcess } from "../../support/server-process";
import { withCleanUp } from "../clean-up";
import { createCeilingRow, type Row } from "../report";
import { takeMedian } from "../rounds";

const ROUNDS = 5;
/** How much slower the page's processor is: a phone of the middle class beside a desktop. */
const CPU_THROTTLE = 4;
/** The time in which late elements would still move others. */
const SETTLE_MS = 1_500;
/** The bounds of "good" of the Core Web Vitals. */
const PAINT_MS_MAX = 2_500;
const SHIFT_MAX = 0.1;

const PAGES = {
  overview: `/dashboard/${DEMO.pointSystemId}`,
  "public leaderboard": "/l/harbor",
  "claim page": `/claim/harbor?wallet=${DEMO.wallet}`,
} as const;

/** Counts the largest paint and the shifts of a page from its first byte on. */
const OBSERVE = `
  window.seen = { paintMs: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.seen.paintMs = startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries())
      if (!hadRecentInput) window.seen.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
`;

/**
 * Measures the largest paint and the layout shift of three pages in Chromium, on a phone's screen
 * with a slowed processor and an empty cache, with the demo's data.
 */
export function measurePages(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const dataDir = await createDataDir();
    defer(() => fs.rm(dataDir, { recursive: true, force: true }));
    // No server answers there: the claim page shows without a chain.
    const env = { RPC_URL_84532: "http://127.0.0.1:9" };
    const server = await startServerProcess({ dataDir, env });
    defer(async () => void (await server.end("SIGTERM")));
    await seed(dataDir, createDemoFixture(Date.now()));
    execFileSync(process.execPath, ["tests/ensure-browser.mjs"], { stdio: "inherit" });
    const executablePath = findBrowser();
    const browser = await chromium.launch({
      ...(executablePath && { executablePath }),
      args: ["--no-sandbox", "--disable-gpu"],
    });
    defer(() => browser.close());
    const rows: Row[] = [];
    for (const [name, path] of Object.entries(PAGES)) {
      const seen: Awaited<ReturnType<typeof look>>[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        seen.push(await look(browser, server.url, path));
      }
      const [paint, shift] = (["paintMs", "shift"] as const).map((of) =>
        takeMedian(seen.map((one) => one[of])),
      );
      rows.push(
        createCeilingRow(`${name}, largest paint`, Math.round(paint ?? 0), PAINT_MS_MAX, "ms"),
        createCeilingRow(`${name}, layout shift`, Number((shift ?? 0).toFixed(4)), SHIFT_MAX, ""),
      );
    }
    return rows;
  });
}

/** Loads a page once, in a context of its own. */
async function look(
  browser: Browser,
  url: string,
  path: string,
): Promise<{ paintMs: number; shift: number }> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    locale: "en-US",
    timezoneId: "UTC",
  });
  try {
    const page = await context.newPage();
    if (path.startsWith("/dashboard")) await signIn(page, url);
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.setCacheDisabled", { cacheDisabled: true });
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: CPU_THROTTLE });
    await page.addInitScript(OBSERVE);
    await page.goto(url + path);
    await page.waitForTimeout(SETTLE_MS);
    return (await page.evaluate("window.seen")) as { paintMs: number; shift: number };
  } finally {
    await context.close();
  }
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.request.post(`${url}/sign-in`, {
    form: { email: DEMO.email, password: DEMO.password },
    headers: { origin: url },
  });
}
