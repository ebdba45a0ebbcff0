import { expect } from "@playwright/test";
import { expectAccessible, signIn, signOut, startServer, test } from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const REFUSAL = "Wrong email address or password.";

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer();
});
test.afterAll(async () => {
  await server.stop();
});
test.describe.configure({ mode: "serial" });

test("the start page and a page that is not there are accessible", async ({ page }) => {
  await page.goto(`${server.url}/`);
  await expectAccessible(page);
  expect((await page.goto(`${server.url}/nope`))?.status()).toBe(404);
  await expect(page).toHaveTitle("Page not found");
  await expectAccessible(page);
});

test("before the set-up, sign-in leads to a page that says where the link is", async ({ page }) => {
  await page.goto(`${server.url}/`);
  await page.getByRole("link", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Open the set-up link" })).toBeVisible();
  await expectAccessible(page);
});

test("the printed link makes the first operator: set up, sign out, sign in", {
  tag: "@both",
}, async ({ page }) => {
  await page.goto(server.setUpUrl ?? "no link was printed");
  await expectAccessible(page);

  await page.getByLabel("Email address").fill("ada");
  await page.getByRole("textbox", { name: "Password" }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  const name = page.getByLabel("Your name");
  await expect(name).toHaveAccessibleDescription("Enter a name");
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(name).toBeFocused();
  await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/you@example.com/);
  await expect(page.getByRole("textbox", { name: "Password" })).toHaveAccessibleDescription(
    /Use at least 12 characters/,
  );
  await expectAccessible(page);

  await name.fill(ADA.name);
  await page.getByLabel("Email address").fill(ADA.email);
  await page.getByRole("textbox", { name: "Password" }).fill(ADA.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(`${server.url}/dashboard`);
  await expect(page.getByText("No point systems yet")).toBeVisible();
  await expectAccessible(page);

  await signOut(page);
  await expect(page).toHaveURL(`${server.url}/sign-in`);
  await page.goto(`${server.url}/dashboard`);
  await expect(page).toHaveURL(`${server.url}/sign-in`);

  await signIn(page, ADA.email, ADA.password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  await page.goto(`${server.url}/`);
  await expect(page).toHaveURL(`${server.url}/dashboard`);
});

test("the link opens nothing once it was used", async ({ page }) => {
  await page.goto(server.setUpUrl ?? "no link was printed");
  await expect(page).toHaveURL(/\/sign-in(#|$)/);
});

test("a wrong password and an unknown account get the same words", async ({ page }) => {
  await page.goto(`${server.url}/sign-in`);
  await expectAccessible(page);
  for (const email of [ADA.email, "nobody@example.com"]) {
    await signIn(page, email, "not the password");
    await expect(page.getByRole("alert")).toHaveText(REFUSAL);
    await expect(page.getByRole("alert")).toBeFocused();
    await expect(page.getByLabel("Email address")).toHaveValue(email);
  }
  await expectAccessible(page);
});

test("signing in takes a keyboard only", async ({ page }) => {
  await page.goto(`${server.url}/sign-in`);
  await page.getByRole("button", { name: "Show password" }).waitFor();
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Email address")).toBeFocused();
  await page.keyboard.type(ADA.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type("a slip of the finger");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("textbox", { name: "Password" })).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(ADA.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();

  await page.reload();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("keys pressed while a page starts do no harm", async ({ page }) => {
  await page.addInitScript(() => {
    const press = () =>
      document.body?.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true }));
    // Runs between any two tasks of the page.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      press();
      if (performance.now() < 2_000) port2.postMessage(null);
    };
    port2.postMessage(null);
  });
  await page.goto(`${server.url}/sign-in`);
  await page.getByRole("button", { name: "Show password" }).waitFor();
});

test("a password can be looked at", async ({ page }) => {
  await page.goto(`${server.url}/sign-in`);
  const password = page.getByRole("textbox", { name: "Password" });
  await password.fill("visible?");
  await expect(password).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Show password" }).click();
  await expect(password).toHaveAttribute("type", "text");
});

test.describe("without JavaScript", { tag: "@deep" }, () => {
  test.use({ javaScriptEnabled: false });

  test("signing in, being refused and signing out work alike", async ({ page }) => {
    await page.goto(`${server.url}/sign-in`);
    await signIn(page, "ada", "");
    await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/you@example.com/);
    await expect(page.getByLabel("Email address")).toHaveValue("ada");
    await signIn(page, ADA.email, "not the password");
    await expect(page.getByRole("alert")).toHaveText(REFUSAL);
    await signIn(page, ADA.email, ADA.password);
    await expect(page).toHaveURL(`${server.url}/dashboard`);
    await signOut(page);
    await expect(page).toHaveURL(`${server.url}/sign-in`);
  });
});

test("the 11th guess within 15 minutes is refused, and says when to come back", async ({
  page,
}) => {
  await page.goto(`${server.url}/sign-in`);
  // The earlier tests used some of the 10 attempts.
  for (let guess = 1; guess <= 10; guess += 1) {
    const answer = page.waitForResponse((response) => response.request().method() === "POST");
    await signIn(page, "nobody@example.com", `guess ${guess}`);
    await answer;
  }
  await expect(page.getByRole("alert")).toHaveText(
    /^Too many sign-in attempts\. Try again in \d+ minutes?\.$/,
  );
});
