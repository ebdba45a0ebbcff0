import { expect, type Page } from "@playwright/test";
import { enter, expectAccessible, type TestServer, test } from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada.triggers@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-000000000004";
const EMPTY = "22222222-2222-4222-8222-000000000004";
const KEY = `rw_${"0a".repeat(16)}`;
const WALLET = `0x${"ab".repeat(20)}`;
const BANNED = `0x${"cd".repeat(20)}`;
const MARKUP = `<img src=x onerror="alert(1)">`;

const FIXTURE = {
  operators: [ADA],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: null,
      triggers: [
        { name: `Daily ${MARKUP}`, key: "daily_login", points: 1_234, active: true },
        { name: "Old", key: "old", points: 5, active: false },
        {
          name: "Zebra crossing",
          key: "z".repeat(100),
          points: 1_000_000_000,
          variable: { min: 1, max: 1_000_000_000 },
        },
      ],
      blacklist: [{ address: BANNED }],
    },
    { operator: ADA.email, id: EMPTY, name: "Empty", slug: null, triggers: [] },
  ],
  apiKeys: [
    { operator: ADA.email, name: "test", key: KEY, permission: "all", pointSystems: [HARBOUR] },
  ],
};

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load(FIXTURE);
});
test.beforeEach(async ({ page }) => {
  await enter(page, server.url, ADA);
});

const list = () => `${server.url}/dashboard/${HARBOUR}/triggers`;
const keyField = (page: Page) => page.getByLabel("Trigger key", { exact: true });
const textField = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const pointsField = (page: Page) => textField(page, "Points");

async function fire(page: Page, triggerKey: string, points?: number) {
  const response = await page.request.post(`${server.url}/trigger`, {
    headers: { Authorization: `Bearer ${KEY}` },
    data: { triggerKey, walletAddress: WALLET, pointSystemId: HARBOUR, points },
  });
  return { status: response.status(), body: await response.json() };
}

async function getPoints(page: Page): Promise<number> {
  const response = await page.request.get(
    `${server.url}/wallet?pointSystemId=${HARBOUR}&address=${WALLET}`,
    { headers: { Authorization: `Bearer ${KEY}` } },
  );
  return response.status() === 404 ? 0 : (await response.json()).points;
}

test("a point system without triggers says what one is, and leads to the first", async ({
  page,
}) => {
  await page.goto(`${server.url}/dashboard/${EMPTY}/triggers`);
  await expect(page.getByText("No triggers yet")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Create the first one" }).click();
  await expect(page).toHaveURL(`${server.url}/dashboard/${EMPTY}/triggers/new`);
  await expect(page.getByRole("heading", { name: "New trigger" })).toBeVisible();
});

test("a trigger is made with its key shown as it will be, refused when taken, and works at once", async ({
  page,
}) => {
  await page.goto(list());
  await page.getByRole("link", { name: "New trigger" }).click();
  await page.getByLabel("Event name").fill("Daily Login");
  await expect(keyField(page)).toHaveValue("daily_login");
  await expect(keyField(page)).toHaveAccessibleDescription(/Saved as daily_login$/);
  await pointsField(page).fill("0");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the trigger" }).click();
  await expect(pointsField(page)).toHaveAccessibleDescription(/from 1 to 1,000,000,000/);
  await expect(pointsField(page)).toBeFocused();
  await pointsField(page).fill("40");
  await page.getByRole("button", { name: "Create the trigger" }).click();
  await expect(keyField(page)).toHaveAccessibleDescription(
    /^The trigger “Daily <img src=x.*” already uses this key\./,
  );
  await expectAccessible(page);

  await keyField(page).fill("First-Visit of Ä 2");
  await expect(keyField(page)).toHaveAccessibleDescription(/Saved as firstvisit_of__2$/);
  await page.getByLabel("Event name").fill("First visit");
  await expect(keyField(page)).toHaveValue("First-Visit of Ä 2");
  await page.getByRole("button", { name: "Create the trigger" }).click();
  await expect(page).toHaveURL(`${list()}/firstvisit_of__2`);
  await expect(page.getByRole("heading", { name: "First visit" })).toBeVisible();
  await expect(page.getByText("First visit is ready to use.")).toBeVisible();
  expect(await fire(page, "firstvisit_of__2")).toMatchObject({
    status: 200,
    body: { pointsAdded: 40 },
  });
  await expectAccessible(page);
});

test("a trigger is turned off and on in the list, and calls are refused meanwhile", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(list());
  const toggle = page.getByRole("switch", { name: "Daily <img" });
  await expect(toggle).toBeChecked();
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/triggers.data**", async (route) => {
    await isAnswered;
    await route.continue();
  });
  await toggle.click();
  // The toggle changes before the server answers.
  await expect(toggle).not.toBeChecked();
  expect(await fire(page, "daily_login")).toMatchObject({ status: 200 });
  answer();
  await expect(page.getByText("is inactive. Its calls are rejected.")).toBeVisible();
  expect(await fire(page, "daily_login")).toMatchObject({ status: 403 });
  await page.reload();
  await expect(toggle).not.toBeChecked();
  await toggle.press("Enter");
  await expect(toggle).toBeChecked();
  await expect(page.getByText("is active.")).toBeVisible();
  expect(await fire(page, "daily_login")).toMatchObject({ status: 200 });
  await expectAccessible(page);
});

