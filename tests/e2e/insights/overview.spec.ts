import { expect, type Page } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  type TestServer,
  test,
  WIDTHS,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.overview@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-000000000003";
const EMPTY = "22222222-2222-4222-8222-000000000003";
const FRESH = "33333333-3333-4333-8333-000000000003";
const TOKEN = "rw_00000000000000000000000000000003";
const DAY_MS = 24 * 60 * 60 * 1_000;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "0")}`;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const toEmpty = (id: string, name: string) => ({
  ...{ operator: ADA.email, id, name, slug: null, events: [] },
  triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
});
const FIXTURE = {
  operators: [ADA],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: "harbour-overview",
      triggers: [
        { name: "Daily login", key: "daily_login", points: 10, active: true },
        { name: "Purchase", key: "purchase", points: 250, active: true },
      ],
      events: [
        ...Array.from({ length: 60 }, (_, i) => ({
          address: toWallet((i % 12) + 1),
          points: i % 3 === 0 ? 250 : 10,
          event: i % 3 === 0 ? "purchase" : "daily_login",
          date: daysAgo(1 + (i % 25)),
        })),
        { address: toWallet(1), points: 5_000, event: "gone", date: daysAgo(60) },
        { address: toWallet(1), points: 40, event: null, date: daysAgo(0) },
      ],
    },
    toEmpty(EMPTY, "Empty"),
    toEmpty(FRESH, "Fresh"),
  ],
  apiKeys: [
    {
      operator: ADA.email,
      name: "backend",
      key: TOKEN,
      permission: "all",
      pointSystems: [HARBOUR, FRESH],
    },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE);
});
test.beforeEach(async ({ page }) => {
  await enter(page, server.url, ADA);
});

/** Fires a trigger of the harbour, or the call that `body` changes. */
function fire(body: Record<string, unknown> = {}, token = TOKEN): Promise<Response> {
  const call = { triggerKey: "daily_login", walletAddress: toWallet(99), pointSystemId: HARBOUR };
  return fetch(`${server.url}/trigger`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ ...call, ...body }),
  });
}

const rowsOf = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

/** Reloads the page until the background job has counted the expected events. */
async function openCounted(page: Page, path: string, text: string): Promise<void> {
  await expect(async () => {
    await page.goto(server.url + path);
    await expect(page.getByRole("main")).toContainText(text, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
}

for (const width of WIDTHS) {
  test(`charts, top triggers and the feed pass at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await openCounted(page, `/dashboard/${HARBOUR}?days=30`, "Purchase");
    const charts = page.locator("svg.fill-accent, svg.fill-chart-2");
    await expect(charts).toHaveCount(2);
    await expectAccessible(page);
    // The first hover is replaced by the library's drawing.
    for (const count of [1, 2]) {
      await charts.first().hover();
      await expect(page.locator(".recharts-surface")).toHaveCount(count);
    }
    await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
    await expectNoOverflow(page);
    await expectAccessible(page);
    await page.goto(`${server.url}/dashboard/${EMPTY}`);
    await expect(page.getByRole("heading", { name: "First steps" })).toBeVisible();
    await expectNoOverflow(page);
    await expectAccessible(page);
  });
}

test("the tabs choose the days of figures, charts and triggers", { tag: "@deep" }, async ({
  page,
}) => {
  await openCounted(page, `/dashboard/${HARBOUR}?days=90`, "Deleted trigger");
  await expect(rowsOf(page, "Top triggers").first()).toContainText("Deleted trigger");
  await page
    .getByRole("navigation", { name: "Days shown" })
    .getByRole("link", { name: "30 days" })
    .click();
  await expect(page).toHaveURL(/days=30/);
  await expect(rowsOf(page, "Top triggers")).toHaveCount(2);
  await expect(rowsOf(page, "Top triggers").first()).toContainText("Purchase");
  // 20 purchases, 40 logins, and a manual grant.
  const figure = page.locator("dl > div").filter({ hasText: "Points in 30 days" });
  await expect(figure).toContainText("5,440");
  const table = page.getByRole("group").filter({ hasText: "Show as table" }).first();
  await table.getByText("Show as table").click();
  await expect(rowsOf(page, "Points per day")).toHaveCount(30);
  await page.goto(`${server.url}/dashboard/${HARBOUR}?days=nonsense&refused=never`);
  await expect(figure).toContainText("5,440");
});

