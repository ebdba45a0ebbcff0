import type { Page, Route } from "@playwright/test";
import { DEMO } from "../../drizzle/demo-fixture.mjs";
import { listShownPaths } from "../support/route-paths";

// The pictures of the pages: full, empty, loading and failing. A page of the URL map without one fails the run.

export const SYSTEM = `/dashboard/${DEMO.pointSystemId}`;
const EMPTY_SYSTEM = "/dashboard/d0000000-0000-4000-8000-000000000002";
const REWARDS = `${SYSTEM}/rewards`;
const GIFT_CARDS = `${SYSTEM}/gift-cards/${DEMO.rewards.giftCards}`;
const CODES = `${GIFT_CARDS}/codes`;

export interface Shot {
  readonly name: string;
  readonly path: string;
  /** Prepares the page before the picture. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Takes only the window instead of the whole page. */
  readonly isWindow?: boolean;
  /** Takes the light desktop and the dark phone alone. */
  readonly isState?: boolean;
}

/** The pages that need no sign-in. */
export const PUBLIC_SHOTS: readonly Shot[] = [
  { name: "start", path: "/" },
  { name: "sign-in", path: "/sign-in" },
  { name: "public-leaderboard", path: "/l/harbor" },
  { name: "claim", path: `/claim/harbor?wallet=${DEMO.wallet}` },
  { name: "public-leaderboard-embed", path: "/l/harbor/embed", isState: true },
  { name: "claim-start", path: "/claim/harbor", isState: true },
  { name: "reference", path: "/docs", isState: true },
  { name: "reference-endpoint", path: "/docs/endpoints/trigger", isState: true },
  { name: "reference-guide", path: "/docs/retries", isState: true },
  { name: "reference-errors", path: "/docs/errors", isState: true },
  { name: "reference-error", path: "/docs/errors/unknown_trigger", isState: true },
  { name: "sign-up", path: "/sign-up", isState: true },
  { name: "empty-public-leaderboard", path: "/l/harbor-beta", isState: true },
  { name: "empty-claim", path: `/claim/harbor-beta?wallet=${DEMO.wallet}`, isState: true },
  submitEmpty("sign-in", "/sign-in", "Sign in"),
  { name: "failing-invitation", path: "/invitation", isState: true },
  { name: "failing-reset-password", path: "/reset-password", isState: true },
  { name: "failing-public-leaderboard", path: "/l/nothing-here", isState: true },
  { name: "failing-reference", path: "/docs/nothing-here", isState: true },
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
  { name: "program", path: `${SYSTEM}/program` },
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

/** The ids of what is made through the pages, since a fixture cannot have it. */
export interface Made {
  readonly importId: string;
  readonly webhookId: string;
  readonly seq: string;
  readonly boostId: string;
}

const listOtherShots = ({ importId, webhookId, seq, boostId }: Made): Shot[] =>
  [
    { name: "point-systems", path: "/dashboard" },
    { name: "point-system-new", path: "/dashboard/new" },
    { name: "campaign-edit", path: `${REWARDS}/${DEMO.rewards.draft}/edit` },
    { name: "campaign-preview", path: `${REWARDS}/${DEMO.rewards.draft}/preview` },
    { name: "campaign-wallets", path: `${REWARDS}/${DEMO.rewards.distributed}/wallets` },
    {
      name: "campaign-wallet",
      path: `${REWARDS}/${DEMO.rewards.distributed}/wallets/${DEMO.wallet}`,
    },
    { name: "campaign-payouts", path: `${REWARDS}/${DEMO.rewards.distributed}/payouts` },
    { name: "campaign-pay-out", path: `${REWARDS}/${DEMO.rewards.active}/chain/pay-out` },
    { name: "campaign-new", path: `${REWARDS}/new` },
    { name: "gift-cards-new", path: `${SYSTEM}/gift-cards/new` },
    { name: "gift-cards-codes", path: `${SYSTEM}/gift-cards/${DEMO.rewards.giftCards}/codes` },
    { name: "trigger-new", path: `${SYSTEM}/triggers/new` },
    { name: "wallet-score", path: `${SYSTEM}/wallets/${DEMO.wallet}/score` },
    { name: "boosts", path: `${SYSTEM}/boosts` },
    { name: "boost", path: `${SYSTEM}/boosts/${boostId}` },
    { name: "boost-new", path: `${SYSTEM}/boosts/new` },
    { name: "progress", path: `${SYSTEM}/progress` },
    { name: "streak", path: `${SYSTEM}/streaks/daily_visits` },
    { name: "streak-new", path: `${SYSTEM}/streaks/new` },
    { name: "spends", path: `${SYSTEM}/spends` },
    { name: "boards", path: `${SYSTEM}/boards` },
    { name: "board", path: `${SYSTEM}/boards/weekly` },
    { name: "board-new", path: `${SYSTEM}/boards/new` },
    { name: "blacklist", path: `${SYSTEM}/blacklist` },
    { name: "imports", path: `${SYSTEM}/imports` },
    { name: "import", path: `${SYSTEM}/imports/${importId}` },
    { name: "webhooks", path: `${SYSTEM}/webhooks` },
    { name: "webhook", path: `${SYSTEM}/webhooks/${webhookId}` },
    { name: "webhook-delivery", path: `${SYSTEM}/webhooks/${webhookId}/deliveries/${seq}` },
    { name: "requests", path: `${SYSTEM}/requests` },
    { name: "members", path: `${SYSTEM}/members` },
    { name: "settings", path: `${SYSTEM}/settings` },
    { name: "audit-log", path: `${SYSTEM}/audit-log` },
    { name: "account", path: "/dashboard/account" },
    { name: "security", path: "/dashboard/security" },
    { name: "own-audit-log", path: "/dashboard/audit-log" },
    { name: "operators", path: "/dashboard/operators" },
    { name: "score-providers", path: "/dashboard/score-providers" },
    { name: "indexer", path: "/dashboard/indexer" },
  ].map((shot) => ({ ...shot, isState: true }));

const STATE_SHOTS: readonly Shot[] = [
  ...["", "triggers", "leaderboard", "activity", "boards", "blacklist"].map(toEmpty),
  ...["imports", "rewards", "webhooks", "requests", "audit-log"].map(toEmpty),
  ...["boosts", "program", "progress", "spends"].map(toEmpty),
  submitEmpty("trigger-new", `${SYSTEM}/triggers/new`, "Create the trigger"),
  submitEmpty("campaign-new", `${REWARDS}/new`, "Save the draft"),
  submitEmpty("gift-cards-new", `${SYSTEM}/gift-cards/new`, "Create draft"),
  submitEmpty("wallet", `${SYSTEM}/wallets/${DEMO.wallet}`, "Grant points"),
  submitEmpty("board-new", `${SYSTEM}/boards/new`, "Create the board"),
  submitEmpty("boost-new", `${SYSTEM}/boosts/new`, "Create the boost"),
  submitEmpty("streak-new", `${SYSTEM}/streaks/new`, "Create the streak"),
  submitEmpty("blacklist", `${SYSTEM}/blacklist`, "Add to the blacklist"),
  submitEmpty("imports", `${SYSTEM}/imports`, "Upload"),
  submitEmpty("webhooks", `${SYSTEM}/webhooks`, "Create the webhook"),
  submitEmpty("api-keys", "/dashboard/api-keys", "Create the key"),
  submitEmpty("account", "/dashboard/account", "Change the password"),
  submitEmpty("point-system-new", "/dashboard/new", "Create the point system"),
  submitEmpty("campaign-edit", `${REWARDS}/${DEMO.rewards.draft}/edit`, "Save the draft", "Name"),
  submitEmpty("settings", `${SYSTEM}/settings`, "Save", "Name"),
  submitEmpty("gift-cards-codes", CODES, "Add the codes"),
  { name: "failing-trigger", path: `${SYSTEM}/triggers/nothing_here`, isState: true },
  { name: "failing-gift-cards-edit", path: `${GIFT_CARDS}/edit`, isState: true },
  { name: "failing-activity", path: `${SYSTEM}/activity?wallet=0x12`, isState: true },
  { name: "failing-leaderboard", path: `${SYSTEM}/leaderboard?search=0xnone`, isState: true },
  {
    ...{ name: "menu", path: `${SYSTEM}/wallets/${DEMO.wallet}`, isWindow: true, isState: true },
    prepare: (page) => page.getByRole("button", { name: "More actions" }).click(),
  },
  { name: "offline", path: SYSTEM, prepare: goOffline, isWindow: true, isState: true },
  { name: "palette", path: SYSTEM, prepare: openPalette, isWindow: true, isState: true },
  // The last one: it ends the session of the browser.
  {
    ...{ name: "failing-session", path: `${SYSTEM}/triggers/new`, isState: true },
    prepare: async (page) => {
      await page.getByLabel("Name").fill("Newsletter read");
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Create the trigger" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
];

/** Lists the pictures of pages behind the sign-in. */
export function listDashboardShots(made: Made): readonly Shot[] {
  const pages = [...MAIN_SHOTS, ...listOtherShots(made)];
  return [...pages, ...pages.map(toLoading), ...STATE_SHOTS];
}

/** Pages without a picture of their own, and why. */
const UNSEEN: Readonly<Record<string, string>> = {
  "/set-up": "is there until the first account is made",
  "/components": "is a page of development, and photographed there",
};

/**
 * Checks that every page of the URL map has a picture.
 * @throws {Error} with the pages that have none
 */
export function requireEveryPage(shots: readonly Shot[]): void {
  const paths = shots.map(({ path }) => path.split("?")[0] ?? "");
  const missing = listShownPaths().filter((page) => {
    const pattern = new RegExp(`^${page.replace(/:\w+/g, "[^/]+")}$`);
    return !(page in UNSEEN) && !paths.some((path) => pattern.test(path));
  });
  if (missing.length > 0) throw new Error(`Pages without a picture: ${missing.join(", ")}`);
}

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

/** Sends a form of a page as it is, or with one field cleared. */
function submitEmpty(name: string, path: string, button: string, cleared?: string): Shot {
  const prepare = async (page: Page) => {
    if (cleared) await page.getByLabel(cleared, { exact: true }).first().fill("");
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
