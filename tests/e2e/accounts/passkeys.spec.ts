import { type BrowserContext, expect, type Page } from "@playwright/test";
import { sql } from "drizzle-orm";
import { withDatabase } from "../../../app/db/client";
import {
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  signIn,
  signOut,
  startServer,
  test,
} from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };

let server: Awaited<ReturnType<typeof startServer>>;
/** The server under a name: browsers make no passkeys for IP addresses. */
let url: string;
test.beforeAll(async () => {
  server = await startServer({ fixture: { operators: [ADA] } });
  url = server.url.replace("127.0.0.1", "localhost");
});
test.afterAll(async () => {
  await server.stop();
});
test.describe.configure({ mode: "serial" });

/** Gives the browser's page an authenticator that checks its person, as a phone does. */
async function addAuthenticator(page: Page, context: BrowserContext) {
  const client = await context.newCDPSession(page);
  await client.send("WebAuthn.enable");
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: (isUserVerified: boolean) =>
      client.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
  };
}

test("a passkey is added, named, signs in alone, confirms a step, and is removed", {
  tag: "@deep",
}, async ({ page, context }) => {
  const authenticator = await addAuthenticator(page, context);
  await page.goto(`${url}/sign-in`);
  await signIn(page, ADA.email, ADA.password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  await page.goto(`${url}/dashboard/security`);
  await expectAccessible(page);
  await page.getByLabel("Name of the passkey").fill("Phone");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const passkeys = page.getByRole("list", { name: "Passkeys" }).getByRole("listitem");
  await expect(passkeys).toHaveCount(1);
  await expect(passkeys).toContainText("Phone");
  // The recovery codes are shown once.
  await expect(page.getByText(/^([a-z0-9]{4}-){5}[a-z0-9]{4} /)).toBeVisible();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByText(/^([a-z0-9]{4}-){5}[a-z0-9]{4} /)).toHaveCount(0);
  await passkeys.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Name of the passkey").fill("Laptop");
  await page.getByRole("button", { name: "Save the name" }).click();
  await expectNotice(page, "The name is saved.");
  await expect(passkeys).toContainText("Laptop");

  await signOut(page);
  await expect(page).toHaveURL(`${url}/sign-in`);
  await authenticator.setVerified(false);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("alert")).toContainText("The browser gave no passkey.");
  await authenticator.setVerified(true);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();

  await page.goto(`${url}/dashboard/security`);
  await server.withDatabase(() =>
    withDatabase((db) =>
      db.execute(sql`update sessions set confirmed_at = confirmed_at - interval '11 minutes'`),
    ),
  );
  await passkeys.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove the passkey" }).click();
  await expect(page.getByText("Enter your password to go on.")).toBeVisible();
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await expectNotice(page, "The passkey is removed.");
  await expect(passkeys).toHaveCount(0);

  await signOut(page);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("alert")).toHaveText("This passkey was not accepted.");
});

test("an authenticator app is set up, and a recovery code signs in in its place", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(`${url}/sign-in`);
  await signIn(page, ADA.email, ADA.password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  await page.goto(`${url}/dashboard/security`);
  await page.getByRole("button", { name: "Set up an app" }).click();
  await expect(page.getByRole("img", { name: "Code for the authenticator app" })).toBeVisible();
  const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? "";
  await page.getByLabel("Authenticator code").fill("000000");
  await page.getByRole("button", { name: "Set up", exact: true }).click();
  await expect(page.getByLabel("Authenticator code")).toHaveAccessibleDescription("Wrong code.");
  await expectAccessible(page);
  const { Secret, TOTP } = await import("otpauth");
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await page.getByLabel("Authenticator code").fill(code);
  await page.getByRole("button", { name: "Set up", exact: true }).click();
  const codes = await page.getByText(/^([a-z0-9]{4}-){5}[a-z0-9]{4} /).textContent();
  await signOut(page);
  await signIn(page, ADA.email, ADA.password);
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("Code").fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByLabel("Code")).toHaveAccessibleDescription("Wrong code.");
  await page.getByLabel("Code").fill(codes?.split(" ")[0] ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
});
