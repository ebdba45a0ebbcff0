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

const ADA = { name: "Ada", email: "ada.progress@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic.progress@example.com", password: "yet another passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000087";
const ANN = "0x00000000000000000000000000000000000000aa";

let server: TestServer;
test.beforeAll(async () => {
  server = await startServer({
    fixture: {
      operators: [ADA, VIC],
      pointSystems: [
        {
          ...{ operator: ADA.email, id: HARBOUR, name: "Harbour", slug: "harbour-progress" },
          triggers: [{ name: "Walk", key: "walk", points: 10, active: true }],
          events: [
            ...[1, 2, 3].map((n) => ({
              ...{ address: ANN, points: 50, event: "walk", date: `2020-01-0${n}T12:00:00Z` },
            })),
            ...["bb", "cc"].map((end) => ({ address: ANN.replace("aa", end), points: 5 })),
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

test("an operator sets tiers and a streak, and wallet pages and the public board show them", {
  tag: "@both",
}, async ({ page }) => {
  await enter(page, server.url, ADA);
  const path = `${server.url}/dashboard/${HARBOUR}/progress`;
  await page.goto(path);
  await expect(page.getByText("No tiers yet")).toBeVisible();
  await expect(page.getByText("No streaks yet")).toBeVisible();
  await page.getByLabel("Name of tier 1").fill("Gold");
  await page.getByLabel("Least points of tier 1").fill("much");
  await page.getByRole("button", { name: "Save the tiers" }).click();
  await expect(page.getByText("Row 1: Enter a whole number from 0")).toBeVisible();
  await page.getByLabel("Least points of tier 1").fill("100");
  await page.getByRole("button", { name: "Save the tiers" }).click();
  await expectNotice(page, "The tiers are saved.");
  await expect(page.getByText("from 100 points")).toBeVisible();

  await page.getByRole("main").getByRole("link", { name: "New streak" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Daily walks");
  await page.getByLabel("Key", { exact: true }).fill("Daily walks");
  await page.getByLabel("Days of bonus 1").fill("7");
  await page.getByRole("button", { name: "Create the streak" }).click();
  await expect(page.getByText("Row 1: Choose a trigger")).toBeVisible();
  await page.getByLabel("Trigger of bonus 1").selectOption("walk");
  await page.getByRole("button", { name: "Create the streak" }).click();
  await expectNotice(page, "Daily walks is created.");
  await expect(page).toHaveURL(/\/streaks\/daily_walks$/);
  for (const width of WIDTHS) {
    for (const url of [page.url(), path]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(url);
      await expectNoOverflow(page);
      await expectAccessible(page);
    }
  }

  await page.goto(`${server.url}/dashboard/${HARBOUR}/wallets/${ANN}`);
  await expect(page.getByRole("heading", { name: "Wallet Gold" })).toBeVisible();
  // A job counts the days some moments later.
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("longest 3")).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.goto(`${server.url}/l/harbour-progress?wallet=${ANN}`);
  await expect(page.getByRole("table").getByText("Gold")).toBeVisible();
  await expect(page.getByText("longest 3")).toBeVisible();
  await page.goto(`${server.url}/l/harbour-progress`);
  await expect(page.getByRole("list", { name: "Top three" }).getByText("Gold")).toHaveCount(1);

  // The embed names the tier too, in its smallest frame and both themes.
  await page.setViewportSize({ width: 320, height: 600 });
  for (const theme of ["light", "dark"]) {
    await page.goto(`${server.url}/l/harbour-progress/embed?theme=${theme}`);
    await expect(page.getByRole("table").getByText("Gold")).toBeVisible();
    await expectNoOverflow(page);
    await expectAccessible(page);
  }

  await page.goto(`${server.url}/dashboard/${HARBOUR}/streaks/daily_walks`);
  await openMenu(page);
  await page.getByRole("button", { name: "Delete the streak" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the streak" }).click();
  await expectNotice(page, "The streak is deleted.");
});

test("a viewer sees tiers and streaks without their forms", async ({ page }) => {
  await enter(page, server.url, VIC);
  await page.goto(`${server.url}/dashboard/${HARBOUR}/progress`);
  await expect(page.getByRole("heading", { name: "Tiers", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Save the tiers" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "New streak" })).toHaveCount(0);
});
