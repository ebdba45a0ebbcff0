import { expect } from "@playwright/test";
import { expectAccessible, expectNoOverflow, startServer, test } from "../support/e2e/server";

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeEach(async () => {
  server = await startServer();
});
test.afterEach(async ({ page }) => {
  // The page follows the server, and complains once it stops.
  await page.close();
  await server.stop();
});

/** Makes the call that the page shows, which has the key in it. */
async function makeCall(curl: string): Promise<Response> {
  const find = (pattern: RegExp) => pattern.exec(curl)?.[1] ?? "";
  return fetch(find(/POST (\S+)/), {
    method: "POST",
    headers: {
      Authorization: find(/"Authorization: ([^"]+)"/),
      "Content-Type": find(/"Content-Type: ([^"]+)"/),
    },
    body: find(/-d '([^']+)'/),
  });
}

test("four forms lead from an empty installation to the first event, and the last page turns by itself", async ({
  page,
}) => {
  let forms = 0;
  const send = async (name: string) => {
    forms += 1;
    await page.getByRole("button", { name, exact: true }).click();
  };
  await page.goto(server.setUpUrl ?? "no link was printed");
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email address").fill("ada@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await send("Create account");

  await page.getByRole("link", { name: "Create a point system" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Harbour");
  await send("Create the point system");

  await page.getByRole("link", { name: "Create a trigger" }).click();
  await page.getByLabel("Event name").fill("Daily login");
  await page.getByLabel("Trigger key").fill("daily_login");
  await page.getByRole("textbox", { name: "Points", exact: true }).fill("25");
  await send("Create the trigger");

  await page.getByRole("link", { name: "Create an API key" }).click();
  await expect(page.getByRole("checkbox", { name: "Harbour" })).toBeChecked();
  await page.getByLabel("Name", { exact: true }).fill("Backend");
  await send("Create the key");
  expect(forms).toBe(4);

  const waiting = page.getByRole("status").filter({ hasText: "Waiting for your first event" });
  await expect(waiting).toBeVisible();
  await expectNoOverflow(page);
  await expectAccessible(page);
  const curl = (await page.getByRole("main").locator("pre").textContent()) ?? "";
  expect((await makeCall(curl)).status).toBe(200);
  await expect(page.getByRole("status").filter({ hasText: "Your first event arrived" })).toHaveText(
    "Your first event arrived: +25 points.",
  );
  await page.getByRole("link", { name: "Open the overview" }).click();
  await expect(page.getByRole("table", { name: "Leaderboard" }).locator("tbody tr")).toHaveCount(1);
});
