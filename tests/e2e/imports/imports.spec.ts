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

const ADA = { name: "Ada", email: "ada.imports@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic.imports@example.com", password: "another long passphrase" };
const EVE = { name: "Eve", email: "eve.imports@example.com", password: "a third long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000005";
const IMPORTS = `/dashboard/${HARBOUR}/imports`;
const MARKUP = `<img src=x onerror="alert(1)">`;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "b")}`;
const FIXTURE = {
  operators: [ADA, VIC, EVE],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: null,
      triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
      events: [{ address: toWallet(0), points: 100, event: "daily_login" }],
      blacklist: [{ address: toWallet(66) }],
    },
  ],
};
const MIXED = [
  "wallet;name;points",
  `${toWallet(0)};"Ada; Lovelace";10`,
  `${toWallet(1)};Bob;20`,
  `${toWallet(1)};Bob again;5`,
  `0x12;${MARKUP};5`,
  `=1+1;Formula;7`,
  `${toWallet(2)};Cleo;1,000`,
  `${toWallet(66)};Banned;5`,
].join("\r\n");

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE, [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }]);
});
test.use({ locale: "en-US", timezoneId: "UTC" });

async function open(page: Page, path = IMPORTS, operator = ADA): Promise<void> {
  await enter(page, server.url, operator);
  await page.goto(server.url + path);
}

async function upload(page: Page, content: string | Buffer, name = "season.csv"): Promise<void> {
  const buffer = Buffer.from(content as string);
  await page.getByLabel("CSV file").setInputFiles({ name, mimeType: "text/csv", buffer });
  // A refusal can have the text of the one before it.
  const answer = page.waitForResponse((response) => response.request().method() === "POST");
  await page.getByRole("button", { name: "Upload" }).click();
  await answer;
}

/** Finds a number of the dry run by its label. */
const figure = (page: Page, label: string) =>
  page
    .locator("dl > div")
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator("dd");

async function discard(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Discard the import" }).click();
  await expect(page.getByRole("status").filter({ hasText: "is discarded" })).toBeVisible();
}

test("a file is uploaded, looked at, committed, and undone whole", async ({ page }) => {
  await open(page);
  await expect(page.getByText("No imports yet")).toBeVisible();
  await expectAccessible(page);
  await upload(page, `\uFEFF${MIXED}`);
  await expect(page.getByRole("heading", { name: "season.csv" })).toBeVisible();
  await expect(page.getByLabel("Column separator")).toHaveValue("semicolon");
  await expect(page.getByLabel("Points", { exact: true })).toHaveValue("2");
  for (const [label, value] of [
    ["Rows", "7"],
    ["Rows with errors", "4"],
    ["Wallets", "2"],
    ["New wallets", "1"],
    ["Points", "35"],
  ] as const) {
    await expect(figure(page, label), label).toHaveText(value);
  }
  const errors = page.getByRole("table", { name: "Rows with errors" }).locator("tbody tr");
  await expect(errors).toHaveText([
    /^5Not a wallet address.*<img src=x/,
    /^6Not a wallet address/,
    /^7Points must be plain digits/,
    /^8The wallet is blacklisted/,
  ]);
  await expect(page.getByRole("table", { name: "Wallets in several rows" })).toContainText("25");
  await expectAccessible(page);

  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download them all" }).click();
  const file = await (await coming).path();
  expect(parse(await fs.readFile(file, "utf8"), { columns: true })).toMatchObject([
    { row: "5", address: "0x12", points: "5" },
    { row: "6", address: "'=1+1", points: "7" },
    { row: "7", address: toWallet(2), points: "1,000" },
    { row: "8", error: "The wallet is blacklisted" },
  ]);

  await page.getByRole("button", { name: "Commit the import" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("35 points are credited to 2 wallets");
  await expect(dialog).toContainText("4 rows with errors are left out");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Commit the import" }).click();
  await expect(page.getByText("All points are credited.")).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${server.url}/dashboard/${HARBOUR}/activity`);
  const events = page.getByRole("table", { name: "Events" }).locator("tbody tr");
  await expect(events).toHaveCount(3);
  await expect(events.first()).toContainText("Import season.csv");

  await page.goto(server.url + IMPORTS);
  await expect(page.getByRole("table", { name: "Imports" })).toContainText("Committed");
  await page.getByRole("link", { name: "season.csv" }).click();
  await page.getByRole("button", { name: "Undo the import" }).click();
  await page.getByRole("button", { name: "Undo the import" }).click();
  await expect(page.getByText("All points of this import are removed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo the import" })).toHaveCount(0);
  await page.goto(`${server.url}/dashboard/${HARBOUR}/activity`);
  await expect(events.filter({ hasText: "Voided" })).toHaveCount(2);
  await expectAccessible(page);
});

