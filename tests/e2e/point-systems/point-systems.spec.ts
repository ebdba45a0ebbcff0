import { expect } from "@playwright/test";
import { enter, expectAccessible, startServer, test, WIDTHS } from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const MARKUP = `<script>alert("1")</script>`;

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer({
    fixture: {
      operators: [ADA],
      pointSystems: [
        { operator: ADA.email, id: HARBOUR, name: "Harbour", slug: "harbour", triggers: [] },
      ],
    },
  });
});
test.afterAll(async () => {
  await server.stop();
});
test.beforeEach(async ({ page }) => {
  await enter(page, server.url, ADA);
  await page.goto(`${server.url}/dashboard`);
});

for (const width of WIDTHS) {
  test(`a point system is created, changed and deleted, at ${width} px`, { tag: "@deep" }, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    const slug = `season-${width}`;
    await page.getByRole("link", { name: "New point system" }).click();
    await expect(page.getByRole("heading", { name: "New point system" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create the point system" }).click();
    await expect(page.getByText("Enter a name")).toBeVisible();
    await expect(page.getByLabel("Name")).toBeFocused();
    await page.getByLabel("Name").fill(`Season ${MARKUP}`);
    await page.getByLabel("Slug").fill("harbour");
    await page.getByRole("button", { name: "Create the point system" }).click();
    await expect(page.getByText("Another point system uses this slug.")).toBeVisible();
    await expect(page.getByLabel("Slug")).toBeFocused();
    await page.getByLabel("Slug").fill("No Spaces");
    await page.getByRole("button", { name: "Create the point system" }).click();
    await expect(page.getByText("Use lowercase letters")).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Slug").fill(slug);
    await page.getByRole("button", { name: "Create the point system" }).click();
    await expect(page.getByRole("status").filter({ hasText: "is ready" })).toBeVisible();
    const path = new URL(page.url()).pathname;

    await page.goto(`${server.url}${path}/settings`);
    await expect(page.getByRole("link", { name: `${server.url}/l/${slug}` })).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Name").fill("Season two");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("status").filter({ hasText: "saved" })).toBeVisible();
    await expect(page.getByLabel("Name")).toHaveValue("Season two");

    await page.goto(`${server.url}${path}/audit-log`);
    const entries = page.getByRole("main").getByRole("listitem");
    await expect(entries).toHaveCount(2);
    await expect(entries.first()).toContainText("Changed the point system");
    await expect(entries.first()).toContainText(MARKUP);
    await expectAccessible(page);
    await page.getByLabel("Action").selectOption("Created the point system");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(entries).toHaveCount(1);
    await page.getByLabel("Operator").fill("nobody@example.com");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page.getByText("Nothing matches")).toBeVisible();

    await page.goto(`${server.url}${path}/settings`);
    await page.getByRole("button", { name: "Delete the point system" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("season two");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await expect(dialog.getByText("The text does not match.")).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("textbox").fill("Season two");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await expect(page).toHaveURL(`${server.url}/dashboard`);
    await expect(page.getByRole("status").filter({ hasText: "is deleted" })).toBeVisible();
    await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
    expect((await page.goto(server.url + path))?.status()).toBe(404);
  });
}

test("the switcher leads to another point system, on the page that is open", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(`${server.url}/dashboard/new`);
  await page.getByLabel("Name").fill("Beacon");
  await page.getByRole("button", { name: "Create the point system" }).click();
  await expect(page.getByRole("status").filter({ hasText: "is ready" })).toBeVisible();
  const nav = page.getByRole("navigation", { name: "Dashboard" });
  await nav.getByRole("link", { name: "General" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Beacon");
  await page.getByRole("button", { name: "Beacon, switch point system" }).click();
  const systems = page.getByRole("group", { name: "Point systems" });
  await systems.getByRole("link", { name: "Harbour", exact: true }).click();
  await expect(systems).toBeHidden();
  await expect(page).toHaveURL(`${server.url}/dashboard/${HARBOUR}/settings`);
  await expect(page.getByLabel("Name")).toHaveValue("Harbour");
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("a point system is created and deleted, and each step says so", async ({ page }) => {
    await page.goto(`${server.url}/dashboard/new`);
    await page.getByRole("button", { name: "Create the point system" }).click();
    await expect(page.getByText("Enter a name")).toBeVisible();
    await page.getByLabel("Name").fill("Plain");
    await page.getByRole("button", { name: "Create the point system" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Plain is ready." })).toBeVisible();
    await page.goto(`${page.url()}/settings`);
    await expect(page.getByText("Plain is ready.")).toHaveCount(0);
    await page.getByText("Delete the point system").click();
    await page.getByLabel("to confirm").fill("Plain");
    await page.getByRole("button", { name: "Delete for good" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Plain is deleted." })).toBeVisible();
  });
});

test("a sandbox is made, marked on its pages, and cleared by typing its name", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(`${server.url}/dashboard/new`);
  const name = `Try ${crypto.randomUUID().slice(0, 8)}`;
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Sandbox, for tests").check();
  await page.getByRole("button", { name: "Create the point system" }).click();
  await expect(page.getByRole("status").filter({ hasText: "is ready" })).toBeVisible();
  await expect(page.getByRole("main").getByText("Sandbox", { exact: true })).toBeVisible();
  const switcher = page.getByRole("button", { name: `${name}, sandbox, switch point system` });
  await expect(switcher).toBeVisible();
  const path = new URL(page.url()).pathname;
  await page.goto(`${server.url}${path}/settings`);
  await expect(page.getByText("Claim page:")).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Clear the sandbox" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(name);
  await dialog.getByRole("button", { name: "Clear for good" }).click();
  await expect(page.getByRole("status").filter({ hasText: "is cleared" })).toBeVisible();
});
