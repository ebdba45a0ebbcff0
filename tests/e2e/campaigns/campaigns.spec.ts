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

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const DISTRIBUTED = "22222222-2222-4222-8222-222222222222";
const REWARDS = `/dashboard/${HARBOUR}/rewards`;

const QUAY = "33333333-3333-4333-8333-333333333333";
const QUAYS = "44444444-4444-4444-8444-444444444444";

const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "b")}`;
const BANNED = toWallet(66);
const toDistributed = (id: string, campaignId: string, onchainId: string) => ({
  kind: "token",
  id,
  campaignId,
  campaignName: "Season zero",
  tokenType: "ethereum",
  tokenSymbol: "ETH",
  tokenDecimals: 18,
  chainId: 84532,
  totalAmount: "1000.5",
  minPoints: 100,
  maxPoints: 5000,
  status: "distributed",
  airdrop: {
    onchainId,
    contractAddress: `0x${"22".repeat(20)}`,
    status: "active",
  },
  distributions: "auto",
});
const FIXTURE = {
  operators: [ADA, VIC],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: null,
      triggers: [],
      events: [
        ...Array.from({ length: 40 }, (_, i) => ({
          address: toWallet(i),
          points: (i + 1) ** 3,
          event: null,
        })),
        { address: BANNED, points: 999, event: null },
      ],
      blacklist: [{ address: BANNED }],
      rewards: [toDistributed(DISTRIBUTED, "CMP-7F3K", "7")],
    },
    {
      operator: ADA.email,
      id: QUAY,
      name: "Quay",
      slug: null,
      events: [500, 5, 40].map((points, i) => ({ address: toWallet(i), points, event: null })),
      rewards: [toDistributed(QUAYS, "CMP-QUAY", "8")],
    },
  ],
};

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer({
    fixture: FIXTURE,
    members: [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }],
  });
});
test.afterAll(async () => {
  await server.stop();
});
test.use({ locale: "en-US", timezoneId: "America/New_York" });

async function open(page: Page, path = REWARDS, operator = ADA): Promise<void> {
  await enter(page, server.url, operator);
  await page.goto(server.url + path);
}

async function fillDraft(page: Page, name: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Asset").selectOption("ethereum");
  await page.getByLabel("Chain", { exact: true }).selectOption("84532");
  await page.getByLabel("Total amount").fill("1000.5");
  await page.getByLabel("Minimum points").fill("100");
  await page.getByLabel(/^Maximum points/).fill("20000");
}

const figure = (page: Page, label: string) =>
  page
    .locator("dl > div")
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator("dd");

test("a campaign goes from its draft to its split, and every step asks", async ({ page }) => {
  test.setTimeout(240_000);
  await open(page);
  await expectAccessible(page);
  await page.getByRole("link", { name: "New campaign" }).click();
  await expect(page.getByLabel("Time zone")).toHaveValue("America/New_York");
  await expect(page.getByLabel("Token address")).toBeVisible();
  await page.getByLabel("Asset").selectOption("solana");
  await expect(page.getByLabel("Token address")).toBeHidden();
  await expect(page.getByLabel("Chain", { exact: true })).toBeHidden();
  await fillDraft(page, "Season one");
  await page.getByLabel(/^Claim deadline/).fill("2099-07-01T18:30");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save the draft" }).click();

  await expectNotice(page, "Season one is drafted");
  await expect(page.getByRole("heading", { name: "Season one" })).toBeVisible();
  await expect(page.getByText(/^CMP-[2-9A-Z]{5}$/)).toBeVisible();
  await expect(figure(page, "Wallets")).toHaveText("36");
  await expect(page.getByText("4 wallets left out with fewer than 100 points")).toBeVisible();
  await expect(page.getByText("1 wallet left out by the blacklist")).toBeVisible();
  await expect(page.getByText(/wallets counted only up to the maximum/)).toBeVisible();
  await expect(page.getByRole("table", { name: "Wallets by amount" })).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Largest amounts" }).locator("tbody tr"),
  ).toHaveCount(10);
  await expect(page.getByRole("table", { name: "Costs on chain" })).toContainText("Suggested");
  await expectAccessible(page);
  const search = page.getByRole("search");
  await search.getByLabel("Find a wallet").fill(BANNED);
  await search.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("It is blacklisted since")).toBeVisible();
  await search.getByLabel("Find a wallet").fill(toWallet(39));
  await search.getByRole("button", { name: "Find" }).click();
  await expect(
    page.getByText(/It would get .* a weight of 20,000, by the cap, of its 64,000 points/),
  ).toBeVisible();
  await search.getByLabel("Find a wallet").fill("0x12");
  await search.getByRole("button", { name: "Find" }).click();
  await expect(search.getByLabel("Find a wallet")).toHaveAccessibleDescription(/Invalid address/);

  await page.getByRole("button", { name: "Publish the campaign" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("This locks its terms");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Publish the campaign" }).click();
  await expectNotice(page, "Season one is published");
  await expect(page.getByRole("link", { name: "Edit the draft" })).toHaveCount(0);
  await expect(page.getByText("2099-07-01 18:30 America/New_York")).toBeVisible();
  await expect(page.getByText(/2099-07-01 22:30 UTC/)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("link", { name: "Preview and split" }).click();
  await page.getByRole("button", { name: "Split among wallets" }).click();
  await expect(dialog).toContainText("36 wallets as of now");
  await dialog.getByLabel("Wallets per tree").selectOption("128");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Split now" }).click();
  await expectNotice(page, "The split has started");
  // The worker may already have finished.
  const isRunning = page.getByRole("progressbar", { name: "Wallets done" });
  const isBuilt = page.getByRole("table", { name: "Splits" }).getByText("Built");
  await expect(isRunning.or(isBuilt).first()).toBeVisible();
  await page.reload();
  await expect(isRunning.or(isBuilt).first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Preview", exact: true }).click();
  await expect(page.getByText("There is nothing left to preview")).toBeVisible();

  await page.getByRole("link", { name: "Overview", exact: true }).last().click();
  await page.getByRole("button", { name: "Cancel the campaign" }).click();
  await dialog.getByLabel(/^Type “CMP-/).fill("CMP-");
  await dialog.getByRole("button", { name: "Cancel the campaign" }).click();
  await expect(dialog.getByLabel(/^Type “CMP-/)).toHaveAccessibleDescription(/does not match/);
  const id = (await page.getByText(/^CMP-[2-9A-Z]{5}$/).textContent()) ?? "";
  await dialog.getByLabel(/^Type “CMP-/).fill(id);
  await dialog.getByRole("button", { name: "Cancel the campaign" }).click();
  await expectNotice(page, "Season one is cancelled");
  await expect(
    page.getByText("Wallets get nothing, and your applications no longer see this campaign"),
  ).toBeVisible();
  await expectAccessible(page);
  await page.goto(server.url + REWARDS);
  const row = page.getByRole("row").filter({ hasText: "Season one" });
  await expect(row).toContainText("Cancelled");
});

test("what is wrong with a draft is said beside its field, and what was typed stays", async ({
  page,
}) => {
  await open(page, `${REWARDS}/new`);
  const problem = (label: string | RegExp, text: RegExp) =>
    expect(page.getByLabel(label)).toHaveAccessibleDescription(text);
  await page.getByRole("button", { name: "Save the draft" }).click();
  await problem("Name", /Enter a name/);
  await problem("Total amount", /Enter an amount/);
  await expectAccessible(page);
  await fillDraft(page, "Broken");
  await page.getByLabel("Asset").selectOption("custom");
  await page.getByLabel(/^Maximum points/).fill("99");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await problem(/^Token address/, /Enter an address/);
  await problem(/^Maximum points/, /at least the minimum/);
  await expect(page.getByLabel(/^Token address/)).toBeFocused();
  await page.getByLabel(/^Token address/).fill(`0x${"12".repeat(20)}`);
  await page.getByLabel(/^Maximum points/).fill("");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await problem("Token symbol", /not set up here/);
  await page.getByLabel("Asset").selectOption("ethereum");
  await page.getByLabel("Total amount").fill("0.0000000000000000001");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await problem("Total amount", /at most 18 decimal places/);
  await page.getByLabel("Total amount").fill("5");
  await page.getByLabel(/^Claim deadline/).fill("2099-03-08T02:30");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await problem(/^Claim deadline/, /Clocks in America\/New_York skip this time/);
  await page.getByLabel(/^Claim deadline/).fill("2020-01-01T10:00");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await problem(/^Claim deadline/, /in the future/);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Broken");
  await expectAccessible(page);
});

test("a draft is made, changed, published and split without JavaScript", { tag: "@deep" }, async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await open(page, `${REWARDS}/new`);
  await page.getByRole("button", { name: "Save the draft" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(
    /Enter a name/,
  );
  await fillDraft(page, "Plain");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await page.getByRole("link", { name: "Edit the draft" }).click();
  await expect(page.getByLabel("Total amount")).toHaveValue("1000.5");
  await page.getByLabel("Minimum points").fill("1");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await expect(figure(page, "Wallets")).toHaveText("40");
  await page.getByText("Publish the campaign").first().click();
  await page.getByRole("button", { name: "Publish the campaign" }).click();
  await page.getByRole("link", { name: "Preview and split" }).click();
  await page.getByText("Split among wallets").first().click();
  await page.getByRole("button", { name: "Split now" }).click();
  const refresh = page.getByRole("link", { name: "Refresh" });
  await expect(refresh.or(page.getByRole("table", { name: "Splits" })).first()).toBeVisible();
  await context.close();
});

test("a draft that a colleague changed meanwhile is refused, shown as it is now, and published then", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page, `${REWARDS}/new`);
  await fillDraft(page, "Before");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await expect(page.getByRole("link", { name: "Edit the draft" })).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("link", { name: "Edit the draft" }).click();
  await other.getByLabel("Name", { exact: true }).fill("After");
  await other.getByRole("button", { name: "Save the draft" }).click();
  await expect(other.getByRole("heading", { name: "After", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Publish the campaign" }).click();
  const publish = page.getByRole("dialog").getByRole("button", { name: /^Publish/ });
  await publish.click();
  await expect(page.getByRole("dialog").getByRole("alert")).toBeVisible();
  await publish.click();
  await expect(page.getByText("After is published.")).toBeVisible();
});

test("a draft is made and deleted by the keyboard alone", { tag: "@deep" }, async ({ page }) => {
  await open(page, `${REWARDS}/new`);
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.type("Keys");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowUp");
  await expect(page.getByLabel("Asset")).toHaveValue("usdt");
  await page.getByLabel("Asset").selectOption("bitcoin");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Total amount")).toBeFocused();
  await page.keyboard.type("0.5");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Keys" })).toBeVisible();
  await expect(page.getByRole("link", { name: "On chain" })).toHaveCount(0);
  await page.getByRole("navigation", { name: "Campaign" }).getByText("Overview").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete the draft" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the draft" }).focus();
  await page.keyboard.press("Enter");
  await expectNotice(page, "Keys is deleted");
});

test("a distributed campaign lists its wallets, explains each, and gives its files", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page, `${REWARDS}/${DISTRIBUTED}`);
  await expect(page.getByText("CMP-7F3K")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("navigation", { name: "Campaign" }).getByText("Wallets").click();
  const rows = page.getByRole("table", { name: "Wallets" }).locator("tbody tr");
  await expect(rows).toHaveCount(36);
  await expectAccessible(page);
  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name: "Merkle trees (JSON)" }).click();
  expect((await coming).suggestedFilename()).toBe("CMP-7F3K-trees.json");
  await rows.first().getByRole("link").click();
  await expect(page.getByText("At the snapshot")).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${server.url}${REWARDS}/${DISTRIBUTED}/wallets?search=${toWallet(0)}`);
  await expect(page.getByText(/It has 1 of the 100 points/)).toBeVisible();
  await expectAccessible(page);
});

