import { randomUUID } from "node:crypto";
import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  openMenu,
  startServer,
  test,
  WIDTHS,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const FIXTURE = {
  operators: [ADA],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: null,
      triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
    },
  ],
};
const NEXT_PASSWORD = "another long passphrase";

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer({ fixture: FIXTURE });
});
test.afterAll(async () => {
  await server.stop();
});

const membersUrl = () => `${server.url}/dashboard/${HARBOUR}/members`;

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${server.url}${path}`);
}

async function signInAs(page: Page, { email, password }: { email: string; password: string }) {
  await enter(page, server.url, { email, password });
}

/** Opens another person's browser. */
async function openBrowser(context: BrowserContext, page: Page): Promise<Page> {
  const browser = context.browser();
  if (!browser) throw new Error("The browser is gone");
  const other = await browser.newContext({ viewport: page.viewportSize() });
  return other.newPage();
}

/** Presses the button that asks, in the menu of an entry if there is one, then the one that confirms. */
async function confirm(page: Page, ask: string, name: string, entry?: Locator) {
  if (entry) await openMenu(entry, /^Actions for/);
  const within = entry ?? page.getByRole("main");
  await within.getByRole("button", { name: ask, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

async function makeInvitation(page: Page, role: "Viewer" | "Editor"): Promise<string> {
  await page.goto(membersUrl());
  await page.getByRole("radio", { name: role }).check();
  await page.getByRole("button", { name: "Create an invitation link" }).click();
  const link = page.getByText(/^http\S+\/invitation#token=[\w-]{43}$/);
  await expect(page.getByRole("button", { name: "Copy Invitation link" })).toBeVisible();
  return (await link.textContent()) ?? "";
}

async function createAccount(page: Page, account: typeof ADA): Promise<void> {
  await page.getByLabel("Your name").fill(account.name);
  await page.getByLabel("Email address").fill(account.email);
  await page.getByRole("textbox", { name: "Password" }).fill(account.password);
  await page.getByRole("button", { name: "Create account" }).click();
}

const entryOf = (page: Page, { email }: { email: string }) =>
  page.getByRole("listitem").filter({ hasText: email });

async function expectWellMade(page: Page): Promise<void> {
  await expectNoOverflow(page);
  await expectAccessible(page);
}

for (const width of WIDTHS) {
  test.describe(`at ${width} px`, () => {
    test.describe.configure({ mode: "serial" });
    test.use({ viewport: { width, height: 900 } });
    const grace = { ...ADA, name: "Grace", email: `grace${width}@example.com` };

    test("a viewer comes by invitation, can change nothing, becomes an editor, and is removed", async ({
      page,
      context,
    }) => {
      await signInAs(page, ADA);
      const link = await makeInvitation(page, "Viewer");
      await expectWellMade(page);
      await page.reload();
      await expect(page.getByText(/invitation#token=/)).toHaveCount(0);
      await expect(page.getByText("For a viewer")).toBeVisible();

      const hers = await openBrowser(context, page);
      await hers.goto(link);
      await expect(hers.getByRole("heading", { name: "Join Harbour" })).toBeVisible();
      await expectWellMade(hers);
      await createAccount(hers, { ...grace, email: ADA.email });
      await expect(hers.getByLabel("Email address")).toHaveAccessibleDescription(
        "This email address cannot be used.",
      );
      await createAccount(hers, grace);
      await expect(hers).toHaveURL(`${server.url}/dashboard`);
      await expect(hers.getByRole("main")).toContainText("as viewer");

      await hers.goto(membersUrl());
      await expect(hers.getByRole("listitem").filter({ hasText: "Grace" })).toContainText("Viewer");
      await expect(hers.getByRole("main").getByRole("button")).toHaveText(["Leave"]);
      await expectWellMade(hers);
      const forgeries = [
        { intent: "invite", role: "editor" },
        { intent: "role", operatorId: "nonsense", role: "editor" },
        { intent: "remove" },
        { intent: "transfer" },
        { intent: "update", name: "Taken over" },
      ];
      for (const path of [membersUrl(), `${server.url}/dashboard/${HARBOUR}/settings`]) {
        for (const form of forgeries) {
          const headers = { Origin: server.url };
          const answer = await hers.request.post(path, { form, headers });
          expect(answer.status(), `${form.intent} at ${path}`).toBe(403);
        }
      }
      expect((await hers.goto(`${server.url}/dashboard/operators`))?.status()).toBe(404);

      await page.reload();
      await confirm(page, "Make editor", "Make editor", entryOf(page, grace));
      await expectNotice(page, "Grace is now an editor.");
      await hers.goto(membersUrl());
      await expect(entryOf(hers, grace)).toContainText("Editor");

      const made = await hers.request.post(`${server.url}/dashboard/api-keys`, {
        form: {
          ...{ intent: "create", id: randomUUID(), name: "her shop", permission: "all" },
          ...{ expires: "", pointSystems: HARBOUR },
        },
        headers: { Origin: server.url },
      });
      expect(made.status()).toBe(200);
      await openMenu(entryOf(page, grace), /^Actions for/);
      await entryOf(page, grace).getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("dialog").getByLabel("Keep their API keys").check();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Remove the member" }).click();
      await expectNotice(page, "Grace is removed. 1 API key is yours now. Grace knows it");
      await expect(entryOf(page, grace)).toHaveCount(0);
      expect((await hers.goto(membersUrl()))?.status()).toBe(404);

      await hers.goto(link);
      await expect(hers.getByRole("heading", { name: "This link does not work" })).toBeVisible();
      await expectWellMade(hers);
      await hers.context().close();
    });

    test("an operator joins with the account that they have, takes over, and gives back", {
      tag: "@deep",
    }, async ({ page, context }) => {
      await signInAs(page, ADA);
      const link = await makeInvitation(page, "Editor");
      const hers = await openBrowser(context, page);
      await signInAs(hers, grace);
      await hers.goto(link);
      await expectWellMade(hers);
      await hers.getByRole("button", { name: "Join Harbour as editor" }).click();
      await expectNotice(hers, "You joined Harbour.");

      await page.goto(membersUrl());
      await openMenu(entryOf(page, grace), /^Actions for/);
      await entryOf(page, grace).getByRole("button", { name: "Make owner" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/to confirm/).fill("Harbor");
      await dialog.getByRole("button", { name: "Transfer ownership" }).click();
      await expect(dialog.getByLabel(/to confirm/)).toHaveAccessibleDescription(
        "The text does not match.",
      );
      await expectWellMade(page);
      await dialog.getByLabel(/to confirm/).fill("Harbour");
      await dialog.getByRole("button", { name: "Transfer ownership" }).click();
      await expectNotice(page, "Grace is now the owner.");
      await expect(page.getByRole("main").getByRole("button")).toHaveText(["Leave"]);

      await hers.goto(membersUrl());
      await openMenu(entryOf(hers, ADA), /^Actions for/);
      await entryOf(hers, ADA).getByRole("button", { name: "Make owner" }).click();
      await hers
        .getByRole("dialog")
        .getByLabel(/to confirm/)
        .fill("Harbour");
      await hers.getByRole("button", { name: "Transfer ownership" }).click();
      await expectNotice(hers, "Ada is now the owner.");
      await confirm(hers, "Leave", "Leave the point system");
      await expect(hers.getByText("No point systems yet")).toBeVisible();
      await hers.context().close();
    });

    test("a revoked link opens nothing", async ({ page, context }) => {
      await signInAs(page, ADA);
      const link = await makeInvitation(page, "Viewer");
      await confirm(page, "Revoke", "Revoke the link");
      await expectNotice(page, "The link is revoked.");
      await expect(page.getByText("Open links")).toHaveCount(0);
      const theirs = await openBrowser(context, page);
      expect((await theirs.goto(link))?.status()).toBe(403);
      await expect(theirs.getByRole("heading", { name: "This link does not work" })).toBeVisible();
      await theirs.context().close();
    });

    test("an administrator makes a link that sets a password, once", { tag: "@deep" }, async ({
      page,
      context,
    }) => {
      await signInAs(page, ADA);
      await open(page, "/dashboard/operators");
      await confirm(page, "Reset password", "Create the link", entryOf(page, grace));
      const shown = page.getByText(/^http\S+\/reset-password#token=[\w-]{43}$/);
      const link = (await shown.textContent()) ?? "";
      await expectWellMade(page);

      const hers = await openBrowser(context, page);
      await hers.goto(link);
      await expect(hers.getByLabel("Email address")).toHaveValue(grace.email);
      await hers.getByRole("textbox", { name: "New password" }).fill("short");
      await hers.getByRole("button", { name: "Set password" }).click();
      await expect(hers.getByRole("textbox", { name: "New password" })).toHaveAccessibleDescription(
        "Use at least 12 characters",
      );
      await expectWellMade(hers);
      await hers.getByRole("textbox", { name: "New password" }).fill(NEXT_PASSWORD);
      await hers.getByRole("button", { name: "Set password" }).click();
      await expect(hers).toHaveURL(`${server.url}/dashboard`);
      await hers.goto(link);
      await expect(hers.getByRole("heading", { name: "This link does not work" })).toBeVisible();
      await hers.context().close();
    });

    test("administrators come and go, but the last one stays", { tag: "@deep" }, async ({
      page,
    }) => {
      await signInAs(page, ADA);
      await open(page, "/dashboard/operators");
      await confirm(page, "Make administrator", "Make administrator", entryOf(page, grace));
      await expectNotice(page, "Grace is now an administrator.");
      await confirm(page, "Remove admin role", "Remove", entryOf(page, grace));
      await expectNotice(page, "Grace is no longer an administrator.");
      await confirm(page, "Remove admin role", "Remove", entryOf(page, ADA));
      await expect(page.getByRole("alert")).toHaveText("At least one administrator is needed.");
      await expectWellMade(page);
    });
  });
}

test("where sign-up is closed, there is no such page", async ({ page }) => {
  await open(page, "/sign-in");
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Create one" })).toHaveCount(0);
  const form = { name: "Eve", email: "eve@example.com", password: ADA.password };
  const headers = { Origin: server.url };
  const answer = await page.request.post(`${server.url}/sign-up`, { form, headers });
  expect(answer.status()).toBe(404);
  expect((await page.goto(`${server.url}/sign-up`))?.status()).toBe(404);
});