test("another reading of the columns is shown at once", { tag: "@deep" }, async ({ page }) => {
  await open(page);
  await upload(page, `${toWallet(5)},1,300\n${toWallet(6)},2,400\n`, "three.csv");
  await expect(figure(page, "Points")).toHaveText("3");
  await page.getByLabel("Points", { exact: true }).selectOption("2");
  await page.getByRole("button", { name: "Update the preview" }).click();
  await expect(figure(page, "Points")).toHaveText("700");
  await page.getByLabel("Addresses").selectOption("2");
  await page.getByRole("button", { name: "Update the preview" }).click();
  await expect(page.getByLabel("Points", { exact: true })).toHaveAccessibleDescription(
    /other than the addresses/,
  );
  await discard(page);
  await expect(page.getByRole("link", { name: "three.csv" })).toHaveCount(0);
});

test("what cannot be imported is refused beside its field", { tag: "@deep" }, async ({ page }) => {
  await open(page);
  const file = page.getByLabel("CSV file");
  const refuse = (text: RegExp) => expect(file).toHaveAccessibleDescription(text);
  await page.getByRole("button", { name: "Upload" }).click();
  await refuse(/Choose a file, or paste/);
  await expectAccessible(page);
  await upload(page, "");
  await refuse(/is empty/);
  await upload(page, Buffer.from(`\uFEFF${MIXED}`, "utf16le"));
  await refuse(/not UTF-8/);
  await upload(page, Buffer.from("0x12,5\u0000"));
  await refuse(/not UTF-8/);
  await upload(page, Buffer.alloc(10 * 1024 * 1024 + 1, "0x12,5\n"));
  await refuse(/larger than 10 MiB/);
  await upload(page, Buffer.alloc(12 * 1024 * 1024, "0x12,5\n"));
  await refuse(/larger than 10 MiB/);
  await upload(page, "x,y\n".repeat(250_002));
  await refuse(/more than 250,000 rows/);
  await page.getByLabel("Or paste rows").fill(`${toWallet(5)},1`);
  await upload(page, MIXED);
  await expect(page.getByLabel("Or paste rows")).toHaveAccessibleDescription(/not both/);
});

test("an import can be made without JavaScript", { tag: "@deep" }, async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await open(page);
  await upload(page, "");
  await expect(page.getByLabel("CSV file")).toHaveAccessibleDescription(/is empty/);
  await upload(page, `${toWallet(300)},5\n`, "plain.csv");
  await expect(page.getByRole("heading", { name: "plain.csv" })).toBeVisible();
  await page.locator("summary", { hasText: "Commit the import" }).click();
  await page.getByRole("button", { name: "Commit the import" }).click();
  const isDone = page.getByText("All points are credited.");
  const refresh = page.getByRole("link", { name: "Refresh" });
  await expect(isDone.or(refresh)).toBeVisible();
  await expect(async () => {
    if (await refresh.isVisible()) await refresh.click();
    await expect(isDone).toBeVisible({ timeout: 500 });
  }).toPass();
  await context.close();
});

test("a viewer sees imports, and no controls; another operator finds nothing", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page);
  await upload(page, `${toWallet(400)},5\nx,1\n`, "draft.csv");
  await expect(page.getByRole("heading", { name: "draft.csv" })).toBeVisible();
  const draft = new URL(page.url()).pathname;
  await page.context().clearCookies();

  await open(page, IMPORTS, VIC);
  await expect(page.getByLabel("CSV file")).toHaveCount(0);
  await page.getByRole("link", { name: "draft.csv" }).click();
  await expect(figure(page, "Points")).toHaveText("5");
  for (const name of ["Commit the import", "Discard", "Update the preview"]) {
    await expect(page.getByRole("button", { name })).toHaveCount(0);
  }
  const post = (intent: string) =>
    page.request.post(server.url + draft, {
      form: { intent, wallets: "1", points: "5", note: "" },
      headers: { Origin: server.url },
    });
  for (const intent of ["commit", "delete", "undo", "layout"]) {
    expect((await post(intent)).status(), intent).toBe(403);
  }
  await page.context().clearCookies();

  await open(page, draft, EVE);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  for (const intent of ["commit", "delete", "undo", "layout"]) {
    expect((await post(intent)).status(), intent).toBe(404);
  }
  expect((await page.request.get(`${server.url + draft}/problems.csv`)).status()).toBe(404);
  expect((await page.request.get(`${server.url}/dashboard/${HARBOUR}/activity.csv`)).status()).toBe(
    404,
  );
});

test("nothing sticks out at 390 px", { tag: "@deep" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await upload(page, MIXED, `${"long-name-".repeat(12)}.csv`);
  await expect(figure(page, "Points")).toHaveText("35");
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Commit the import" }).click();
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Commit the import" }).click();
  await expect(page.getByText("All points are credited.")).toBeVisible();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.goto(server.url + IMPORTS);
  await expectNoOverflow(page);
  await expectAccessible(page);
});
