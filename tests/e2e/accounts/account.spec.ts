import { type BrowserContext, expect, type Page } from "@playwright/test";
import {
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  signIn,
  startServer,
  test,
  WIDTHS,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const NEXT_PASSWORD = "another long passphrase";

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer({ fixture: { operators: [ADA] }, env: { OPEN_SIGNUP: "true" } });
});
test.afterAll(async () => {
  await server.stop();
});
test.describe.configure({ mode: "serial" });

async function signInAs(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${server.url}/sign-in`);
  await signIn(page, email, password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
}

/** Opens another browser. */
async function openBrowser(context: BrowserContext): Promise<Page> {
  const other = await context.browser()?.newContext();
  if (!other) throw new Error("The browser is gone");
  return other.newPage();
}

async function changePassword(page: Page, current: string, next: string): Promise<void> {
  await page.getByRole("textbox", { name: "Current password" }).fill(current);
  await page.getByRole("textbox", { name: "New password" }).fill(next);
  await page.getByRole("button", { name: "Change the password" }).click();
}

for (const width of WIDTHS) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 900 } });

    test("the account page says who and where one is, and takes a new name", {
      tag: "@deep",
    }, async ({ page }) => {
      await signInAs(page, ADA.email, ADA.password);
      await page.goto(`${server.url}/dashboard/account`);
      await expect(page.getByRole("list", { name: "Sessions" })).toContainText("Chrome on Linux");
      await page.getByLabel("Your name").fill(" ");
      await page.getByRole("button", { name: "Save" }).click();
      await expect(page.getByLabel("Your name")).toHaveAccessibleDescription("Enter a name");
      await expectNoOverflow(page);
      await expectAccessible(page);
      await page.getByLabel("Your name").fill(`Ada ${width}`);
      await page.getByRole("button", { name: "Save" }).click();
      await expectNotice(page, "Your name is saved.");
      await expect(page.getByRole("button", { name: "Your account" })).toContainText(
        `Ada ${width}`,
      );
    });

    test("ending a session signs that browser out, and no other", { tag: "@deep" }, async ({
      page,
      context,
    }) => {
      await signInAs(page, ADA.email, ADA.password);
      const other = await openBrowser(context);
      await signInAs(other, ADA.email, ADA.password);
      await other.goto(`${server.url}/dashboard/account`);
      const sessions = other.getByRole("list", { name: "Sessions" }).getByRole("listitem");
      await expect(sessions.first()).toContainText("This browser");
      await expect(sessions.first().getByRole("button")).toHaveCount(0);
      // The second newest session is the page's own.
      await sessions.nth(1).getByRole("button", { name: "End", exact: true }).click();
      await other.getByRole("button", { name: "End the session" }).click();
      await expectNotice(other, "The session is ended.");
      await page.reload();
      await expect(page).toHaveURL(`${server.url}/sign-in`);
      await other.getByRole("button", { name: "End all others" }).click();
      await other.getByRole("button", { name: "End them" }).click();
      await expect(sessions).toHaveCount(1);
      await other.context().close();
    });
  });
}

test("a new password signs the other browsers out, and not this one", { tag: "@deep" }, async ({
  page,
  context,
}) => {
  await signInAs(page, ADA.email, ADA.password);
  const other = await openBrowser(context);
  await signInAs(other, ADA.email, ADA.password);
  await page.goto(`${server.url}/dashboard/account`);
  await changePassword(page, "a wrong guess", NEXT_PASSWORD);
  await expect(page.getByRole("textbox", { name: "Current password" })).toHaveAccessibleDescription(
    "Wrong password.",
  );
  await expectAccessible(page);
  await changePassword(page, ADA.password, NEXT_PASSWORD);
  await expectNotice(page, "Your password is changed.");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Account" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Sessions" }).getByRole("listitem")).toHaveCount(1);
  await other.reload();
  await expect(other).toHaveURL(`${server.url}/sign-in`);
  await signIn(other, ADA.email, ADA.password);
  await expect(other.getByRole("alert")).toHaveText("Wrong email address or password.");
  await signInAs(other, ADA.email, NEXT_PASSWORD);
  await other.context().close();
});

test("where sign-up is open, the sign-in page leads to it", async ({ page }) => {
  await page.goto(`${server.url}/sign-in?redirectTo=https://evil.example`);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Create one" }).click();
  await expect(page).toHaveURL(`${server.url}/sign-up`);
  await expectAccessible(page);
  const create = async (email: string) => {
    await page.getByLabel("Your name").fill("Grace");
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(ADA.password);
    await page.getByRole("button", { name: "Create account" }).click();
  };
  await create(ADA.email);
  await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(
    "This email address cannot be used.",
  );
  await create("grace@example.com");
  await expect(page).toHaveURL(`${server.url}/dashboard`);
  await expect(page.getByText("No point systems yet")).toBeVisible();
  expect((await page.goto(`${server.url}/dashboard/operators`))?.status()).toBe(404);
});

test.describe("without JavaScript", { tag: "@deep" }, () => {
  test.use({ javaScriptEnabled: false });

  test("links are made and taken back, and sessions are ended", async ({ page, context }) => {
    await signInAs(page, ADA.email, NEXT_PASSWORD);
    await page.goto(`${server.url}/dashboard/operators`);
    await page.getByRole("button", { name: "Create an invitation link" }).click();
    const link = (await page.getByText(/\/invitation#token=/).textContent()) ?? "";
    const hers = await openBrowser(context);
    await hers.goto(link);
    await hers.getByRole("textbox", { name: "Link" }).fill(link);
    await hers.getByRole("button", { name: "Open" }).click();
    await expect(hers.getByRole("heading", { name: "You are invited" })).toBeVisible();
    await hers.context().close();
    await page.getByText("Revoke", { exact: true }).click();
    await page.getByRole("button", { name: "Revoke the link" }).click();
    await expectNotice(page, "The link is revoked.");

    await page.goto(`${server.url}/dashboard/account`);
    const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
    await page.getByText("End all others").click();
    await page.getByRole("button", { name: "End them" }).click();
    await expect(sessions).toHaveCount(1);
  });
});
