import { rm } from "node:fs/promises";
import { expect } from "@playwright/test";
import { expectAccessible, test } from "../support/e2e/server";
import {
  createDataDir,
  type ServerProcess,
  startDevelopmentServer,
} from "../support/server-process";

let server: ServerProcess;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await startDevelopmentServer(await createDataDir());
});
test.afterAll(async () => {
  await server.end("SIGTERM");
  // Its PostgreSQL ends a moment later.
  await rm(server.dataDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
});

test("npm run dev shows every component on one page, which a build does not have", {
  tag: "@deep",
}, async ({ page, sharedServer }) => {
  // Vite compiles what a page asks for.
  test.setTimeout(180_000);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${server.url}/components`);
    await expect(page.getByRole("heading", { name: "Components" })).toBeVisible();
    await expectAccessible(page);
    const overflow = await page.evaluate(() => document.body.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  }
  await page.getByRole("button", { name: "Delete trigger" }).click();
  await expect(page.getByRole("dialog")).toContainText("Its events stay.");
  await expectAccessible(page);
  const built = await page.request.get(`${sharedServer.url}/components`);
  expect(built.status()).toBe(404);
});