test("an event appears by itself; paused, it waits until the feed goes on", async ({ page }) => {
  await page.goto(`${server.url}/dashboard/${HARBOUR}`);
  const status = page.getByRole("status").filter({ hasText: /Live|Paused|Connecting/ });
  await expect(status).toHaveText("Live");
  const [live, paused] = [toWallet(0xa11), toWallet(0xb22)];
  const feed = rowsOf(page, "Latest events");
  expect((await fire({ walletAddress: live })).status).toBe(200);
  await expect(feed.first().getByRole("link")).toHaveAttribute(
    "href",
    `/dashboard/${HARBOUR}/wallets/${live}`,
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(status).toHaveText("Paused");
  expect((await fire({ walletAddress: paused })).status).toBe(200);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(status).toHaveText("Live");
  await expect(feed.first().getByRole("link")).toHaveAttribute(
    "href",
    `/dashboard/${HARBOUR}/wallets/${paused}`,
  );
  await expect(feed.nth(1).getByRole("link")).toHaveAttribute(
    "href",
    `/dashboard/${HARBOUR}/wallets/${live}`,
  );
});

test("the numbers of the page follow the feed, all of them, without a reload", async ({ page }) => {
  await page.goto(`${server.url}/dashboard/${HARBOUR}?days=30`);
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  const figure = (label: string) =>
    page.getByRole("main").locator("dl > div", { has: page.getByText(label, { exact: true }) });
  const events = Number(
    (await figure("Events").locator("dd").textContent())?.replaceAll(/\D/g, ""),
  );
  expect((await fire()).status).toBe(200);
  await expect(figure("Events").locator("dd")).toHaveText(
    new Intl.NumberFormat("en").format(events + 1),
  );
});

test("refused calls are shown by status and reason", { tag: "@deep" }, async ({ page }) => {
  expect((await fire({}, "rw_nobody")).status).toBe(401);
  expect((await fire({ triggerKey: "none" })).status).toBe(404);
  expect((await fire({ triggerKey: "none" })).status).toBe(404);
  await openCounted(page, `/dashboard/${HARBOUR}`, "Trigger not found");
  await expect(rowsOf(page, "Rejected calls")).toHaveText([
    /401No valid API key1/,
    /Invalid API key1/,
    /404Not found2/,
    /Trigger not found2/,
  ]);
  await page
    .getByRole("navigation", { name: "Rejected calls of" })
    .getByRole("link", { name: "30 days" })
    .click();
  await expect(page).toHaveURL(/refused=30d/);
  await expect(rowsOf(page, "Rejected calls")).toHaveCount(4);
  await expectAccessible(page);
});

test("a new point system says what to do next", async ({ page }) => {
  await page.goto(`${server.url}/dashboard/${EMPTY}`);
  const steps = page.getByRole("main").getByRole("listitem");
  await expect(steps).toHaveText([/Create a trigger: done/, /Create an API key/, /Fire/]);
  await expect(steps.getByRole("link", { name: "Create an API key" })).toHaveAttribute(
    "href",
    `/dashboard/api-keys?for=${EMPTY}`,
  );
  await expect(page.getByRole("main").locator("pre")).toContainText(EMPTY);
});

test("the first event of a point system makes its overview a full one by itself", async ({
  page,
}) => {
  await page.goto(`${server.url}/dashboard/${FRESH}`);
  await expect(page.getByRole("heading", { name: "First steps" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Show the call" })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  expect((await fire({ pointSystemId: FRESH })).status).toBe(200);
  await expect(rowsOf(page, "Leaderboard")).toHaveCount(1);
  await expect(rowsOf(page, "Latest events")).toHaveCount(1);
  await expect(page.getByRole("heading", { name: "First steps" })).toHaveCount(0);
});

test("without scripts the newest events stand there, and the charts' numbers as tables", async ({
  browser,
  page,
}) => {
  const storageState = await page.context().storageState();
  const context = await browser.newContext({ javaScriptEnabled: false, storageState });
  const plain = await context.newPage();
  await openCounted(plain, `/dashboard/${HARBOUR}?days=7`, "Purchase");
  await expect(rowsOf(plain, "Latest events")).toHaveCount(20);
  await expect(plain.getByRole("button", { name: "Pause" })).toHaveCount(0);
  await plain.getByText("Show as table").first().click();
  await expect(rowsOf(plain, "Points per day")).toHaveCount(7);
  await context.close();
});
