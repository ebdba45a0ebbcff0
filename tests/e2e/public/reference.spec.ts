import { expect } from "@playwright/test";
import { expectAccessible, expectNoOverflow, test } from "../../support/e2e/server";

test("a reader without scripts goes from the overview to an endpoint and reads its sample in Python", async ({
  browser,
  sharedServer,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${sharedServer.url}/docs`);
  await page.getByRole("main").getByRole("link", { name: "POST /trigger/batch" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Credit a batch");
  const samples = page.getByRole("complementary", { name: "Samples" });
  await expect(samples.getByLabel("Sample in curl", { exact: true })).toBeVisible();
  await expect(samples.getByLabel("Sample in Python", { exact: true })).toBeHidden();
  await samples.locator("label", { hasText: "Python" }).click();
  await expect(samples.getByLabel("Sample in Python", { exact: true })).toContainText(
    "import json, os",
  );
  await expect(samples.getByLabel("Sample in curl", { exact: true })).toBeHidden();
  await context.close();
});

test("the reference's pages fit a phone, where their contents are folded @deep", async ({
  page,
  sharedServer,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/docs", "/docs/endpoints/rewards", "/docs/retries", "/docs/errors"]) {
    await page.goto(sharedServer.url + path);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  await page.getByText("Contents").click();
  await page.getByRole("link", { name: "Read a proof GET" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Read a proof");
});
