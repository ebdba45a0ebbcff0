import { gzipSync } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { enter, expectAccessible, type TestServer, test } from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.palette@example.com", password: "correct horse battery" };
const EVE = { name: "Eve", email: "eve.palette@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000002";
const MEADOW = "22222222-2222-4222-8222-000000000002";
const MARKUP = "<b>bold</b>";
const WALLET = "0x1a2b000000000000000000000000000000000001";
const OTHER = "0x1a2c000000000000000000000000000000000002";
const THEIRS = "0x1a2b000000000000000000000000000000000003";

const FIXTURE = {
  operators: [ADA, EVE],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: "harbour-palette",
      triggers: [{ name: `Daily ${MARKUP}`, key: "daily_login", points: 10, active: true }],
      events: [
        { address: WALLET, points: 1_234, event: null },
        { address: OTHER, points: 5, event: null },
      ],
    },
    { operator: ADA.email, id: MEADOW, name: "Meadow", slug: null, triggers: [], events: [] },
    {
      operator: EVE.email,
      id: "33333333-3333-4333-8333-000000000002",
      name: "Theirs",
      slug: null,
      triggers: [],
      events: [{ address: THEIRS, points: 5, event: null }],
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
  await page.goto(`${server.url}/dashboard/${HARBOUR}/triggers`);
  await expect(page.getByRole("button", { name: "Search" })).toBeVisible();
});

async function openPalette(page: Page) {
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Search" });
  await expect(dialog.getByRole("combobox", { name: "Search" })).toBeFocused();
  return dialog;
}

/** Types a text and takes the chosen option. */
async function typeAndTake(page: Page, text: string, option: string) {
  await page.keyboard.type(text);
  const chosen = page.getByRole("dialog").getByRole("option", { name: option, exact: true });
  await expect(chosen).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
}

test("opens with Ctrl-K, moves with the arrows, goes with Enter", async ({ page }) => {
  const dialog = await openPalette(page);
  const options = dialog.getByRole("option");
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await typeAndTake(page, "audit", "Audit log");
  await expect(page).toHaveURL(`${server.url}/dashboard/${HARBOUR}/audit-log`);
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
});

test("Escape closes it, and the focus is where it was", { tag: "@deep" }, async ({ page }) => {
  for (const name of ["Skip to the content", "Members"]) {
    const link = page.getByRole("link", { name, exact: true });
    await link.focus();
    await openPalette(page);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(link).toBeFocused();
  }
  const button = page.getByRole("button", { name: "Search" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Search" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(button).toBeFocused();
});

test("switches to another point system, on the page that is open", { tag: "@deep" }, async ({
  page,
}) => {
  await openPalette(page);
  await typeAndTake(page, "meadow", "Meadow");
  await expect(page).toHaveURL(`${server.url}/dashboard/${MEADOW}/triggers`);
});

test("finds wallets by how they begin, in this point system only, and any by its address", {
  tag: "@deep",
}, async ({ page }) => {
  const dialog = await openPalette(page);
  const wallets = dialog.getByRole("group", { name: "Wallets" }).getByRole("option");
  await page.keyboard.type("0x1A2");
  await expect(wallets).toHaveText([`${WALLET}1,234`, `${OTHER}5`]);
  await page.keyboard.type("b");
  await expect(wallets).toHaveText([`${WALLET}1,234`]);
  await expectAccessible(page);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(THEIRS.toUpperCase().replace("0X", "0x"));
  await expect(wallets).toHaveText(["Go to wallet 0x1a2b…0003"]);
  await expect(wallets).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${server.url}/dashboard/${HARBOUR}/wallets/${THEIRS}`);
});

test("finds triggers by name and key, markup in them is text", { tag: "@deep" }, async ({
  page,
}) => {
  const dialog = await openPalette(page);
  await page.keyboard.type("bold");
  const triggers = dialog.getByRole("group", { name: "Triggers" }).getByRole("option");
  await expect(triggers).toHaveText([`Daily ${MARKUP}daily_login`]);
  await expect(triggers).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${server.url}/dashboard/${HARBOUR}/triggers/daily_login`);
});

test("a search that fails leaves the page as it is", { tag: "@deep" }, async ({ page }) => {
  await page.route("**/search?*", (route) => route.fulfill({ status: 404, body: "nothing" }));
  const dialog = await openPalette(page);
  await page.keyboard.type("0x1a2b");
  await expect(dialog.getByText("Nothing matches")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("signs out", { tag: "@deep" }, async ({ page }) => {
  await openPalette(page);
  await typeAndTake(page, "sign out", "Sign out");
  await expect(page).toHaveURL(`${server.url}/sign-in`);
});

test("passes at 390 px too, opened by its button", { tag: "@deep" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("combobox", { name: "Search" })).toBeFocused();
  await expectAccessible(page);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  );
  expect(overflow).toBe(0);
});

test("costs nothing before its first use", { tag: "@deep" }, async ({ page }) => {
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") bodies.push(response.body());
  });
  await page.goto(`${server.url}/dashboard/${HARBOUR}/settings`);
  await page.waitForLoadState("networkidle");
  const hasPalette = async () =>
    (await Promise.all(bodies)).some((body) => body.includes("cmdk-input"));
  const sizeOf = async () =>
    (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
  expect(await hasPalette()).toBe(false);
  const sizeBefore = await sizeOf();
  await openPalette(page);
  expect(await hasPalette()).toBe(true);
  expect(await sizeOf()).toBeGreaterThan(sizeBefore);
});
