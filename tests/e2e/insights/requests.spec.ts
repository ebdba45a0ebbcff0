import { expect } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  type TestServer,
  test,
  WIDTHS,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.requests@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-000000000041";
const TOKEN = "rw_00000000000000000000000000000041";
const FIXTURE = {
  operators: [ADA],
  pointSystems: [
    {
      ...{ operator: ADA.email, id: HARBOUR, name: "Harbour", slug: null, events: [] },
      triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
    },
  ],
  apiKeys: [
    {
      ...{ operator: ADA.email, name: "backend", key: TOKEN, permission: "all" },
      pointSystems: [HARBOUR],
    },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE);
});

/** Makes a call that is refused, and returns its request id. */
async function refuse(endpoint: string): Promise<string> {
  const address = `0x${"a".repeat(40)}`;
  const answer = await fetch(
    `${server.url}/${endpoint}?pointSystemId=${HARBOUR}&address=${address}&page=0`,
    { headers: { Authorization: `Bearer ${TOKEN}` } },
  );
  expect(answer.ok).toBe(false);
  return answer.headers.get("x-request-id") ?? "";
}

for (const width of WIDTHS) {
  test(`a client's request id finds its call at ${width} px, and its error leads to the reference`, {
    tag: "@deep",
  }, async ({ page }) => {
    const [wallet, activity] = [await refuse("wallet"), await refuse("activity")];
    await page.setViewportSize({ width, height: 900 });
    await enter(page, server.url, ADA);
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr");
    await expect(async () => {
      await page.goto(`${server.url}/dashboard/${HARBOUR}/requests`);
      await expect(page.getByRole("main")).toContainText(wallet, { timeout: 500 });
      await expect(page.getByRole("main")).toContainText(activity, { timeout: 500 });
    }).toPass({ timeout: 30_000 });
    await expectNoOverflow(page);
    await expectAccessible(page);

    await page.getByLabel("Request id").fill(wallet);
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText("/wallet");
    await expect(rows.getByRole("link", { name: "wallet_not_found" })).toHaveAttribute(
      "href",
      "/docs/errors/wallet_not_found",
    );
    await page.getByLabel("Request id").fill("");
    await page.getByLabel("Answer").selectOption("invalid_page");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(rows.first()).toContainText("/activity");
    await expect(page.getByRole("main")).not.toContainText(wallet);
  });
}
