import { gzipSync } from "node:zlib";
import { expect, type Page, type Response } from "@playwright/test";
import { enter, expectAccessible, signIn, signOut, startServer, test } from "../support/e2e/server";
import { fillPath, listPagePaths } from "../support/route-paths";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const EVE = { name: "Eve", email: "eve@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const THEIRS = "22222222-2222-4222-8222-222222222222";
const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const JS_BYTES_MAX = 150_000;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "0")}`;
const FIXTURE = {
  operators: [ADA, EVE],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: `Harbour ${MARKUP}`,
      slug: "harbour",
      triggers: [
        { name: `Daily ${MARKUP}`, key: "daily_login", points: 1_234, active: true },
        { name: "Old", key: "old", points: 5, active: false },
      ],
      events: Array.from({ length: 25 }, (_, i) => ({
        address: toWallet(i % 12),
        points: 1_234,
        event: i === 0 ? null : "daily_login",
        date: new Date(Date.now() - i * 60_000).toISOString(),
      })),
    },
    { operator: EVE.email, id: THEIRS, name: "Theirs", slug: null, triggers: [], events: [] },
  ],
};

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  const members = [{ email: EVE.email, pointSystemId: HARBOUR, role: "viewer" }] as const;
  server = await startServer({ fixture: FIXTURE, members });
});
test.afterAll(async () => {
  await server.stop();
});
test.use({ locale: "de-DE", timezoneId: "Europe/Berlin" });
test.beforeEach(async ({ page }) => {
  await enter(page, server.url, ADA);
  await page.goto(`${server.url}/dashboard`);
});

test("the list has the operator's own point systems, stored markup is text", async ({ page }) => {
  const items = page.getByRole("main").getByRole("listitem");
  await expect(items).toHaveCount(1);
  await expect(items).toContainText(`Harbour ${MARKUP}`);
  for (const text of [HARBOUR, "harbour"]) {
    await expect(items.getByText(text, { exact: true })).toBeVisible();
  }
  await expectAccessible(page);
});

test("an overview has the top 10, the newest 20, a call and the top triggers", async ({ page }) => {
  await page.getByRole("main").getByRole("link", { name: "Harbour" }).click();
  await expect(page).toHaveURL(`${server.url}/dashboard/${HARBOUR}`);
  await expect(page.getByRole("main")).toBeFocused();
  const rowsOf = (name: string) => page.getByRole("table", { name }).locator("tbody tr");
  await expect(rowsOf("Leaderboard")).toHaveCount(10);
  await expect(rowsOf("Leaderboard").first()).toContainText("3.702");
  await expect(rowsOf("Latest events")).toHaveCount(20);
  await expect(page.locator("pre")).toContainText(`"pointSystemId": "${HARBOUR}"`);
  // The counts are made in the background.
  await expect(async () => {
    await page.reload();
    const topTriggers = rowsOf("Top triggers");
    await expect(topTriggers).toContainText([/Daily <img .*daily_login/], { timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await expect(rowsOf("Top triggers")).toContainText(["29.616"]);
  await expectAccessible(page);
});

test("the identifiers and the call can be copied", { tag: "@deep" }, async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${server.url}/dashboard/${HARBOUR}`);
  await page.getByRole("button", { name: "Copy ID", exact: true }).click();
  await expect(page.getByRole("status").filter({ hasText: "Copied" })).toHaveCount(1);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(HARBOUR);
  await page.getByRole("button", { name: "Copy the call" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(`curl -X POST ${server.url}/trigger`);
});

test("another operator's point system is not found, nor is one that does not exist", {
  tag: "@deep",
}, async ({ page }) => {
  for (const id of [THEIRS, "33333333-3333-4333-8333-333333333333", "nonsense"]) {
    const response = await page.goto(`${server.url}/dashboard/${id}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expect(page.getByText("Theirs")).toHaveCount(0);
  }
  await expectAccessible(page);
});

test("what a viewer may not do says so, and is refused", { tag: "@deep" }, async ({ page }) => {
  await signOut(page);
  await signIn(page, EVE.email, EVE.password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  const response = await page.goto(`${server.url}/dashboard/${HARBOUR}/triggers/new`);
  expect(response?.status()).toBe(403);
  await expect(page.getByRole("heading", { name: "You do not have permission" })).toBeVisible();
  await expectAccessible(page);
});

test("nothing sticks out at 390 px, and every page passes there too", { tag: "@deep" }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/dashboard", `/dashboard/${HARBOUR}`, "/dashboard/nonsense"]) {
    await page.goto(server.url + path);
    await expect(page.getByRole("button", { name: "Your account" })).toBeInViewport();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overflow, path).toBe(0);
    await expectAccessible(page);
  }
});

test("any dashboard page's first load is at most 150 kB of compressed JavaScript", {
  tag: "@deep",
}, async ({ page }) => {
  // Some 60 pages, each until nothing comes any more.
  test.setTimeout(240_000);
  const parameters = {
    pointSystemId: HARBOUR,
    triggerKey: "daily_login",
    address: toWallet(1),
    importId: HARBOUR,
    board: "weekly",
  };
  const pages = listPagePaths()
    .filter(
      (path) =>
        path.startsWith("/dashboard") && !/\.(csv|jsonl?)$|\/(live|search|confirm)$/.test(path),
    )
    .map((path) => fillPath(path, parameters));
  expect(pages.length).toBeGreaterThan(15);
  for (const path of pages) {
    const bytes = await loadScripts(page, server.url + path);
    expect(bytes, path).toBeGreaterThan(0);
    expect(bytes, path).toBeLessThanOrEqual(JS_BYTES_MAX);
  }
});

/** Measures the compressed size of all scripts that a page loads by itself. */
async function loadScripts(page: Page, url: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  const note = (response: Response) => {
    if (response.request().resourceType() !== "script") return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  };
  page.on("response", note);
  await page.goto(url);
  await page.waitForLoadState("networkidle");
  page.off("response", note);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("a chart stands in the page, and the library that lets one point at a day comes when one does", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(`${server.url}/dashboard/${HARBOUR}?days=30`);
  const chart = page.locator("svg.fill-accent").first();
  await expect(chart).toBeVisible();
  await expect(page.locator(".recharts-surface")).toHaveCount(0);
  await chart.hover();
  await expect(page.locator(".recharts-surface")).toHaveCount(1);
});

test("the pages of one operator are in no cache", { tag: "@deep" }, async ({ page }) => {
  for (const path of ["/dashboard", `/dashboard/${HARBOUR}`, "/dashboard.data"]) {
    const response = await page.request.get(server.url + path);
    expect(response.headers()["cache-control"], path).toBe("no-store");
  }
});
