import fs from "node:fs/promises";
import { type Browser, chromium, type Page, type Route } from "@playwright/test";
import { withDatabase } from "../app/db/client";
import { commandDatabase, openMigratedDatabase } from "../app/db/open";
import { airdrops } from "../app/db/schema/rewards";
import { queueAllocation } from "../app/services/campaigns/build/order";
import { createDemoFixture, DEMO } from "../drizzle/demo-fixture.mjs";
import { findBrowser } from "./find-browser.mjs";
import {
  createDataDir,
  seed,
  startDevelopmentServer,
  startServerProcess,
} from "./support/server-process";

// npm run screens: takes pictures of the pages with the demo's data, for the README and for review: on a
// desktop and a phone, light and dark; empty, full, loading and failing. It needs a build, as the browser
// tests do. `npm run screens -- claim wallet` takes only those whose names begin so, and keeps the others.

const FOLDER = "docs/screens";
const SYSTEM = `/dashboard/${DEMO.pointSystemId}`;
const EMPTY_SYSTEM = "/dashboard/d0000000-0000-4000-8000-000000000002";
const CHAIN_ID = 84532;
const REWARDS = `${SYSTEM}/rewards`;
/** The largest file, in bytes, and the qualities that are tried until a picture is no larger. */
const BYTES_MAX = 60_000;
const QUALITIES = [80, 65, 50, 35, 20, 10] as const;
/** The most of a page's height that a picture has. */
const HEIGHT_MAX = 2_000;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** Prepares the page before the picture. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Takes only the window instead of the whole page. */
  readonly isWindow?: boolean;
  /** Takes the light desktop and the dark phone alone. */
  readonly isState?: boolean;
}

/** The beginnings of the names that are wanted; all for none. */
const WANTED = process.argv.slice(2);
const isWanted = (name: string) =>
  WANTED.length === 0 || WANTED.some((beginning) => name.startsWith(beginning));

const PUBLIC_SHOTS: readonly Shot[] = [
  { name: "start", path: "/" },
  { name: "sign-in", path: "/sign-in" },
  { name: "public-leaderboard", path: "/l/harbor" },
  { name: "claim", path: `/claim/harbor?wallet=${DEMO.wallet}` },
  { name: "public-leaderboard-embed", path: "/l/harbor/embed", isState: true },
  { name: "claim-start", path: "/claim/harbor", isState: true },
  { name: "reference", path: "/docs", isState: true },
  submitEmpty("sign-in", "/sign-in", "Sign in"),
  {
    ...{ name: "loading-claim", path: "/claim/harbor", isState: true },
    prepare: (page) => lookUp(page, () => {}),
  },
  {
    ...{ name: "failing-claim-service", path: "/claim/harbor", isState: true },
    prepare: (page) =>
      lookUp(page, (route) =>
        route.fulfill({
          status: 429,
          headers: { "retry-after": "42" },
          json: { error: "", message: "", code: "too_many_requests" },
        }),
      ),
  },
  { name: "failing-claim", path: "/claim/harbor?wallet=0x12", isState: true },
  { name: "failing-not-found", path: "/nothing-here", isState: true },
];

/** The pages that are seen the most. */
const MAIN_SHOTS: readonly Shot[] = [
  { name: "overview", path: SYSTEM },
  { name: "triggers", path: `${SYSTEM}/triggers` },
  { name: "trigger", path: `${SYSTEM}/triggers/${DEMO.triggerKey}` },
  { name: "leaderboard", path: `${SYSTEM}/leaderboard` },
  { name: "wallet", path: `${SYSTEM}/wallets/${DEMO.wallet}` },
  { name: "activity", path: `${SYSTEM}/activity` },
  { name: "rewards", path: REWARDS },
  { name: "campaign", path: `${REWARDS}/${DEMO.rewards.distributed}` },
  { name: "campaign-chain", path: `${REWARDS}/${DEMO.rewards.active}/chain` },
  { name: "gift-cards", path: `${SYSTEM}/gift-cards/${DEMO.rewards.giftCards}` },
  { name: "branding", path: `${SYSTEM}/branding` },
  { name: "api-keys", path: "/dashboard/api-keys" },
];

