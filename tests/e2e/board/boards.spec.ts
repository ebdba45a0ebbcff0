import { expect } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  openMenu,
  startServer,
  type TestServer,
  test,
  WIDTHS,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.boards@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic.boards@example.com", password: "yet another passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000063";
const ANN = "0x00000000000000000000000000000000000000aa";
const BOB = "0x00000000000000000000000000000000000000bb";

let server: TestServer;
test.beforeAll(async () => {
  server = await startServer({
    fixture: {
      operators: [ADA, VIC],
      pointSystems: [
        {
          ...{ operator: ADA.email, id: HARBOUR, name: "Harbour", slug: "harbour-boards" },
          triggers: [],
          events: [
            { address: ANN, points: 100, event: null, date: "2020-01-01T12:00:00Z" },
            { address: BOB, points: 40, event: null, date: "2020-02-01T12:00:00Z" },
          ],
        },
      ],
    },
    members: [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }],
  });
});
test.afterAll(async () => {
  await server.stop();
});

test("an operator makes a season over the past, changes, ends and deletes it, and the public page has its tab", {
  tag: "@both",
}, async ({ page }) => {
  await enter(page, server.url, ADA);
  const list = `${server.url}/dashboard/${HARBOUR}/boards`;
  const slug = `winter-${Date.now()}`;
  await page.goto(list);
  await page.getByRole("main").getByRole("link", { name: "New board" }).click();
  await page.getByLabel("Season", { exact: true }).check();
  await page.getByLabel("Name", { exact: true }).fill("Winter cup");
  await page.getByLabel("Season name in API calls").fill(slug);
  await page.getByLabel("Start of the season").fill("2020-02-01T00:00");
  await page.getByLabel("End of the season").fill("2019-02-01T00:00");
  await page.getByRole("button", { name: "Create the board" }).click();
  await expect(page.getByText("Choose an end after the start")).toBeVisible();
  await page.getByLabel("End of the season").fill("2100-02-01T00:00");
  await page.getByRole("button", { name: "Create the board" }).click();
  await expectNotice(page, "Winter cup is created.");
  await expect(page.getByRole("heading", { level: 1, name: "Winter cup" })).toBeVisible();
  const rows = page.getByRole("table", { name: "Leaderboard" }).getByRole("row");
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText("40");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  const own = page.url();

  await page.goto(`${server.url}/l/harbour-boards`);
  await page.getByRole("link", { name: "Winter cup" }).click();
  await expect(page).toHaveURL(`${server.url}/l/harbour-boards?board=season%3A${slug}`);
  const table = page.getByRole("table", { name: "Leaderboard" });
  await expect(table.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("link", { name: "Winter cup" })).toHaveAttribute(
    "aria-current",
    "page",
  );
  await page.goto(`${server.url}/l/harbour-boards/embed?board=season:${slug}`);
  await expect(page.getByRole("table", { name: "Leaderboard" }).getByRole("row")).toHaveCount(2);

  await page.goto(own);
  await page.getByLabel("Name", { exact: true }).fill("Winter trophy");
  await page.getByLabel("Do not show it").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expectNotice(page, "The board is saved.");
  const hidden = await page.request.get(`${server.url}/l/harbour-boards?board=season:${slug}`);
  expect(hidden.status()).toBe(404);
  await openMenu(page);
  await page.getByRole("button", { name: "End the board" }).click();
  await page.getByRole("button", { name: "End it now" }).click();
  await expectNotice(page, "The board has ended.");
  await openMenu(page);
  await expect(page.getByRole("button", { name: "End the board" })).toHaveCount(0);
  await page.getByRole("button", { name: "Delete the board" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the board" }).click();
  await expectNotice(page, "The board is deleted.");
});

test("a viewer reads boards and is offered no form", async ({ page }) => {
  await enter(page, server.url, VIC);
  await page.goto(`${server.url}/dashboard/${HARBOUR}/boards`);
  await expect(page.getByRole("heading", { level: 1, name: "Boards" })).toBeVisible();
  await expect(page.getByRole("link", { name: "New board" })).toHaveCount(0);
});
