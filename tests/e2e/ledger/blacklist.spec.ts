import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  type TestServer,
  test,
  WIDTHS,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.blacklist@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic.blacklist@example.com", password: "yet another passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000006";
const QUAY = "22222222-2222-4222-8222-000000000006";
const MARKUP = `<img src=x onerror="alert(1)">`;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "0")}`;
const FIXTURE = {
  operators: [ADA, VIC],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: null,
      events: [{ address: toWallet(120), points: 4_321, event: null }],
      blacklist: Array.from({ length: 120 }, (_, i) => ({
        address: toWallet(i + 1),
        reason: i === 119 ? `=HYPERLINK("x") ${MARKUP}` : `reason ${i + 1}`,
        date: new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString(),
      })),
    },
    { operator: ADA.email, id: QUAY, name: "Quay", slug: null },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE, [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }]);
});

async function open(page: Page, id = HARBOUR, { email, password } = ADA): Promise<void> {
  await enter(page, server.url, { email, password });
  await page.goto(`${server.url}/dashboard/${id}/blacklist`);
}

const rows = (page: Page) => page.getByRole("table", { name: "Blacklist" }).locator("tbody tr");

async function add(page: Page, lines: readonly string[], reason = ""): Promise<void> {
  // Typing ten thousand lines as a person does takes Chromium a minute.
  await page.getByLabel("Addresses").evaluate((area, text) => {
    if (area instanceof HTMLTextAreaElement) area.value = text;
  }, lines.join("\n"));
  await page.getByLabel("Reason for all").fill(reason);
  await page.getByRole("button", { name: "Add to the blacklist" }).click();
}

for (const width of WIDTHS) {
  const base = width * 1_000;

  test(`the list is read by pages, and an address is found, at ${width} px`, {
    tag: "@deep",
  }, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page);
    await expect(rows(page)).toHaveCount(50);
    await expect(rows(page).first()).toContainText(MARKUP);
    await expectNoOverflow(page);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Older" }).click();
    await expect(rows(page).first()).toContainText("reason 70");
    await page.getByRole("link", { name: "Newer" }).click();
    await expect(rows(page).first()).toContainText(MARKUP);
    await page.getByLabel("Find a wallet").fill(toWallet(7));
    await page.getByRole("button", { name: "Find" }).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText("reason 7");
    await page.getByLabel("Find a wallet").fill(toWallet(0xffff));
    await page.getByRole("button", { name: "Find" }).click();
    await expect(page.getByText("Not on the blacklist")).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Find a wallet").fill("alice.eth");
    await page.getByRole("button", { name: "Find" }).click();
    await expect(
      page.getByText("ENS names are not available here. Enter an address."),
    ).toBeVisible();
    await expect(rows(page)).toHaveCount(50);
  });

  test(`pasted addresses are added, wrong lines come back, some are removed, at ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, QUAY);
    await add(page, []);
    await expect(page.getByLabel("Addresses")).toHaveAccessibleDescription(/at least one/);
    const [one, two, three] = [toWallet(base + 1), toWallet(base + 2), toWallet(base + 3)];
    await add(page, [`${one}, ${MARKUP}`, "alice.eth; friend", two, `${two}1`, two], "A farm");
    const alert = page.getByRole("alert");
    await expect(alert).toContainText("2 addresses are added to the blacklist.");
    await expect(alert).toContainText("1 line repeats another.");
    await expect(alert).toContainText("2 lines were not understood and are left below.");
    await expect(page.getByLabel("Addresses")).toHaveValue(`alice.eth; friend\n${two}1`);
    await expect(alert).toBeFocused();
    await expect(page.getByLabel("Addresses")).toHaveAccessibleDescription(
      "Line 1 does not begin with an address. Line 2 does not begin with an address.",
    );
    await expect(rows(page).filter({ hasText: MARKUP })).toHaveCount(1);
    await expect(rows(page).filter({ hasText: "A farm" })).toHaveCount(1);
    await expectNoOverflow(page);
    await expectAccessible(page);

    await add(page, [two, three], "");
    await expectNotice(page, "1 address is added to the blacklist. 1 address is there already.");
    await page.getByRole("button", { name: `Remove ${three}` }).click();
    await expectNotice(page, "1 address is removed from the blacklist.");
    await page.getByRole("button", { name: "Remove selected" }).click();
    await expect(page.getByRole("alert")).toHaveText("Select at least one address");
    await page.getByRole("checkbox", { name: `Select ${one}` }).check();
    await page.getByRole("checkbox", { name: `Select ${two}` }).check();
    await page.getByRole("button", { name: "Remove selected" }).click();
    await expectNotice(page, "2 addresses are removed from the blacklist.");
    await expect(page.getByText("No blacklisted wallets")).toBeVisible();
    await expectAccessible(page);
  });
}

test("10,000 lines are taken at once, one more is refused and stays", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, QUAY);
  const lines = Array.from({ length: 10_001 }, (_, i) => toWallet(0xa00000 + i));
  await add(page, lines);
  await expect(page.getByLabel("Addresses")).toHaveAccessibleDescription(/at most 10,000 lines/);
  expect((await page.getByLabel("Addresses").inputValue()).split("\n")).toEqual(lines);
  await add(page, lines.slice(1));
  await expectNotice(page, "10,000 addresses are added to the blacklist.");
  await expect(rows(page)).toHaveCount(50);
});

test("the whole list is exported, and no spreadsheet runs a reason", async ({ page }) => {
  await open(page);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("blacklist.csv");
  const csv = await readFile(await file.path(), "utf8");
  const lines = csv.trimEnd().split("\n");
  expect(lines).toHaveLength(121);
  expect(lines[0]).toBe("address,reason,date,points");
  expect(lines[1]).toBe(
    `${toWallet(120)},"'=HYPERLINK(""x"") ${MARKUP.replaceAll('"', '""')}",2026-01-01T01:59:00.000Z,4321`,
  );
});

test("a viewer sees and exports the list, and no controls", { tag: "@deep" }, async ({ page }) => {
  await open(page, HARBOUR, VIC);
  await expect(rows(page)).toHaveCount(50);
  await expect(page.getByRole("link", { name: "Export CSV" })).toBeVisible();
  await expect(page.getByRole("button", { name: /Remove|Add to/ })).toHaveCount(0);
  await expect(page.getByRole("checkbox")).toHaveCount(0);
  await expectAccessible(page);
  const answer = await page.request.post(page.url(), {
    form: { intent: "remove", addresses: toWallet(1) },
    headers: { origin: server.url },
  });
  expect(answer.status()).toBe(403);
});

test.describe("without JavaScript", { tag: "@deep" }, () => {
  test.use({ javaScriptEnabled: false });

  test("addresses are added and removed", async ({ page }) => {
    await open(page, QUAY);
    const [one, two] = [toWallet(0xe1), toWallet(0xe2)];
    await add(page, [one, "what", two]);
    await expect(page.getByLabel("Addresses")).toHaveValue("what");
    await page.getByRole("checkbox", { name: `Select ${one}` }).check();
    await page.getByRole("button", { name: "Remove selected" }).click();
    await expect(page.getByText("1 address is removed from the blacklist.")).toBeVisible();
    await page.getByRole("button", { name: `Remove ${two}` }).click();
    await expect(rows(page).filter({ hasText: two })).toHaveCount(0);
  });
});
