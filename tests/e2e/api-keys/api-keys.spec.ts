import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { enter, expectAccessible, type TestServer, test } from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.api-keys@example.com", password: "correct horse battery" };
const EVE = { name: "Eve", email: "eve.api-keys@example.com", password: "another long passphrase" };
const NEW = { name: "New", email: "new.api-keys@example.com", password: "a third long passphrase" };
const OWN = {
  name: "Own",
  email: "own.api-keys@example.com",
  password: "a fourth long passphrase",
};
const LEE = { name: "Lee", email: "lee.api-keys@example.com", password: "a fifth long passphrase" };
const MIA = { name: "Mia", email: "mia.api-keys@example.com", password: "a sixth long passphrase" };
const SHARED = "44444444-4444-4444-8444-000000000007";
const HARBOUR = "11111111-1111-4111-8111-000000000007";
const MILL = "22222222-2222-4222-8222-000000000007";
const THEIRS = "33333333-3333-4333-8333-000000000007";

const FIXTURE = {
  operators: [ADA, EVE, NEW, OWN, LEE, MIA],
  pointSystems: [
    { operator: ADA.email, id: HARBOUR, name: "Harbour <b>bold</b>", slug: null, triggers: [] },
    { operator: ADA.email, id: MILL, name: "M".repeat(100), slug: null, triggers: [] },
    { operator: EVE.email, id: THEIRS, name: "Theirs", slug: null, triggers: [] },
    { operator: OWN.email, id: SHARED, name: "Shared", slug: null, triggers: [] },
  ],
  apiKeys: [
    {
      ...{ operator: OWN.email, name: "backend of the owner", pointSystems: [SHARED] },
      ...{ key: `rw_${"0d".repeat(16)}`, permission: "all" },
    },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(
    FIXTURE,
    [LEE, MIA].map(({ email }) => ({ email, pointSystemId: SHARED, role: "editor" })),
  );
});

async function open(page: Page, operator: typeof ADA) {
  await enter(page, server.url, operator);
  await page.goto(`${server.url}/dashboard/api-keys`);
}

const submit = (page: Page) => page.getByRole("button", { name: "Create the key" });
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Reads the new key from the page. */
const readToken = async (page: Page) =>
  (await page.getByText(/^rw_[0-9a-f]{32}$/).textContent()) ?? "no key is shown";

async function create(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name").fill(name);
  await page.getByRole("radio", { name: "all", exact: true }).check();
  await page.getByLabel("Harbour").check();
  await submit(page).click();
  await expect(page.getByRole("heading", { name: "Your new key" })).toBeVisible();
  return readToken(page);
}

test("keys are created in Account, Integration: a name, a permission level and point systems", async ({
  page,
}) => {
  await enter(page, server.url, ADA);
  await page.goto(`${server.url}/dashboard`);
  await page.getByRole("button", { name: "Your account" }).click();
  const menu = page.getByRole("group", { name: "Your account" });
  await menu.getByRole("link", { name: "Account", exact: true }).click();
  await page
    .getByRole("navigation", { name: "Dashboard" })
    .getByRole("link", { name: "Integration" })
    .click();
  await expect(page.getByRole("heading", { name: "Integration", level: 1 })).toBeVisible();
  await expect(page.getByLabel("Name")).toBeVisible();
  for (const level of ["trigger", "read", "all"]) {
    await expect(page.getByRole("radio", { name: level, exact: true })).toHaveValue(level);
  }
  await expect(page.getByRole("radio", { name: "read" })).toHaveAccessibleDescription(
    /leaderboard, wallets, activity, rewards, points and scores/,
  );
});

async function readBoard(page: Page, token: string, pointSystemId = HARBOUR): Promise<number> {
  const answer = await page.request.get(
    `${server.url}/leaderboard?pointSystemId=${pointSystemId}`,
    {
      headers: { Authorization: `Bearer ${token}` },
    },
  );
  return answer.status();
}

test("a key is shown once, works, is listed by its end, and is refused once deleted", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, ADA);
  await expect(page.getByText("No API keys yet")).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("Expires").fill("2020-01-01");
  await submit(page).click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription("Enter a name");
  await expect(page.getByRole("group", { name: "Point systems" })).toHaveAccessibleDescription(
    "Choose at least one point system",
  );
  await expect(page.getByLabel("Expires")).toHaveAccessibleDescription(/today or a later date/);
  await expectAccessible(page);

  await page.getByLabel("Expires").fill("2999-12-31");
  const token = await create(page, "shop backend");
  await expect(page.getByText("It is not shown again")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Copy The key of/ }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(token);
  expect(await readBoard(page, token)).toBe(200);
  const cookies = await context.cookies();
  expect(JSON.stringify(cookies)).not.toContain(token.slice(3));
  expect(page.url()).toBe(`${server.url}/dashboard/api-keys`);
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(token);

  await page.getByRole("link", { name: "I have copied it" }).click();
  await expect(page.getByText(token)).toHaveCount(0);
  const row = rowOf(page, "shop backend");
  for (const text of [
    `#${createHash("sha256").update(token).digest("hex").slice(0, 6)}`,
    "all",
    "Harbour <b>bold</b>",
    "2999",
  ]) {
    await expect(row).toContainText(text);
  }
  await page.goBack();
  await page.goForward();
  await page.reload();
  expect(await page.content()).not.toContain(token);
  await expect(rowOf(page, "#")).toHaveCount(1);

  await row.getByRole("button", { name: "Delete shop backend" }).click();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Delete the key" }).click();
  await expect(page.getByText("shop backend is deleted.")).toBeVisible();
  await expect(page.getByText("No API keys yet")).toBeVisible();
  expect(await readBoard(page, token)).toBe(401);
});

