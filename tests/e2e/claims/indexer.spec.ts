import { expect } from "@playwright/test";
import { startAnvil } from "../../support/chain/anvil";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  startServer,
  test,
} from "../../support/e2e/server";
import { startRpcProxy } from "../../support/fakes/rpc-proxy";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic@example.com", password: "yet another passphrase" };
const TOKEN = "metrics-token-of-32-or-more-letters";

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let proxy: Awaited<ReturnType<typeof startRpcProxy>>;
let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.rpcUrl);
  server = await startServer({
    env: {
      RPC_URL_84532: anvil.rpcUrl,
      // The endpoint is one of another chain.
      RPC_URL_8453: `${proxy.url}/v1/SECRET-KEY`,
      METRICS_TOKEN: TOKEN,
    },
    fixture: { operators: [ADA, VIC], pointSystems: [] },
  });
});
test.afterAll(async () => {
  await server.stop();
  await proxy.stop();
  await anvil.stop();
});

test("an administrator sees how each chain is followed, and why one is not", {
  tag: "@deep",
}, async ({ page }) => {
  await enter(page, server.url, ADA);
  const section = (name: string) =>
    page.locator("section", { has: page.getByRole("heading", { name, exact: true }) });
  await expect(async () => {
    await page.goto(`${server.url}/dashboard/indexer`);
    await expect(section("Base Sepolia").getByText("Up to date")).toBeVisible({ timeout: 500 });
    await expect(section("Base").getByText("Failing")).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(section("Base").getByText("The endpoint serves another chain")).toBeVisible();
  expect(await page.content()).not.toContain("SECRET-KEY");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
});

test("nobody else has such a page", async ({ page }) => {
  await enter(page, server.url, VIC);
  await page.goto(`${server.url}/dashboard`);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Claim indexer" })).toHaveCount(0);
  expect((await page.goto(`${server.url}/dashboard/indexer`))?.status()).toBe(404);
});

test("metrics are told to whoever has the token", async ({ request }) => {
  const read = (headers: Record<string, string>) =>
    request.get(`${server.url}/metrics`, { headers });
  for (const authorization of ["", "Bearer ", `Bearer ${TOKEN}x`, TOKEN]) {
    expect((await read({ authorization })).status()).toBe(401);
  }
  const answer = await read({ authorization: `Bearer ${TOKEN}` });
  expect(answer.status()).toBe(200);
  const text = await answer.text();
  expect(text).toMatch(/^points_claim_indexer_up\{chain="84532"\} 1$/m);
  expect(text).toMatch(/^points_claim_indexer_lag_blocks\{chain="84532"\} \d+$/m);
  expect(text).toMatch(/^points_claim_indexer_lag_seconds\{chain="84532"\} \d+$/m);
  expect(text).toMatch(/^points_claim_indexer_leader\{chain="84532",name="[0-9a-f]{8}"\} 1$/m);
  expect(text).toMatch(
    /^points_claim_indexer_errors_total\{chain="8453",problem="wrong_chain"\} \d+$/m,
  );
});

test("a hint is taken from pages of this service only", async ({ request }) => {
  const send = (site: string) =>
    request.post(`${server.url}/claim/hint`, {
      headers: { "Sec-Fetch-Site": site },
      data: { chainId: 84532, txHash: `0x${"ab".repeat(32)}` },
    });
  expect((await send("cross-site")).status()).toBe(403);
  const answer = await send("same-origin");
  expect([answer.status(), await answer.json()]).toEqual([200, { status: "pending" }]);
});
