import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { listFigures, WEEK_FIGURES } from "../../../app/domain/insights/program";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  type TestServer,
  test,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.program@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-000000000090";
const EMPTY = "22222222-2222-4222-8222-000000000090";
const TOKEN = "rw_00000000000000000000000000000090";
const DAY_MS = 24 * 60 * 60 * 1_000;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "0")}`;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const FIXTURE = {
  operators: [ADA],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: "harbour-program",
      triggers: [
        { name: "Daily login", key: "daily_login", points: 10 },
        { name: "Quest", key: "quest", points: 60, cap: { window: "ever", times: 1 } },
      ],
      // Wallets 1 to 6 begin 30 days ago, 7 to 12 nine days ago; all come back yesterday or today.
      events: Array.from({ length: 12 }, (_, i) => [
        {
          address: toWallet(i + 1),
          points: 20 * (i + 1),
          event: "daily_login",
          date: daysAgo(i < 6 ? 30 : 9),
        },
        { address: toWallet(i + 1), points: 10, event: "daily_login", date: daysAgo(0) },
      ]).flat(),
      tiers: [
        { name: "=1+1", pointsMin: 100, color: "#8a6d3b" },
        { name: "Captain", pointsMin: 200, color: "#d4af37" },
      ],
      boards: [
        {
          ...{ kind: "season", slug: "cup", name: "Harbour Cup" },
          ...{ startsAt: daysAgo(20.5), endsAt: daysAgo(-19.5) },
        },
      ],
      boosts: [
        {
          ...{ name: "Quest week", factor: 2, triggers: ["quest"] },
          ...{ startsAt: daysAgo(1), endsAt: daysAgo(-5) },
        },
      ],
    },
    { operator: ADA.email, id: EMPTY, name: "Empty", slug: null, triggers: [], events: [] },
  ],
  apiKeys: [
    {
      operator: ADA.email,
      name: "backend",
      key: TOKEN,
      permission: "all",
      pointSystems: [HARBOUR],
    },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE);
  const call = { walletAddress: toWallet(1), pointSystemId: HARBOUR };
  expect(await post("trigger", { ...call, triggerKey: "quest" })).toBe(200);
  expect(await post("trigger", { ...call, triggerKey: "quest" })).toBe(429);
  expect(await post("spend", { ...call, points: 25, reason: "Mug" })).toBe(200);
});
test.beforeEach(async ({ page }) => {
  await enter(page, server.url, ADA);
});

async function post(path: string, body: Record<string, unknown>): Promise<number> {
  const response = await fetch(`${server.url}/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status;
}

const charts = "svg.fill-accent, svg.fill-chart-2";

/** Reloads the page until the jobs have counted everything: then each figure has a chart. */
async function openCounted(page: Page, path = "program"): Promise<void> {
  await expect(async () => {
    await page.goto(`${server.url}/dashboard/${HARBOUR}/${path}`);
    await expect(page.getByRole("main").locator(charts)).toHaveCount(6, { timeout: 500 });
    await expect(page.getByRole("main")).not.toContainText("Counting", { timeout: 500 });
  }).toPass({ timeout: 40_000 });
}

const rowsOf = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

for (const width of [390, 1_440]) {
  test(`every chart, its table and the lists pass at ${width} px, light and dark`, {
    tag: "@deep",
  }, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await openCounted(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectNoOverflow(page);
      await expectAccessible(page);
    }
    for (const summary of await page.getByText("Show as table").all()) await summary.click();
    for (const figure of listFigures()) {
      await expect(rowsOf(page, WEEK_FIGURES[figure])).toHaveCount(12);
    }
    await expect(rowsOf(page, "Points from boosts").last()).toContainText("60");
    await expect(rowsOf(page, "Points spent").last()).toContainText("25");
    await expect(rowsOf(page, "Calls rejected by caps").last()).toContainText("1");
    await expect(rowsOf(page, "Holders by tier")).toHaveText([
      /Captain.*200/,
      /=1\+1.*100/,
      /No tier yet/,
    ]);
    await expect(rowsOf(page, "Seasons")).toContainText(/20 of 40 days passed/);
    await expectNoOverflow(page);
    await expectAccessible(page);
    // The library's drawing replaces the one that the pointer is at; others had it on their way.
    await page.locator(charts).first().hover();
    await expect(page.getByRole("main").locator(".recharts-surface").first()).toBeVisible();
    await page.goto(`${server.url}/dashboard/${EMPTY}/program`);
    await expect(page.getByText("Nothing in these weeks")).toHaveCount(6);
    await expectNoOverflow(page);
    await expectAccessible(page);
  });
}

test("the overview leads to the program, whose tabs choose its weeks, and back", async ({
  page,
}) => {
  await openCounted(page);
  await page.goto(`${server.url}/dashboard/${HARBOUR}`);
  const views = page.getByRole("navigation", { name: "Views of the overview" });
  await views.getByRole("link", { name: "Program" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Program");
  await page.getByRole("link", { name: "26 weeks" }).click();
  await expect(page).toHaveURL(/weeks=26/);
  const card = page.locator("section", {
    has: page.getByRole("heading", { name: "Points earned", exact: true }),
  });
  await card.getByText("Show as table").click();
  await expect(rowsOf(page, "Points earned")).toHaveCount(26);
  await views.getByRole("link", { name: "Activity" }).click();
  await expect(page).toHaveURL(new RegExp(`${HARBOUR}$`));
});

test("each file has the numbers of its chart, and no formula", async ({ page }) => {
  await openCounted(page);
  const read = async (name: string) => {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: `${name} as CSV`, exact: true }).click();
    return (await readFile(await (await download).path(), "utf8")).trim().split(/\r?\n/);
  };
  for (const figure of listFigures()) {
    const [head, ...rows] = await read(WEEK_FIGURES[figure]);
    expect(head).toBe(`week,${WEEK_FIGURES[figure].toLowerCase()}`);
    expect(rows).toHaveLength(12);
  }
  expect(await read("Holders by tier")).toEqual([
    "tier,least points,wallets",
    "Captain,200,3",
    "'=1+1,100,6",
    "No tier yet,,3",
  ]);
  const [, season] = await read("Seasons");
  expect(season).toMatch(/^cup,Harbour Cup,.*,40,20,12,/);
});

test("without scripts each chart's numbers are a table, and the tabs work", async ({
  browser,
  page,
}) => {
  await openCounted(page);
  const storageState = await page.context().storageState();
  const context = await browser.newContext({ javaScriptEnabled: false, storageState });
  const plain = await context.newPage();
  await plain.goto(`${server.url}/dashboard/${HARBOUR}/program`);
  await plain.getByText("Show as table").first().click();
  await expect(rowsOf(plain, "New wallets")).toHaveCount(12);
  await plain.getByRole("link", { name: "52 weeks" }).click();
  await plain.getByText("Show as table").first().click();
  await expect(rowsOf(plain, "New wallets")).toHaveCount(52);
  await context.close();
});
