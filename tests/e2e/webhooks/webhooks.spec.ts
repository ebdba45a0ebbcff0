import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  openMenu,
  startServer,
  type TestServer,
  test,
} from "../../support/e2e/server";
import {
  type Received,
  startReceiver,
  verifyReceived,
  type WebhookReceiver,
} from "../../support/webhook-receiver";

const ADA = { name: "Ada", email: "ada.webhooks@example.com", password: "correct horse battery" };
const EVE = { name: "Eve", email: "eve.webhooks@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-000000000031";
const WALLET = "0x00000000000000000000000000000000000000aa";

let server: TestServer;
let receiver: WebhookReceiver;
test.beforeAll(async () => {
  receiver = await startReceiver();
  server = await startServer({
    env: { WEBHOOK_ALLOW_PRIVATE: "127.0.0.1" },
    fixture: {
      operators: [ADA, EVE],
      pointSystems: [
        { operator: ADA.email, id: HARBOUR, name: "Harbour", slug: null, triggers: [] },
      ],
    },
    members: [{ email: EVE.email, pointSystemId: HARBOUR, role: "viewer" }],
  });
});
test.afterAll(async () => {
  await server.stop();
  await receiver.close();
});

const list = () => `${server.url}/dashboard/${HARBOUR}/webhooks`;

const readSecret = async (page: Page) =>
  (await page.getByText(/^whsec_[A-Za-z0-9+/]{43}=$/).textContent()) ?? "no secret is shown";

/** Creates an endpoint for everything and opens its page. */
async function create(page: Page, url = receiver.url): Promise<string> {
  await page.goto(list());
  await page.getByLabel("URL").fill(url);
  await page.getByLabel("trigger.changed").check();
  await page.getByRole("button", { name: "Create the webhook" }).click();
  const secret = await readSecret(page);
  await page.getByRole("link", { name: "I have copied it" }).click();
  await page.waitForURL(/\/webhooks\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { level: 1, name: url })).toBeVisible();
  expect(await page.content()).not.toContain(secret);
  return secret;
}

async function grant(page: Page, points: number): Promise<void> {
  const here = page.url();
  await page.goto(`${server.url}/dashboard/${HARBOUR}/wallets/${WALLET}`);
  await page.getByLabel("Points").fill(String(points));
  await page.getByRole("button", { name: "Grant points" }).click();
  await expectNotice(page, "points");
  await page.goto(here);
}

const sent = (count: number) => expect.poll(() => receiver.received.length).toBe(count);

async function expectShown(page: Page, text: string): Promise<void> {
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(text).first()).toBeVisible({ timeout: 500 });
  }).toPass();
}

/** Walks through an endpoint's life. */
async function walk(page: Page, hasScripts: boolean): Promise<void> {
  const press = hasScripts ? pressDialog : pressDetails;
  await enter(page, server.url, ADA);
  receiver.clear();
  const first = await create(page);
  await page.getByRole("button", { name: "Send a test" }).click();
  await sent(1);
  verifyReceived(receiver.received[0] as Received, first);
  await grant(page, 7);
  await sent(2);
  verifyReceived(receiver.received[1] as Received, first);
  await expectShown(page, "Up to date");
  await expectNoOverflow(page);

  await page.getByRole("link", { name: "points.credited" }).click();
  await expect(page.getByText(`"address": "${WALLET}"`)).toBeVisible();
  await expect(page.getByText("The answer had no body.")).toBeVisible();
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Send again" }).click();
  await expectNotice(page, "will be sent again");
  await sent(3);
  expect(receiver.received[2]?.id).toBe(receiver.received[1]?.id);

  await page.getByLabel("wallet.blacklisted").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expectNotice(page, "Changes saved");
  await expect(page.getByLabel("wallet.blacklisted")).toBeChecked();

  await openMenu(page);
  await press(page, "Rotate the secret", "Rotate the secret");
  const second = await readSecret(page);
  expect(second).not.toBe(first);
  await page.getByRole("link", { name: "I have copied it" }).click();
  await expect(page.getByText("Also signs until")).toBeVisible();

  await openMenu(page);
  await press(page, "Switch off", "Switch off");
  await expectNotice(page, "The webhook is off");
  await grant(page, 8);
  await press(page, "Switch on", "Switch on");
  await sent(4);
  verifyReceived(receiver.received[3] as Received, second);
  verifyReceived(receiver.received[3] as Received, first);

  await expectShown(page, "Up to date");
  await page.getByRole("button", { name: "Send again" }).click();
  await expectNotice(page, "2 deliveries will be sent again");
  await sent(6);

  await openMenu(page);
  await press(page, "Delete", "Delete the webhook");
  await expectNotice(page, "is deleted");
  await expect(page.getByText("No webhooks yet")).toBeVisible();
}