const OTHER_SHOTS: readonly Shot[] = [
  { name: "point-systems", path: "/dashboard" },
  { name: "campaign-preview", path: `${REWARDS}/${DEMO.rewards.draft}/preview` },
  { name: "campaign-wallets", path: `${REWARDS}/${DEMO.rewards.distributed}/wallets` },
  { name: "campaign-payouts", path: `${REWARDS}/${DEMO.rewards.distributed}/payouts` },
  { name: "campaign-new", path: `${REWARDS}/new` },
  { name: "trigger-new", path: `${SYSTEM}/triggers/new` },
  { name: "wallet-score", path: `${SYSTEM}/wallets/${DEMO.wallet}/score` },
  { name: "boards", path: `${SYSTEM}/boards` },
  { name: "board", path: `${SYSTEM}/boards/weekly` },
  { name: "blacklist", path: `${SYSTEM}/blacklist` },
  { name: "imports", path: `${SYSTEM}/imports` },
  { name: "webhooks", path: `${SYSTEM}/webhooks` },
  { name: "requests", path: `${SYSTEM}/requests` },
  { name: "members", path: `${SYSTEM}/members` },
  { name: "settings", path: `${SYSTEM}/settings` },
  { name: "audit-log", path: `${SYSTEM}/audit-log` },
  { name: "account", path: "/dashboard/account" },
  { name: "security", path: "/dashboard/security" },
].map((shot) => ({ ...shot, isState: true }));

const STATE_SHOTS: readonly Shot[] = [
  ...["", "triggers", "leaderboard", "activity", "boards", "blacklist"].map(toEmpty),
  ...["imports", "rewards", "webhooks", "requests"].map(toEmpty),
  ...[...MAIN_SHOTS, ...OTHER_SHOTS].map(toLoading),
  submitEmpty("trigger-new", `${SYSTEM}/triggers/new`, "Create the trigger"),
  submitEmpty("campaign-new", `${REWARDS}/new`, "Save the draft"),
  submitEmpty("gift-cards-new", `${SYSTEM}/gift-cards/new`, "Create draft"),
  submitEmpty("wallet", `${SYSTEM}/wallets/${DEMO.wallet}`, "Grant points"),
  submitEmpty("board-new", `${SYSTEM}/boards/new`, "Create the board"),
  submitEmpty("blacklist", `${SYSTEM}/blacklist`, "Add to the blacklist"),
  submitEmpty("imports", `${SYSTEM}/imports`, "Upload"),
  submitEmpty("webhooks", `${SYSTEM}/webhooks`, "Create the webhook"),
  submitEmpty("api-keys", "/dashboard/api-keys", "Create the key"),
  submitEmpty("account", "/dashboard/account", "Change the password"),
  submitEmpty("point-system-new", "/dashboard/new", "Create the point system"),
  { name: "failing-leaderboard", path: `${SYSTEM}/leaderboard?search=0xnone`, isState: true },
  {
    ...{ name: "menu", path: `${SYSTEM}/wallets/${DEMO.wallet}`, isWindow: true, isState: true },
    prepare: (page) => page.getByRole("button", { name: "More actions" }).click(),
  },
  { name: "offline", path: SYSTEM, prepare: goOffline, isWindow: true, isState: true },
  { name: "palette", path: SYSTEM, prepare: openPalette, isWindow: true, isState: true },
];

/** Shows a page of the point system that has no data. */
function toEmpty(page: string): Shot {
  const path = page === "" ? EMPTY_SYSTEM : `${EMPTY_SYSTEM}/${page}`;
  return { name: `empty-${page || "overview"}`, path, isState: true };
}

/** Goes to a page whose data does not come, from another one. */
function toLoading({ name, path }: Shot): Shot {
  const prepare = async (page: Page) => {
    await page.route(/\.data(\?|$)/, () => {});
    await page.evaluate((to) => {
      const { __remixRouter } = window as unknown as {
        __remixRouter: { navigate(to: string): void };
      };
      __remixRouter.navigate(to);
    }, path);
    await page.waitForTimeout(800);
  };
  const from = path === SYSTEM ? `${SYSTEM}/triggers` : SYSTEM;
  return { name: `loading-${name}`, path: from, prepare, isWindow: true, isState: true };
}

/** Sends a form of a page as it is. */
function submitEmpty(name: string, path: string, button: string): Shot {
  const prepare = async (page: Page) => {
    await page.getByRole("main").getByRole("button", { name: button, exact: true }).first().click();
    await page.locator("[aria-invalid=true], [data-invalid], main [role=alert]").first().waitFor();
  };
  return { name: `failing-${name}`, path, prepare, isState: true };
}

/** Looks up a wallet of the claim page with another answer of the service. */
async function lookUp(page: Page, answer: (route: Route) => unknown): Promise<void> {
  await page.route(/\/claim\/[^/]+\/wallet\?/, answer);
  await page.getByRole("textbox").fill(DEMO.wallet);
  await page.getByRole("button", { name: "Look up" }).click();
  await page.waitForTimeout(2_500);
}

