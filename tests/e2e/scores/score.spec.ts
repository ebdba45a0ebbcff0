import { expect } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  startServer,
  test,
} from "../../support/e2e/server";
import { startScoreWorld } from "../../support/score-world";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic@example.com", password: "yet another passphrase" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const WALLET = "0x00000000000000000000000000000000000000aa";
const STRANGER = "0x00000000000000000000000000000000000000bb";
const PATH = `/dashboard/${HARBOUR}/wallets/${WALLET}`;

let world: Awaited<ReturnType<typeof startScoreWorld>>;
let server: Awaited<ReturnType<typeof startServer>>;

test.beforeAll(async () => {
  world = await startScoreWorld([137, 10, 100]);
  world.addAccount(WALLET, 0, [1_400, 700, 300]);
  world.addAccount(WALLET, 1, [300]);
  server = await startServer({
    env: {
      SCORE_CHAINS: JSON.stringify(world.settings()),
      ETHERSCAN_API_KEY: "TESTKEY",
    },
    fixture: {
      operators: [ADA, VIC],
      pointSystems: [
        {
          operator: ADA.email,
          id: HARBOUR,
          name: "Harbour",
          slug: "harbour",
          events: [{ address: WALLET, points: 10, event: null }],
        },
      ],
    },
    members: [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }],
  });
});
test.afterAll(async () => {
  await server.stop();
  await world.stop();
});

test("an editor has a score computed, and reads what it is made of", async ({ page }) => {
  await enter(page, server.url, ADA);
  await page.goto(server.url + PATH);
  await page.getByRole("link", { name: "Score", exact: true }).click();
  await expect(page.getByText("This wallet's score was never requested.")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Compute" }).click();
  await expectNotice(page, "The score is computed.");
  const lowered = page.locator("section", { hasText: "Lowered by" });
  await expect(lowered.getByText("Inactive")).toBeVisible();
  await expect(lowered.getByText("−5")).toBeVisible();
  await expect(page.getByRole("table", { name: "Computations" }).getByRole("row")).toHaveCount(2);

  await page.getByRole("button", { name: "Compute again" }).click();
  await expectNotice(page, "The score did not change");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
});

test("when nothing answers, the page says so", { tag: "@deep" }, async ({ page }) => {
  await enter(page, server.url, ADA);
  world.setNodes("fails");
  await page.goto(`${server.url}/dashboard/${HARBOUR}/wallets/${STRANGER}/score`);
  await page.getByRole("button", { name: "Compute" }).click();
  await expectNotice(page, "Score providers unavailable.");
  await expectAccessible(page);

  await page.goto(`${server.url}/dashboard/score-providers`);
  const table = page.getByRole("table", { name: "Providers" });
  await expect(table.getByText("Failing")).toHaveCount(3);
  await expect(table.getByText("It did not answer").first()).toBeVisible();
  expect(await page.content()).not.toContain("TESTKEY");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  world.heal();
});

test("a viewer reads the score and computes none; only administrators see the providers", {
  tag: "@deep",
}, async ({ page }) => {
  await enter(page, server.url, VIC);
  await page.goto(`${server.url + PATH}/score`);
  await expect(page.getByRole("heading", { name: "Score", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /Compute/ })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Score providers" })).toHaveCount(0);
  const response = await page.goto(`${server.url}/dashboard/score-providers`);
  expect(response?.status()).toBe(404);
});