test("after two wallets are linked, a campaign says why neither gets anything more", {
  tag: "@deep",
}, async ({ page }) => {
  const link = async (from: string, to: string) => {
    await page.goto(`${server.url}/dashboard/${QUAY}/wallets/${from}`);
    await page.getByRole("button", { name: "Link to a primary wallet" }).click();
    await page.getByLabel("Primary wallet").fill(to);
    await page.getByRole("button", { name: "Link the wallet" }).click();
    await expect(page.getByText("This wallet counts for its primary wallet")).toBeVisible();
  };
  const [given, primary, small] = [toWallet(0), toWallet(1), toWallet(2)];
  await enter(page, server.url, ADA);
  await link(given, primary);
  await link(small, primary);
  await expectAccessible(page);
  // The button beside a link does not follow it.
  const here = page.url();
  const holder = page.locator("section").filter({ hasText: "Wallets of the holder" });
  await holder.getByRole("button", { name: "Copy address" }).click();
  await expect(page.getByRole("heading", { name: "Wallets of the holder" })).toBeVisible();
  expect(page.url()).toBe(here);

  const wallets = `${server.url}/dashboard/${QUAY}/rewards/${QUAYS}/wallets`;
  await page.goto(`${wallets}/${primary}`);
  await expect(
    page.getByText("Another wallet has a share for the points that it holds now"),
  ).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${wallets}/${small}`);
  await expect(
    page.getByText("Its primary wallet has its points, so it gets nothing"),
  ).toBeVisible();
  const baselines = await page
    .getByText("Its primary wallet has its points, so it gets nothing")
    .evaluate((sentence) => {
      const address = sentence.querySelector("[title]")?.lastElementChild ?? sentence;
      return [sentence, address].map((text) => {
        const probe = document.createElement("span");
        probe.style.display = "inline-block";
        text.prepend(probe);
        const { bottom } = probe.getBoundingClientRect();
        probe.remove();
        return Math.round(bottom);
      });
    });
  expect(baselines[1]).toBe(baselines[0]);
  await page.goto(`${wallets}/${given}`);
  await expect(page.getByText("How the amount is computed")).toBeVisible();
});

test("a viewer reads everything and changes nothing", async ({ page }) => {
  await open(page, REWARDS, VIC);
  await expect(page.getByRole("link", { name: "New campaign" })).toHaveCount(0);
  expect((await page.request.get(`${server.url}${REWARDS}/new`)).status()).toBe(403);
  const here = `${REWARDS}/${DISTRIBUTED}`;
  await page.getByRole("link", { name: "Season zero" }).click();
  await expect(page.getByRole("heading", { name: "Season zero" })).toBeVisible();
  await expect(page.getByRole("button", { name: /Cancel|Delete|Split|Publish/ })).toHaveCount(0);
  for (const [path, intent] of [
    ["?index", "delete"],
    ["?index", "cancel"],
    ["?index", "retry"],
    ["?index", "round"],
    ["/preview", "publish"],
    ["/preview", "split"],
    ["/edit", ""],
  ] as const) {
    const answer = await page.request.post(server.url + here + path, {
      form: { intent },
      headers: { Origin: server.url },
    });
    expect(answer.status(), intent).toBe(403);
  }
});

test("nothing sticks out at 390 px", { tag: "@deep" }, async ({ page }) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `${REWARDS}/new`);
  await expectNoOverflow(page);
  await fillDraft(page, "A name that is long ".repeat(5).trim());
  await page.getByLabel("Total amount").fill("123456789012345678.123456789012345678");
  await page.getByRole("button", { name: "Save the draft" }).click();
  await expect(page.getByRole("heading", { name: "If split now" })).toBeVisible();
  await expectNoOverflow(page);
  await expectAccessible(page);
  for (const path of ["", "/wallets", `/wallets/${toWallet(9)}`, "/preview"]) {
    await page.goto(`${server.url}${REWARDS}/${DISTRIBUTED}${path}`);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  await page.goto(server.url + REWARDS);
  await expectNoOverflow(page);
  await expectAccessible(page);
});

test("a campaign counts the points of a board that has ended, or those new since an earlier one", {
  tag: "@deep",
}, async ({ page }) => {
  test.setTimeout(120_000);
  const slug = `cup-${Date.now()}`;
  await open(page, `/dashboard/${HARBOUR}/boards/new`);
  await page.getByLabel("Season", { exact: true }).check();
  await page.getByLabel("Name", { exact: true }).fill(slug);
  await page.getByLabel("Season name in API calls").fill(slug);
  await page.getByLabel("Start of the season").fill("2020-02-01T00:00");
  await page.getByLabel("End of the season").fill("2100-02-01T00:00");
  await page.getByRole("button", { name: "Create the board" }).click();
  await expect(page.getByRole("heading", { level: 1, name: slug })).toBeVisible();
  const board = page.url();

  await page.goto(`${server.url}${REWARDS}/new`);
  await fillDraft(page, `By ${slug}`);
  await page.getByLabel("Points counted").selectOption(`${slug} (has not ended)`);
  await page.getByRole("button", { name: "Save the draft" }).click();
  await expect(page.getByText(`By the points of season:${slug} at its end`)).toBeVisible();
  await expect(figure(page, "Wallets")).toHaveText("36");
  const preview = page.url();
  const publish = async () => {
    await page.getByRole("button", { name: "Publish the campaign" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish the campaign" }).click();
  };
  await publish();
  await expect(page.getByText("has not ended yet. Wait for its end")).toBeVisible();

  await page.goto(board);
  await openMenu(page);
  await page.getByRole("button", { name: "End the board" }).click();
  await page.getByRole("button", { name: "End it now" }).click();
  await expectNotice(page, "The board has ended.");
  await page.goto(preview);
  await publish();
  await expectNotice(page, `By ${slug} is published`);
  await expect(page.getByText(`The board season:${slug}, as it stood at its end`)).toBeVisible();

  await page.goto(`${server.url}${REWARDS}/new`);
  await fillDraft(page, `After ${slug}`);
  const choice = page.getByLabel("Points counted");
  const label = await choice.getByRole("option", { name: `New since By ${slug}` }).textContent();
  await choice.selectOption(label);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Save the draft" }).click();
  await expect(page.getByText("By points that no earlier campaign counted")).toBeVisible();
  await page.getByRole("link", { name: "Edit the draft" }).click();
  await expect(choice.locator("option:checked")).toHaveText(label ?? "");
});