test("name and points are changed, the key is not", { tag: "@deep" }, async ({ page }) => {
  await page.goto(list());
  await page.getByRole("link", { name: "Old" }).click();
  await page.getByLabel("Event name").fill("Older");
  await pointsField(page).fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The trigger is saved.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Older" })).toBeVisible();
  await expect(page).toHaveURL(`${list()}/old`);
  await expect(page.getByText("The key cannot be changed")).toBeVisible();
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByText("Older is active.")).toBeVisible();
  expect(await fire(page, "old")).toMatchObject({ body: { pointsAdded: 7 } });
});

test("a trigger of variable points is made, shows its limits and its call, and is made fixed", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(`${list()}/new`);
  await expect(textField(page, "Minimum points")).toBeHidden();
  await page.getByLabel("Variable points").check();
  await expect(pointsField(page)).toHaveCount(0);
  await textField(page, "Event name").fill("Purchase");
  await textField(page, "Default points").fill("50");
  await textField(page, "Minimum points").fill("5");
  await textField(page, "Maximum points").fill("x");
  await page.getByRole("button", { name: "Create the trigger" }).click();
  await expect(textField(page, "Maximum points")).toHaveAccessibleDescription(/whole number/);
  await expect(textField(page, "Maximum points")).toBeFocused();
  await textField(page, "Minimum points").fill("60");
  await textField(page, "Maximum points").fill("500");
  await page.getByRole("button", { name: "Create the trigger" }).click();
  await expect(textField(page, "Default points")).toHaveAccessibleDescription(
    "Enter at least the minimum points",
  );
  await expectAccessible(page);
  await textField(page, "Minimum points").fill("5");
  await page.getByRole("button", { name: "Create the trigger" }).click();
  await expect(page.getByText("Purchase is ready to use.")).toBeVisible();
  await expect(page.getByText("5 to 500, 50 by default")).toBeVisible();
  await expect(page.locator("pre")).toContainText(`"points": 50`);
  await expectAccessible(page);
  expect(await fire(page, "purchase", 70)).toMatchObject({ body: { pointsAdded: 70 } });
  await page.getByLabel("Wallet address").fill(WALLET);
  await page.getByRole("button", { name: "Credit the points" }).click();
  await expect(page.getByText(`50 points credited to ${WALLET}.`)).toBeVisible();
  await page.goto(list());
  await expect(page.getByRole("cell", { name: "5 to 500, 50 by default" })).toBeVisible();

  await page.getByRole("link", { name: "Purchase" }).click();
  await expect(textField(page, "Maximum points")).toHaveValue("500");
  await page.getByLabel("Fixed points").check();
  await expect(textField(page, "Maximum points")).toBeHidden();
  await pointsField(page).fill("8");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The trigger is saved.")).toBeVisible();
  await expect(page.getByText("by default", { exact: false })).toBeHidden();
  expect(await fire(page, "purchase", 70)).toMatchObject({ body: { pointsAdded: 8 } });
});

