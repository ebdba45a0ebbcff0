import fs from "node:fs/promises";
import { chromium, type Page } from "@playwright/test";
import { withDatabase } from "../app/db/client";
import { commandDatabase, openMigratedDatabase } from "../app/db/open";
import { airdrops } from "../app/db/schema/rewards";
import { queueAllocation } from "../app/services/campaigns/build/order";
import { createDemoFixture, DEMO } from "../drizzle/demo-fixture.mjs";
import { findBrowser } from "./find-browser.mjs";
import { createDataDir, seed, startServerProcess } from "./support/server-process";

// npm run screens: takes pictures of every page with the demo's data, for the README and for
// review. They are light on a desktop and dark on a phone. It needs a build, as the browser tests
// do.

const FOLDER = "docs/screens";
const SYSTEM = `/dashboard/${DEMO.pointSystemId}`;
const CHAIN_ID = 84532;
const REWARDS = `${SYSTEM}/rewards`;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** Prepares the page before the picture. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Takes only the window instead of the whole page. */
  readonly isWindow?: boolean;
}

const PUBLIC_SHOTS: readonly Shot[] = [
  { name: "start", path: "/" },
  { name: "sign-in", path: "/sign-in" },
  {
    name: "sign-in-error",
    path: "/sign-in",
    prepare: (page) => page.getByRole("button", { name: "Sign in" }).click(),
  },
  { name: "public-leaderboard", path: "/l/harbor" },
  { name: "public-leaderboard-embed", path: "/l/harbor/embed" },
  { name: "claim", path: `/claim/harbor?wallet=${DEMO.wallet}` },
  { name: "claim-start", path: "/claim/harbor" },
  { name: "claim-no-address", path: "/claim/harbor?wallet=0x12" },
  { name: "not-found", path: "/nothing-here" },
];

const DASHBOARD_SHOTS: readonly Shot[] = [
  { name: "point-systems", path: "/dashboard" },
  { name: "new-point-system", path: "/dashboard/new" },
  { name: "overview", path: SYSTEM },
  { name: "overview-empty", path: "/dashboard/d0000000-0000-4000-8000-000000000002" },
  { name: "triggers", path: `${SYSTEM}/triggers` },
  { name: "trigger-new", path: `${SYSTEM}/triggers/new` },
  { name: "trigger", path: `${SYSTEM}/triggers/${DEMO.triggerKey}` },
  { name: "leaderboard", path: `${SYSTEM}/leaderboard` },
  { name: "wallet", path: `${SYSTEM}/wallets/${DEMO.wallet}` },
  { name: "wallet-score", path: `${SYSTEM}/wallets/${DEMO.wallet}/score` },
  { name: "activity", path: `${SYSTEM}/activity` },
  { name: "rewards", path: `${SYSTEM}/rewards` },
  { name: "campaign-new", path: `${SYSTEM}/rewards/new` },
  { name: "campaign-preview", path: `${REWARDS}/${DEMO.rewards.draft}/preview` },
  { name: "campaign-active", path: `${REWARDS}/${DEMO.rewards.active}` },
  { name: "campaign-distributed", path: `${REWARDS}/${DEMO.rewards.distributed}` },
  { name: "campaign-wallets", path: `${REWARDS}/${DEMO.rewards.distributed}/wallets` },
  {
    name: "campaign-wallet",
    path: `${REWARDS}/${DEMO.rewards.distributed}/wallets/${DEMO.wallet}`,
  },
  { name: "campaign-chain", path: `${REWARDS}/${DEMO.rewards.active}/chain` },
  { name: "gift-cards-new", path: `${SYSTEM}/gift-cards/new` },
  { name: "gift-cards", path: `${SYSTEM}/gift-cards/${DEMO.rewards.giftCards}` },
  {
    name: "gift-cards-recipients",
    path: `${SYSTEM}/gift-cards/${DEMO.rewards.giftCards}?view=recipients`,
  },
  {
    name: "gift-cards-reveals",
    path: `${SYSTEM}/gift-cards/${DEMO.rewards.giftCards}?view=reveals`,
  },
  { name: "imports", path: `${SYSTEM}/imports` },
  { name: "blacklist", path: `${SYSTEM}/blacklist` },
  { name: "members", path: `${SYSTEM}/members` },
  { name: "audit-log", path: `${SYSTEM}/audit-log` },
  { name: "settings", path: `${SYSTEM}/settings` },
  { name: "api-keys", path: "/dashboard/api-keys" },
  { name: "account", path: "/dashboard/account" },
  { name: "operators", path: "/dashboard/operators" },
  { name: "account-log", path: "/dashboard/audit-log" },
  { name: "score-providers", path: "/dashboard/score-providers" },
  { name: "indexer", path: "/dashboard/indexer" },
  {
    name: "palette",
    path: SYSTEM,
    prepare: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
    },
    isWindow: true,
  },
];

const LOOKS = [
  { suffix: "", width: 1280, height: 900, colorScheme: "light" },
  { suffix: "-phone", width: 390, height: 844, colorScheme: "dark" },
] as const;

async function takeShots(url: string): Promise<void> {
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  for (const { suffix, width, height, colorScheme } of LOOKS) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: "reduce",
      locale: "en-US",
      timezoneId: "UTC",
    });
    const page = await context.newPage();
    const take = async ({ name, path, prepare, isWindow = false }: Shot) => {
      await page.goto(url + path);
      // The live feed keeps a request open: a page is never idle.
      await page.waitForTimeout(600);
      await prepare?.(page);
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${FOLDER}/${name}${suffix}.png`, fullPage: !isWindow });
    };
    for (const shot of PUBLIC_SHOTS) await take(shot);
    await page.goto(`${url}/sign-in`);
    await page.getByLabel("Email address").fill(DEMO.email);
    await page.getByRole("textbox", { name: "Password" }).fill(DEMO.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${url}/dashboard`);
    for (const shot of DASHBOARD_SHOTS) await take(shot);
    await context.close();
  }
  await browser.close();
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
  await fs.rm(FOLDER, { recursive: true, force: true });
  await takeShots(server.url);
} finally {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
}