test("whoever comes back to the page of a new key does not find it there", async ({ page }) => {
  await open(page, ADA);
  const answer = page.waitForResponse((response) => response.request().method() === "POST");
  const token = await create(page, "left alone");
  expect((await answer).headers()["cache-control"]).toBe("no-store");
  await page.goto(`${server.url}/dashboard/account`);
  await page.goBack();
  await expect(rowOf(page, "left alone")).toBeVisible();
  expect(await page.content()).not.toContain(token);
});

test("the browser's copy of a page that is left has no key", { tag: "@deep" }, async ({ page }) => {
  await open(page, ADA);
  const token = await create(page, "put away");
  await page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
  await expect(
    page.getByText("The key was already shown and cannot be shown again."),
  ).toBeVisible();
  expect(await page.content()).not.toContain(token);
});

test("the time of the last use shows up by itself some seconds later", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, ADA);
  const token = await create(page, "used one");
  await page.reload();
  await expect(rowOf(page, "used one")).toContainText("Never");
  expect(await readBoard(page, token)).toBe(200);
  await expect(async () => {
    await page.reload();
    await expect(rowOf(page, "used one")).not.toContainText("Never", { timeout: 500 });
  }).toPass();
});

test("another operator's point system is not taken, and no key is made", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, ADA);
  const fields = { intent: "create", id: MILL, name: "sneaky", permission: "all", expires: "" };
  const answer = await page.request.post(`${server.url}/dashboard/api-keys`, {
    headers: { Origin: server.url },
    form: { ...fields, pointSystems: THEIRS },
  });
  expect(answer.status()).toBe(404);
  expect(await answer.text()).toContain("Not found.");
  await page.reload();
  await expect(page.getByText("sneaky")).toHaveCount(0);
});

test("someone without a point system is led to make one", { tag: "@deep" }, async ({ page }) => {
  await open(page, NEW);
  await expect(page.getByText("There is no point system to choose")).toBeVisible();
  await expectAccessible(page);
});

test("an editor without a key reads of the keys that others have", async ({ page }) => {
  await open(page, LEE);
  await expect(page.getByText("You have no keys of your own")).toBeVisible();
  await expect(page.getByText("No API keys yet")).toHaveCount(0);
  const table = page.getByRole("table", { name: "Keys of other members" });
  await expect(table).toContainText("backend of the owner");
});

test("an owner takes the key of an editor off the point system", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, MIA);
  await page.getByLabel("Name").fill("backend of Mia");
  await page.getByRole("radio", { name: "read", exact: true }).check();
  await page.getByLabel("Shared").check();
  await submit(page).click();
  const token = await readToken(page);
  expect(await readBoard(page, token, SHARED)).toBe(200);
  await page.context().clearCookies();

  await open(page, OWN);
  const row = page
    .getByRole("table", { name: "Keys of other members" })
    .getByRole("row")
    .filter({ hasText: "backend of Mia" });
  await row.getByRole("button", { name: "Remove backend of Mia" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("It loses access to Shared at once.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Remove the key" }).click();
  await expect(page.getByText("backend of Mia is removed.")).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(await readBoard(page, token, SHARED)).toBe(403);
});

test("at 390 px nothing sticks out", { tag: "@deep" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, ADA);
  for (const step of ["list", "new key"]) {
    if (step === "new key") await create(page, "W".repeat(100));
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overflow, step).toBe(0);
    await expectAccessible(page);
  }
});

test.describe("without JavaScript", { tag: "@deep" }, () => {
  test.use({ javaScriptEnabled: false });

  test("a key is made and deleted alike, and a reload makes no second one", async ({ page }) => {
    await open(page, EVE);
    const name = page.getByLabel("Name");
    await name.fill("plain");
    const answer = page.waitForResponse((response) => response.request().method() === "POST");
    await submit(page).click();
    expect((await answer).headers()["cache-control"]).toBe("no-store");
    const token = await readToken(page);
    await page.reload();
    await expect(page.getByRole("alert")).toHaveText(
      "This key was already created and cannot be shown again.",
    );
    expect(await page.content()).not.toContain(token);
    await expect(rowOf(page, "#")).toHaveCount(1);
    await rowOf(page, "plain").getByText("Delete plain", { exact: true }).click();
    await page.getByRole("button", { name: "Delete the key" }).click();
    await expect(page.getByText("No API keys yet")).toBeVisible();
  });
});