test("the call stands there in curl and TypeScript, with this system's id, to be copied", {
  tag: "@deep",
}, async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${list()}/daily_login`);
  const readCopy = async () => {
    await page.getByRole("button", { name: "Copy the call" }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await expect.poll(readCopy).toContain(`curl -X POST ${server.url}/trigger`);
  await page.getByRole("navigation", { name: "Languages" }).getByText("TypeScript").click();
  await expect(page.locator("pre")).toContainText(`fetch("${server.url}/trigger"`);
  await expect.poll(readCopy).toContain(`"Idempotency-Key"`);
  for (const text of [`"pointSystemId": "${HARBOUR}"`, `"triggerKey": "daily_login"`]) {
    expect(await readCopy()).toContain(text);
  }
  await expectAccessible(page);
});

test("a test fire credits for real, and is refused for a blacklisted wallet and for nonsense", async ({
  page,
}) => {
  await page.goto(`${list()}/daily_login`);
  const before = await getPoints(page);
  const address = page.getByLabel("Wallet address");
  const submit = page.getByRole("button", { name: "Credit the points" });
  await address.fill("0x12");
  await submit.click();
  await expect(address).toHaveAccessibleDescription(/^Enter an address/);
  await address.fill(BANNED);
  await submit.click();
  await expect(address).toHaveAccessibleDescription("Wallet is blacklisted.");
  await expectAccessible(page);
  await address.fill(WALLET.toUpperCase().replace("0X", "0x"));
  await submit.click();
  await expect(page.getByText(`1234 points credited to ${WALLET}.`)).toBeVisible();
  expect(await getPoints(page)).toBe(before + 1_234);
});

test("a trigger is deleted after a question, and its events stay", { tag: "@deep" }, async ({
  page,
}) => {
  await page.goto(`${list()}/daily_login`);
  await fire(page, "daily_login");
  const before = await getPoints(page);
  await page.getByRole("button", { name: "Delete the trigger" }).click();
  const question = page.getByRole("dialog");
  await expect(question).toContainText("Its events stay");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(list());
  await expect(page.getByRole("switch", { name: /Daily/ })).toHaveCount(0);
  expect(await fire(page, "daily_login")).toMatchObject({ status: 404 });
  expect(await getPoints(page)).toBe(before);
  expect((await page.goto(`${list()}/daily_login`))?.status()).toBe(404);
});

test("at 390 px nothing sticks out, and every page passes there too", { tag: "@deep" }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["", "/new", `/${"z".repeat(100)}`, `/${"z".repeat(100)}?call=typescript`]) {
    await page.goto(list() + path);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overflow, path).toBe(0);
    await expectAccessible(page);
  }
});

test.describe("without JavaScript", { tag: "@deep" }, () => {
  test.use({ javaScriptEnabled: false });

  test("a trigger of variable points is made and changed alike", async ({ page }) => {
    await page.goto(`${list()}/new`);
    await textField(page, "Event name").fill("Bare");
    await keyField(page).fill("bare");
    await page.getByLabel("Variable points").check();
    await textField(page, "Default points").fill("3");
    await textField(page, "Minimum points").fill("4");
    await textField(page, "Maximum points").fill("5");
    await page.getByRole("button", { name: "Create the trigger" }).click();
    await expect(textField(page, "Default points")).toHaveAccessibleDescription(/at least/);
    await textField(page, "Default points").fill("4");
    await page.getByRole("button", { name: "Create the trigger" }).click();
    await expect(page.getByText("4 to 5, 4 by default")).toBeVisible();
    await page.getByLabel("Fixed points").check();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("4 to 5, 4 by default")).toHaveCount(0);
  });

  test("a trigger is made, turned off, tested and deleted alike", async ({ page }) => {
    await page.goto(`${list()}/new`);
    await page.getByLabel("Event name").fill("Plain");
    await pointsField(page).fill("3");
    await page.getByRole("button", { name: "Create the trigger" }).click();
    await expect(keyField(page)).toHaveAccessibleDescription(/^Enter a key/);
    await expect(page.getByLabel("Event name")).toHaveValue("Plain");
    await keyField(page).fill("Plain Key");
    await page.getByRole("button", { name: "Create the trigger" }).click();
    await expect(page).toHaveURL(`${list()}/plain_key`);
    await page.getByLabel("Wallet address").fill(WALLET);
    await page.getByRole("button", { name: "Credit the points" }).click();
    await expect(page.getByText(`3 points credited to ${WALLET}.`)).toBeVisible();
    await page.goto(list());
    await page.getByRole("switch", { name: "Plain is active" }).click();
    await expect(page).toHaveURL(list());
    await expect(page.getByRole("switch", { name: "Plain is active" })).not.toBeChecked();
    await page.getByRole("link", { name: "Plain" }).click();
    await page.getByText("Delete the trigger").click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect(page).toHaveURL(list());
    await expect(page.getByRole("link", { name: "Plain" })).toHaveCount(0);
  });
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
    test.use({ javaScriptEnabled });

    test("an editor caps a trigger, errors stand beside the fields, and pages say the cap in words", async ({
      page,
    }) => {
      const key = `capped_${crypto.randomUUID().slice(0, 8)}`;
      await page.goto(`${list()}/new`);
      await textField(page, "Event name").fill("Weekly quest");
      await keyField(page).fill(key);
      await pointsField(page).fill("10");
      await expect(textField(page, "At most this many times")).toBeHidden();
      await page.getByLabel("Capped").check();
      await page.getByLabel("Time span").selectOption("weekly");
      await page.getByLabel("Time zone").selectOption("Europe/Berlin");
      await textField(page, "At most this many points").fill("5");
      await page.getByRole("button", { name: "Create the trigger" }).click();
      await expect(page.getByText("Enter at least the points of one call")).toBeVisible();
      await expect(page.getByLabel("Time zone")).toHaveValue("Europe/Berlin");
      await textField(page, "At most this many points").fill("15");
      await textField(page, "At most this many times").fill("3");
      await page.getByRole("button", { name: "Create the trigger" }).click();
      const sentences = [
        "At most 3 times per week for each wallet",
        "At most 15 points per week for each wallet",
      ];
      for (const sentence of sentences) await expect(page.getByText(sentence)).toBeVisible();
      // axe is a script.
      if (javaScriptEnabled) await expectAccessible(page);
      await page.goto(list());
      const row = page.getByRole("row").filter({ hasText: key });
      for (const sentence of sentences) await expect(row.getByText(sentence)).toBeVisible();
      expect((await fire(page, key)).status).toBe(200);
      expect((await fire(page, key)).body.code).toBe("trigger_cap_reached");
    });
  });
}