async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.waitForTimeout(300);
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
}

const LOOKS = [390, 1_440].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    ...{ width, height: width < 1_000 ? 844 : 900, colorScheme },
    isOfStates: width < 1_000 === (colorScheme === "dark"),
  })),
);

/** Writes a picture as WebP, in the best quality that its size allows. */
async function write(page: Page, name: string, isWindow: boolean): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  // A form that was refused has scrolled to its problem.
  if (!isWindow) await page.evaluate(() => window.scrollTo(0, 0));
  const whole = isWindow ? height : await page.evaluate(() => document.body.scrollHeight);
  const shownHeight = Math.min(Math.max(whole, height), HEIGHT_MAX);
  let bytes = Buffer.alloc(BYTES_MAX + 1);
  for (const quality of QUALITIES) {
    const { data } = await devTools.send("Page.captureScreenshot", {
      ...{ format: "webp", quality, captureBeyondViewport: true },
      clip: { x: 0, y: 0, width, height: shownHeight, scale: 1 },
    });
    bytes = Buffer.from(data, "base64");
    if (bytes.length <= BYTES_MAX) break;
  }
  if (bytes.length > BYTES_MAX) throw new Error(`${name} has ${bytes.length} bytes`);
  await fs.writeFile(`${FOLDER}/${name}.webp`, bytes);
  await devTools.detach();
}

/** Signs in once: a second browser would be told to every later one. */
async function signIn(browser: Browser, url: string) {
  const context = await browser.newContext();
  await context.request.post(`${url}/sign-in`, {
    form: { email: DEMO.email, password: DEMO.password },
    headers: { origin: url },
  });
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function takeShots(url: string): Promise<void> {
  await fs.mkdir(FOLDER, { recursive: true });
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const session = await signIn(browser, url);
  const development =
    isWanted("components") && (await startDevelopmentServer(await createDataDir()));
  for (const { width, height, colorScheme, isOfStates } of LOOKS) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: "reduce",
      locale: "en-US",
      timezoneId: "UTC",
    });
    const take = async ({ name, path, prepare, isWindow = false, isState }: Shot) => {
      if (isState && !isOfStates) return;
      if (!isWanted(name)) return;
      const page = await context.newPage();
      await page.goto(new URL(path, url).href);
      await page.evaluate(() => document.fonts.ready);
      // The live feed keeps a request open: a page is never idle.
      await page.waitForTimeout(500);
      await prepare?.(page);
      await page.waitForTimeout(300);
      await write(page, `${name}-${width}-${colorScheme}`, isWindow);
      await page.close();
      await context.setOffline(false);
    };
    for (const shot of PUBLIC_SHOTS) await take(shot);
    if (development) await take({ name: "components", path: `${development.url}/components` });
    await context.addCookies(session);
    for (const shot of [...MAIN_SHOTS, ...OTHER_SHOTS, ...STATE_SHOTS]) await take(shot);
    await context.close();
  }
  await browser.close();
  if (!development) return;
  await development.end("SIGTERM");
  // Its PostgreSQL ends a moment later.
  const removal = { recursive: true, force: true, maxRetries: 40, retryDelay: 250 };
  await fs.rm(development.dataDir, removal);
}

/**
 * Splits the demo's active campaign at once, as a worker does, so that its chain page is complete.
 */
async function splitCampaign(dataDir: string): Promise<void> {
  const close = await openMigratedDatabase(commandDatabase({ DATA_DIR: dataDir }, () => {}));
  try {
    const { pointSystemId, rewards } = DEMO;
    await withDatabase((db) =>
      db.transaction(async (tx) => {
        const key = { pointSystemId, rewardId: rewards.active };
        await tx.insert(airdrops).values({ ...key, chainId: CHAIN_ID, status: "building" });
        await queueAllocation(tx, key, {
          totalAmountWei: 250_000n * 10n ** 18n,
          bucketSizeChosen: null,
        });
      }),
    );
  } finally {
    await close();
  }
}

const dataDir = await createDataDir();
// No server answers there: no picture needs a chain.
const env = { [`RPC_URL_${CHAIN_ID}`]: "http://127.0.0.1:9" };
const server = await startServerProcess({ dataDir, env });
try {
  await seed(dataDir, createDemoFixture(Date.now()));
  await splitCampaign(dataDir);
  if (WANTED.length === 0) await fs.rm(FOLDER, { recursive: true, force: true });
  await takeShots(server.url);
} finally {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
}
