import { expect, type Page } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  openMenu,
  startServer,
  test,
} from "../../support/e2e/server";
import { createCodes } from "../../support/gift-cards";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const BASE = `/dashboard/${HARBOUR}`;

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "b")}`;

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer({
    fixture: {
      operators: [ADA, VIC],
      pointSystems: [
        {
          operator: ADA.email,
          id: HARBOUR,
          name: "Harbour",
          slug: null,
          triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
          events: [
            ...[1, 2].map((i) => ({ address: toWallet(i), points: 1_000 + i, event: null })),
            ...[3, 4, 5].map((i) => ({ address: toWallet(i), points: 100 + i, event: null })),
            { address: toWallet(66), points: 5_000, event: null },
          ],
          blacklist: [{ address: toWallet(66) }],
        },
      ],
    },
    members: [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }],
  });
});
test.afterAll(async () => {
  await server.stop();
});
test.use({ locale: "en-US", timezoneId: "UTC" });

async function open(page: Page, path: string, operator = ADA): Promise<void> {
  await enter(page, server.url, operator);
  await page.goto(server.url + path);
}

/** Creates a draft with two tiers and leaves its page open. */
async function createDraft(page: Page, name: string): Promise<string> {
  await page.goto(`${server.url}${BASE}/gift-cards/new`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await page.getByLabel("Name of tier 1").fill("Gold");
  await page.getByLabel("Points of tier 1").fill("1000");
  await page.getByLabel("Name of tier 2").fill("Silver");
  await page.getByLabel("Points of tier 2").fill("100");
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.waitForURL(/\/gift-cards\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name })).toBeVisible();
  return new URL(page.url()).pathname;
}

async function paste(page: Page, reward: string, tier: string, codes: string): Promise<void> {
  await page.goto(`${server.url}${reward}/codes`);
  await page.getByLabel("Tier").selectOption(tier);
  await page.getByLabel("Codes").fill(codes);
  // Leaving the page before its answer would cancel the request.
  const answered = page.waitForResponse((response) => response.request().method() === "POST");
  await page.getByRole("button", { name: "Add the codes" }).click();
  await answered;
}

const row = (page: Page, table: string, text: string) =>
  page.getByRole("table", { name: table }).locator("tbody tr").filter({ hasText: text });

test("gift cards are made, stocked, published, given away in part and then whole", async ({
  page,
}) => {
  await open(page, BASE);
  const reward = await createDraft(page, "Spring thanks");
  await expectAccessible(page);
  await paste(page, reward, "Gold", createCodes(2).join("\n"));
  await expectNotice(page, "2 codes are added to Gold.");
  const [first = "", ...others] = createCodes(2);
  await paste(page, reward, "Silver", `${first}\n\n ${first} \n${others.join("\n")}\n`);
  await expectNotice(page, "2 codes are added to Silver. 1 line repeats another.");
  await expect(row(page, "Tiers", "Silver")).toContainText("2");
  await paste(page, reward, "Gold", `${first}\n${"x".repeat(1_001)}`);
  await expectNotice(page, "No code was added to Gold. 1 code is in this reward already.");
  await expectNotice(page, "line 2 is longer than 1,000 characters");
  expect(await page.content()).not.toContain(first);

  await page.getByRole("link", { name: "Preview" }).click();
  await expect(row(page, "Preview", "Gold")).toHaveText(/^Gold2020$/);
  await expect(row(page, "Preview", "Silver")).toHaveText(/^Silver3021$/);
  await expect(page.getByText("1 code is missing")).toBeVisible();
  await expect(page.getByRole("table", { name: "Left out" })).toContainText("5,000");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await expectNotice(page, "Spring thanks is published");
  await page.getByRole("button", { name: "Distribute" }).click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Distribute" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("There are too few codes: 1 more in Silver.");
  await expectAccessible(page);
  await dialog.getByLabel("Distribute to the wallets with the most points").check();
  await dialog.getByRole("button", { name: "Distribute" }).click();
  await expectNotice(page, "4 cards are distributed. The codes did not reach 1 wallet.");
  const recipients = page.getByRole("table", { name: "Recipients" }).locator("tbody tr");
  await expect(recipients).toHaveCount(4);
  await expectAccessible(page);
  const href = await page.getByRole("link", { name: "Export CSV" }).getAttribute("href");
  const file = (await (await page.request.get(server.url + href)).text()).trim().split("\n");
  expect(file[0]).toBe("wallet,tier,distributed at,revealed,claimed at");
  expect(file).toHaveLength(5);
  expect(file[1]).toMatch(/^0x[0-9a-f]{40},(Gold|Silver),[^,]+,no,$/);
  await page.getByLabel("Find a wallet").fill(toWallet(3));
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("No entries for this wallet")).toBeVisible();
  await page.getByLabel("Find a wallet").fill("nonsense");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByLabel("Find a wallet")).toHaveAccessibleDescription(/Invalid address/);

  await paste(page, reward, "Silver", createCodes(3).join("\n"));
  await expectNotice(page, "3 codes are added to Silver.");
  await page.getByRole("button", { name: "Distribute again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Distribute" }).click();
  await expectNotice(page, "1 card is distributed.");
  await expect(recipients).toHaveCount(5);
  await page.getByRole("link", { name: "Reveals" }).click();
  await expect(page.getByText("No reveals yet")).toBeVisible();
  await page.getByRole("link", { name: "Stock" }).click();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove the codes" }).click();
  await expectNotice(page, "2 codes removed from Silver.");
  await page.goto(`${server.url}${BASE}/audit-log`);
  await expect(page.getByText("Distributed gift cards").last()).toBeVisible();
});

test("what cannot be taken is refused beside its field, and codes do not come back", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page, `${BASE}/gift-cards/new`);
  await page.getByRole("button", { name: "Create draft" }).click();
  await expect(
    page.getByRole("textbox", { name: "Name", exact: true }),
  ).toHaveAccessibleDescription(/Enter a name/);
  const tiers = page.getByRole("group", { name: "Tiers" });
  const expectRefusal = (text: RegExp) => expect(tiers).toHaveAccessibleDescription(text);
  await expectRefusal(/at least one tier/);
  await expectAccessible(page);
  await page.getByLabel("Name of tier 1").fill("Gold");
  await page.getByLabel("Points of tier 1").fill("1,000");
  const save = () => page.getByRole("button", { name: "Create draft" }).click();
  await save();
  await expectRefusal(/Tier 1 needs whole points/);
  await page.getByLabel("Points of tier 1").fill("10");
  await page.getByRole("button", { name: "Add a tier" }).click();
  await page.getByLabel("Name of tier 4").fill("Silver");
  await page.getByLabel("Points of tier 4").fill("10");
  await save();
  await expectRefusal(/Tier 2 starts at the same points/);
  await expect(page.getByLabel("Name of tier 1")).toHaveValue("Gold");

  const reward = await createDraft(page, "Refusals");
  await page.goto(`${server.url}${reward}/codes`);
  const codes = page.getByLabel("Codes");
  const file = page.getByLabel("Or a file");
  const upload = async (content: Buffer, name = "codes.txt") => {
    await file.setInputFiles({ name, mimeType: "text/plain", buffer: content });
    await page.getByRole("button", { name: "Add the codes" }).click();
  };
  await page.getByRole("button", { name: "Add the codes" }).click();
  await expect(codes).toHaveAccessibleDescription(/Paste at least one code/);
  await expectAccessible(page);
  await upload(Buffer.from("A\0B"));
  await expect(file).toHaveAccessibleDescription(/not UTF-8/);
  await upload(Buffer.alloc(10 * 1024 * 1024 + 1, "code\n"));
  await expect(file).toHaveAccessibleDescription(/larger than 10 MiB/);
  await upload(Buffer.from(Array.from({ length: 50_001 }, (_, i) => `c${i}`).join("\n")));
  await expect(file).toHaveAccessibleDescription(/more than 50,000/);
  await upload(Buffer.from(" \n"));
  await expect(file).toHaveAccessibleDescription(/no codes/);
  await codes.fill("SECRET-1");
  await upload(Buffer.from("SECRET-2"));
  await expect(codes).toHaveAccessibleDescription(/not both/);
  await page.goto(`${server.url}${reward}/edit`);
  await page.getByLabel("Name of tier 2").fill("Pewter");
  await page.getByLabel("Points counted").selectOption("balance");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(row(page, "Tiers", "Pewter")).toBeVisible();
  await expect(page.getByText("Balance: points that are not spent")).toBeVisible();
  await paste(page, reward, "Pewter", "SECRET-3");
  await expectNotice(page, "added to Pewter");
  await page.goto(`${server.url}${reward}/edit`);
  await expect(page.getByLabel("Points counted")).toHaveValue("balance");
  await page.getByLabel("Name of tier 2").fill("Tin");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The tier “Pewter” has codes")).toBeVisible();
  await page.goto(server.url + reward);
  await openMenu(page);
  await page.getByRole("button", { name: "Cancel reward" }).click();
  await page.getByRole("button", { name: "Cancel the reward" }).click();
  await expectNotice(page, "Refusals is cancelled.");
  await expect(page.getByRole("link", { name: "Add codes" })).toHaveCount(0);
  const answer = await page.goto(`${server.url}${reward}/codes`);
  expect(answer?.status()).toBe(409);
  await expect(page.getByText("This reward has changed. Check it again.")).toBeVisible();
  await expectAccessible(page);
});

test("gift cards can be made and given away without JavaScript", { tag: "@deep" }, async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await open(page, BASE);
  const reward = await createDraft(page, "Plain thanks");
  await paste(page, reward, "Gold", "  \n");
  await expect(page.getByLabel("Codes")).toHaveAccessibleDescription(/at least one code/);
  await paste(page, reward, "Gold", createCodes(2).join("\n"));
  await paste(page, reward, "Silver", createCodes(3).join("\n"));
  await page.locator("summary", { hasText: "Publish" }).click();
  await page.getByRole("button", { name: "Publish" }).click();
  await page.locator("summary", { hasText: "Distribute" }).click();
  await page.getByRole("button", { name: "Distribute" }).click();
  await expect(page.getByRole("table", { name: "Recipients" }).locator("tbody tr")).toHaveCount(5);
  await context.close();
});

test("a draft that a colleague changed meanwhile is refused, shown as it is now, and published then", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page, BASE);
  const reward = await createDraft(page, "Before");
  const other = await page.context().newPage();
  await other.goto(`${server.url}${reward}/edit`);
  await other.getByRole("textbox", { name: "Name", exact: true }).fill("After");
  await other.getByRole("button", { name: "Save" }).click();
  await expect(other.getByRole("heading", { name: "After", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Publish" }).click();
  const publish = page.getByRole("dialog").getByRole("button", { name: "Publish" });
  await publish.click();
  await expect(page.getByText("This reward has changed. Check it again.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Publish After?" })).toBeVisible();
  await publish.click();
  await expect(page.getByText("After is published.")).toBeVisible();
});

test("a viewer sees numbers and no controls", { tag: "@deep" }, async ({ page }) => {
  await open(page, BASE);
  const reward = await createDraft(page, "For viewers");
  await page.context().clearCookies();
  await open(page, reward, VIC);
  await expect(row(page, "Tiers", "Gold")).toBeVisible();
  await expect(page.getByRole("button", { name: /Publish|More actions|Remove/ })).toHaveCount(0);
  await expect(page.getByRole("link", { name: /Add codes|Edit/ })).toHaveCount(0);
  for (const intent of ["publish", "cancel", "distribute", "removeCodes"]) {
    const answer = await page.request.post(server.url + reward, {
      form: { intent, rule: "everyone", tier: "Gold" },
      headers: { Origin: server.url },
    });
    expect(answer.status(), intent).toBe(403);
  }
  for (const path of ["/edit", "/codes"]) {
    expect((await page.request.get(server.url + reward + path)).status(), path).toBe(403);
  }
});

test("nothing sticks out at 390 px", { tag: "@deep" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `${BASE}/gift-cards/new`);
  await expectNoOverflow(page);
  await expectAccessible(page);
  const reward = await createDraft(page, `A ${"long-".repeat(15)} name`);
  await paste(page, reward, "Gold", createCodes(2).join("\n"));
  await paste(page, reward, "Silver", createCodes(5).join("\n"));
  await page.goto(server.url + reward);
  await page.getByRole("button", { name: "Publish" }).click();
  await expectNoOverflow(page);
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByRole("button", { name: "Distribute" }).click();
  await expectNoOverflow(page);
  await page.getByRole("dialog").getByRole("button", { name: "Distribute" }).click();
  await expect(page.getByRole("table", { name: "Recipients" })).toBeVisible();
  for (const view of ["stock", "preview", "recipients", "reveals"]) {
    await page.goto(`${server.url}${reward}?view=${view}`);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  await page.goto(`${server.url}${reward}/codes`);
  await expectNoOverflow(page);
  await expectAccessible(page);
});