/** Opens a question and confirms it. */
async function pressDialog(page: Page, label: string, confirmLabel: string): Promise<void> {
  await page.getByRole("button", { name: label, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: confirmLabel }).click();
}

/** Opens a question and confirms it, without scripts. */
async function pressDetails(page: Page, label: string, confirmLabel: string): Promise<void> {
  await page.locator("summary", { hasText: label }).click();
  await page.locator("details[open]").getByRole("button", { name: confirmLabel }).click();
}

async function inContext(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0],
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context: BrowserContext = await browser.newContext(options);
  await work(await context.newPage());
  await context.close();
}

test("an endpoint is created, tested, read, rotated, switched off and on, replayed and deleted", async ({
  page,
}) => {
  test.setTimeout(90_000);
  await walk(page, true);
});

test("without scripts on a phone, the same can be done", { tag: "@deep" }, async ({ browser }) => {
  test.setTimeout(90_000);
  const viewport = { width: 390, height: 844 };
  await inContext(browser, { javaScriptEnabled: false, viewport }, (page) => walk(page, false));
});

test("a bad URL and no events are refused beside their fields", { tag: "@deep" }, async ({
  page,
}) => {
  await enter(page, server.url, ADA);
  await page.goto(list());
  await page.getByLabel("URL").fill("ftp://example.com");
  for (const type of ["points.credited", "points.voided"]) await page.getByLabel(type).uncheck();
  await page.getByRole("button", { name: "Create the webhook" }).click();
  await expect(page.getByLabel("URL")).toHaveAccessibleDescription(/Enter a URL such as/);
  await expect(page.getByRole("group", { name: "Events" })).toHaveAccessibleDescription(
    /Choose at least one event/,
  );
  await expectAccessible(page);
});

test("a viewer sees endpoints and deliveries, and no controls; a host of this network is not called", {
  tag: "@deep",
}, async ({ page, browser }) => {
  await enter(page, server.url, ADA);
  // Not in WEBHOOK_ALLOW_PRIVATE.
  await create(page, "http://127.0.0.2:9/hook");
  const here = page.url();
  await page.getByRole("button", { name: "Send a test" }).click();
  await expectShown(page, "The host has no address, or one that may not be called");
  await expectAccessible(page);
  await inContext(browser, {}, async (viewer) => {
    await enter(viewer, server.url, EVE);
    await viewer.goto(list());
    await expect(viewer.getByRole("link", { name: "http://127.0.0.2:9/…" })).toBeVisible();
    await viewer.goto(here);
    await viewer.getByRole("link", { name: "webhook.test" }).click();
    await expect(viewer.getByText('"type": "webhook.test"')).toBeVisible();
    for (const url of [list(), here, viewer.url()]) {
      await viewer.goto(url);
      await expect(viewer.getByRole("heading", { level: 1 })).toBeVisible();
      const controls = viewer.getByRole("main").getByRole("button");
      await expect(controls.filter({ hasNotText: /^Copy/ })).toHaveCount(0);
    }
  });
});
