import fs from "node:fs/promises";
import { type Browser, type Cookie, chromium, type Page } from "@playwright/test";
import { inTransaction } from "../app/db/client";
import { commandDatabase, openMigratedDatabase } from "../app/db/open";
import { airdrops } from "../app/db/schema/rewards";
import { queueAllocation } from "../app/services/campaigns/build/order";
import { createDemoFixture, DEMO } from "../drizzle/demo-fixture.mjs";
import { addDemoHistory } from "../drizzle/demo-history";
import { findBrowser } from "./find-browser.mjs";
import {
  listDashboardShots,
  type Made,
  PUBLIC_SHOTS,
  requireEveryPage,
  type Shot,
  SYSTEM,
} from "./screens/shots";
import { waitForScripts } from "./support/e2e/server";
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
const CHAIN_ID = 84532;
/** A wallet of the demo that has no points. */
const OTHER_WALLET = `0x${"0".repeat(39)}1`;
/** The largest file, in bytes, and the qualities and scales that are tried until a picture is no larger. */
const BYTES_MAX = 60_000;
const FORMS = [
  ...[80, 65, 50, 35, 20].map((quality) => ({ quality, scale: 1 })),
  ...[35, 20, 10].map((quality) => ({ quality, scale: 0.7 })),
];
/** The most of a page's height that a picture has. */
const HEIGHT_MAX = 2_000;

/** The beginnings of the names that are wanted; all for none. */
const WANTED = process.argv.slice(2);
const isWanted = (name: string) =>
  WANTED.length === 0 || WANTED.some((beginning) => name.startsWith(beginning));

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
  for (const { quality, scale } of FORMS) {
    const { data } = await devTools.send("Page.captureScreenshot", {
      ...{ format: "webp", quality, captureBeyondViewport: true },
      clip: { x: 0, y: 0, width, height: shownHeight, scale },
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

/** Makes what a fixture cannot have: an import, a webhook with a delivery, a link of wallets and a spend. */
async function makeMore(browser: Browser, url: string, cookies: Cookie[]): Promise<Made> {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  const idIn = () => new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await page.goto(`${url}${SYSTEM}/imports`);
  await page.getByLabel("File").setInputFiles({
    ...{ name: "autumn-meet-up.csv", mimeType: "text/csv" },
    buffer: Buffer.from(`address,points,note\n${DEMO.wallet},50,Talk\n0x12,10,Guest\n`),
  });
  await page.getByRole("button", { name: "Upload" }).click();
  await page.waitForURL(/\/imports\/[0-9a-f-]{36}/);
  const importId = idIn();
  await page.goto(`${url}${SYSTEM}/webhooks`);
  // Nobody answers at this address, which is for documents.
  await page.getByLabel("URL").fill("https://192.0.2.1/points");
  await page.getByRole("button", { name: "Create the webhook" }).click();
  await page.getByRole("link", { name: "I have copied it" }).click();
  await page.waitForURL(/\/webhooks\/[0-9a-f-]{36}/);
  const webhookId = idIn();
  await page.getByRole("button", { name: "Send a test" }).click();
  const href = await page.getByRole("link", { name: "webhook.test" }).getAttribute("href");
  await page.goto(`${url}${SYSTEM}/boosts`);
  const boost = await page.getByRole("link", { name: "Quest week" }).getAttribute("href");
  // The pictured wallet has another one of its holder, and has spent.
  await page.goto(`${url}${SYSTEM}/wallets/${OTHER_WALLET}`);
  await page.getByRole("button", { name: "Link to a primary wallet" }).click();
  await page.getByLabel("Primary wallet").fill(DEMO.wallet);
  await page.getByRole("button", { name: "Link the wallet" }).click();
  await page.getByText("The wallet is linked.").waitFor();
  const spend = await context.request.post(`${url}/spend`, {
    headers: { Authorization: `Bearer ${DEMO.apiKey}` },
    data: {
      ...{ walletAddress: DEMO.wallet, pointSystemId: DEMO.pointSystemId },
      ...{ points: 40, reason: "Discount at checkout" },
    },
  });
  if (!spend.ok()) throw new Error(`POST /spend: ${await spend.text()}`);
  await context.close();
  const toId = (path: string | null) => path?.split("/").at(-1) ?? "";
  return { importId, webhookId, seq: toId(href), boostId: toId(boost) };
}

async function takeShots(url: string): Promise<void> {
  await fs.mkdir(FOLDER, { recursive: true });
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const session = await signIn(browser, url);
  const dashboardShots = listDashboardShots(await makeMore(browser, url, session));
  requireEveryPage([...PUBLIC_SHOTS, ...dashboardShots]);
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
      const file = `${name}-${width}-${colorScheme}`;
      try {
        await page.goto(new URL(path, url).href);
        await waitForScripts(page);
        await page.evaluate(() => document.fonts.ready);
        // The live feed keeps a request open: a page is never idle.
        await page.waitForTimeout(500);
        await prepare?.(page);
        await page.waitForTimeout(300);
        await write(page, file, isWindow);
      } catch (error) {
        // The other pictures are taken all the same.
        process.exitCode = 1;
        console.error(`${file}: ${error}`);
      }
      await page.close();
      await context.setOffline(false);
    };
    for (const shot of PUBLIC_SHOTS) await take(shot);
    if (development) await take({ name: "components", path: `${development.url}/components` });
    await context.addCookies(session);
    for (const shot of dashboardShots) await take(shot);
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
 * Adds the demo's past, and splits its active campaign at once, as a worker does, so that its chain page is complete.
 */
async function completeDemo(dataDir: string): Promise<void> {
  const close = await openMigratedDatabase(commandDatabase({ DATA_DIR: dataDir }, () => {}));
  try {
    const { pointSystemId, rewards } = DEMO;
    await addDemoHistory(Date.now());
    await inTransaction(async (tx) => {
      const key = { pointSystemId, rewardId: rewards.active };
      await tx.insert(airdrops).values({ ...key, chainId: CHAIN_ID, status: "building" });
      await queueAllocation(tx, key, {
        totalAmountWei: 250_000n * 10n ** 18n,
        bucketSizeChosen: null,
      });
    });
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
  await completeDemo(dataDir);
  if (WANTED.length === 0) await fs.rm(FOLDER, { recursive: true, force: true });
  await takeShots(server.url);
} finally {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
}
