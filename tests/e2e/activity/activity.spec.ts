import fs from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  type TestServer,
  test,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.activity@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic.activity@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000001";
const EMPTY = "22222222-2222-4222-8222-000000000001";
const SHOP = "33333333-3333-4333-8333-000000000001";
const KEY = `rw_${"0b".repeat(16)}`;
const MARKUP = `<img src=x onerror="alert(1)">`;
const ACTIVITY = `/dashboard/${HARBOUR}/activity`;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "a")}`;
const EVENTS = Array.from({ length: 120 }, (_, i) => ({
  address: toWallet(i % 3),
  points: i + 1,
  event: i === 7 ? null : i % 40 === 0 ? "gone" : "daily_login",
  date: new Date(Date.UTC(2026, 0, 1, i)).toISOString(),
}));
const FIXTURE = {
  operators: [ADA, VIC],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: null,
      triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
      events: EVENTS,
    },
    { operator: ADA.email, id: EMPTY, name: "Empty", slug: null, triggers: [], events: [] },
    {
      operator: ADA.email,
      id: SHOP,
      name: "Shop",
      slug: null,
      triggers: [{ key: "purchase", points: 50, variable: { min: 5, max: 500 } }],
    },
  ],
  apiKeys: [
    { operator: ADA.email, name: "test", key: KEY, permission: "all", pointSystems: [SHOP] },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE, [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }]);
});
test.use({ locale: "en-US", timezoneId: "UTC" });

async function open(page: Page, path = ACTIVITY, operator = ADA): Promise<void> {
  await enter(page, server.url, operator);
  await page.goto(server.url + path);
}

const rowsOf = (page: Page) => page.getByRole("table", { name: "Events" }).locator("tbody tr");
const filterBy = (page: Page) => page.getByRole("button", { name: "Filter" }).click();

async function download(page: Page): Promise<{ name: string; rows: Record<string, string>[] }> {
  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as CSV" }).click();
  const file = await coming;
  const text = await fs.readFile(await file.path(), "utf8");
  return { name: file.suggestedFilename(), rows: parse(text, { columns: true }) };
}

test("the events are shown newest first, page by page, there and back", async ({ page }) => {
  await open(page);
  await expect(rowsOf(page)).toHaveCount(50);
  await expect(rowsOf(page).first()).toContainText("+120");
  await expect(rowsOf(page).first()).toContainText("Daily login daily_login");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Older" }).click();
  await expect(rowsOf(page).first()).toContainText("+70");
  await page.getByRole("link", { name: "Older" }).click();
  await expect(rowsOf(page)).toHaveCount(20);
  await expect(page.getByRole("link", { name: "Older" })).toHaveCount(0);
  await page.getByRole("link", { name: "Newer" }).click();
  await expect(rowsOf(page).first()).toContainText("+70");
  await page.getByRole("link", { name: "Newer" }).click();
  await expect(rowsOf(page).first()).toContainText("+120");
  const wallet = rowsOf(page).first().getByRole("link");
  await expect(wallet).toHaveAttribute("href", `/dashboard/${HARBOUR}/wallets/${toWallet(2)}`);
});

test("the filters narrow the list, say what is wrong, and can be cleared", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page);
  await page.getByLabel("Trigger").selectOption({ label: "Manual grants" });
  await filterBy(page);
  await expect(rowsOf(page)).toHaveCount(1);
  await expect(rowsOf(page)).toContainText("Manual grant");
  await page.getByLabel("Trigger").selectOption({ label: "Daily login (daily_login)" });
  await page.getByLabel("Wallet").fill(toWallet(1));
  await page.getByLabel("From").fill("2026-01-02");
  await page.getByLabel("To").fill("2026-01-03");
  await filterBy(page);
  await expect(rowsOf(page)).toHaveCount(15);
  await expect(page).toHaveURL(/from=2026-01-02/);

  await page.getByLabel("Wallet").fill("0x12");
  await page.getByLabel("To").fill("2026-01-01");
  await filterBy(page);
  await expect(page.getByLabel("Wallet")).toHaveAccessibleDescription(/0x and 40/);
  await expect(page.getByLabel("Wallet")).toHaveValue("0x12");
  await expectAccessible(page);
  await page.getByLabel("Wallet").fill(toWallet(9));
  await page.getByLabel("To").fill("2026-01-03");
  await filterBy(page);
  await expect(page.getByText("Nothing matches")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Show every event" }).click();
  await expect(rowsOf(page)).toHaveCount(50);
  await expect(page.getByLabel("Wallet")).toHaveValue("");
});

test("a trigger that is deleted can be filtered by in the address", async ({ page }) => {
  await open(page, `${ACTIVITY}?trigger=gone`);
  await expect(rowsOf(page)).toHaveCount(3);
  await expect(page.getByLabel("Trigger")).toHaveValue("gone");
});

test("the filters work without JavaScript", { tag: "@deep" }, async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await open(page);
  await page.getByLabel("Wallet").fill(toWallet(0));
  await filterBy(page);
  await expect(rowsOf(page)).toHaveCount(40);
  await context.close();
});

test("the export holds every event of the filter, and no formula", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, `/dashboard/${HARBOUR}/imports`);
  const csv = `${toWallet(500)},5\n${toWallet(501)},6\n`;
  await page.getByLabel("Or paste rows").fill(csv);
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByRole("button", { name: "Commit the import" }).click();
  await page.getByLabel("Note").fill("=HYPERLINK(1)");
  await page.getByRole("button", { name: "Commit the import" }).click();
  await expect(page.getByText("All points are credited.")).toBeVisible();

  await page.goto(server.url + ACTIVITY);
  await expect(rowsOf(page).first()).toContainText("=HYPERLINK(1)");
  const { name, rows } = await download(page);
  expect(name).toBe("activity.csv");
  expect(rows).toHaveLength(122);
  expect(Object.keys(rows[0] ?? {})).toEqual([
    "id",
    "date",
    "wallet",
    "event",
    "points",
    "balance",
    "voided",
    "note",
    "import id",
    "occurred at",
    "metadata",
    "base points",
    "factor",
  ]);
  expect(rows.slice(0, 2).map(({ note }) => note)).toEqual(["'=HYPERLINK(1)", "'=HYPERLINK(1)"]);
  expect(rows[2]).toMatchObject({
    date: EVENTS[119]?.date,
    wallet: toWallet(2),
    event: "daily_login",
    points: "120",
    voided: "no",
  });
  await page.getByLabel("Wallet").fill(toWallet(1));
  await filterBy(page);
  await expect(rowsOf(page)).toHaveCount(40);
  expect((await download(page)).rows).toHaveLength(40);
});

test("a system without events says what to do", async ({ page }) => {
  await open(page, `/dashboard/${EMPTY}/activity`);
  await expect(page.getByText("No events yet")).toBeVisible();
  expect((await download(page)).rows).toEqual([]);
  await expectAccessible(page);
});

test("a viewer sees and exports the activity", async ({ page }) => {
  await open(page, `${ACTIVITY}?trigger=daily_login`, VIC);
  await expect(rowsOf(page)).toHaveCount(50);
  expect((await download(page)).rows).toHaveLength(116);
});

test("nothing sticks out at 390 px", { tag: "@deep" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  for (const query of ["", "?trigger=gone", "?wallet=x&from=x", `?wallet=${toWallet(99)}`]) {
    await page.goto(server.url + ACTIVITY + query);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
});

test("an event shows the caller's data as text when it is opened, and its time", {
  tag: "@deep",
}, async ({ page }) => {
  const walletAddress = toWallet(1);
  const happened = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const note = "x".repeat(300);
  const metadata = { order: MARKUP, amount: 12.5, note, ["__proto__"]: "a name as any other" };
  await page.request.post(`${server.url}/trigger/batch`, {
    headers: { Authorization: `Bearer ${KEY}` },
    data: {
      pointSystemId: SHOP,
      items: [
        { triggerKey: "purchase", walletAddress, points: 70, metadata, occurredAt: happened },
        { triggerKey: "purchase", walletAddress },
      ],
    },
  });
  for (const path of [
    `/dashboard/${SHOP}/activity`,
    `/dashboard/${SHOP}/wallets/${walletAddress}`,
  ]) {
    await open(page, path);
    await expect(page.getByText(/^Happened 3 hr\. ago$/)).toHaveCount(1);
    const data = page.getByRole("group").filter({ hasText: "Metadata" });
    await expect(data).toHaveCount(1);
    await expect(data.getByText("12.5")).toBeHidden();
    await data.getByText("Metadata").click();
    await expect(data.getByText("12.5")).toBeVisible();
    await expect(data.getByText(MARKUP)).toBeVisible();
    await expect(data.getByText("a name as any other")).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoOverflow(page);
    await page.setViewportSize({ width: 1280, height: 720 });
  }
});
