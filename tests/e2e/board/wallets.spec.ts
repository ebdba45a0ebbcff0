import { expect, type Page } from "@playwright/test";
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
import { type FakeEns, startFakeEns } from "../../support/fakes/ens-rpc";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic@example.com", password: "yet another passphrase" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const QUAY = "22222222-2222-4222-8222-222222222222";
const MARKUP = `<img src=x onerror="alert(1)">`;

const toWallet = (i: number): `0x${string}` => `0x${i.toString(16).padStart(40, "0")}`;
const toDate = (i: number) => new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString();
/** A board of 130 wallets; the first has the most points. */
const BOARD = Array.from({ length: 130 }, (_, i) => ({
  address: toWallet(i + 1),
  points: 1_000_000 - i,
  event: "daily_login",
  date: toDate(0),
}));
const BUSY = toWallet(2);
const SHY = toWallet(3);
const BANNED = toWallet(4);
const REWARDED = toWallet(5);
const STRANGER = toWallet(0xabc);

const FIXTURE = {
  operators: [ADA, VIC],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: "Harbour",
      slug: "harbour",
      triggers: [{ name: "Daily", key: "daily_login", points: 10, active: true }],
      events: [
        ...BOARD,
        ...Array.from({ length: 119 }, (_, i) => ({
          address: BUSY,
          points: 1,
          event: "daily_login",
          date: toDate(i + 1),
        })),
      ],
      blacklist: [{ address: BANNED, reason: `A farm ${MARKUP}` }],
      rewards: [
        {
          kind: "token",
          campaignId: "CMP-SPRING",
          campaignName: `Spring ${MARKUP}`,
          tokenType: "custom",
          tokenAddress: toWallet(0x77),
          tokenSymbol: "PTS",
          tokenDecimals: 18,
          chainId: 84532,
          totalAmount: "1000.5",
          status: "distributed",
          distributions: [
            {
              address: REWARDED,
              amount: "400.25",
              proof: "pending",
              distributedAt: "2026-03-02T00:00:00.000Z",
            },
          ],
        },
      ],
    },
    { operator: ADA.email, id: QUAY, name: "Quay", slug: null },
  ],
};

let ens: FakeEns;
let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  ens = await startFakeEns({ "shy.eth": SHY, "stranger.eth": STRANGER });
  server = await startServer({
    fixture: FIXTURE,
    members: [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }],
    env: { RPC_URL_1: ens.url },
  });
});
test.afterAll(async () => {
  await server.stop();
  await ens.stop();
});
test.beforeEach(() => {
  ens.mode = "answers";
});

async function open(
  page: Page,
  path: string,
  { email, password } = ADA,
  id = HARBOUR,
): Promise<void> {
  await enter(page, server.url, { email, password });
  await page.goto(`${server.url}/dashboard/${id}/${path}`);
}

const rowsOf = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

async function find(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Find a wallet" }).fill(text);
  await page.getByRole("button", { name: "Find" }).click();
}

for (const width of WIDTHS) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 900 } });

    test("every page of the board can be reached, by its number too", { tag: "@deep" }, async ({
      page,
    }) => {
      await open(page, "leaderboard");
      await expect(rowsOf(page, "Leaderboard")).toHaveCount(50);
      await expect(rowsOf(page, "Leaderboard").first()).toContainText("1,000,118");
      await expectNoOverflow(page);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Next" }).click();
      await expect(rowsOf(page, "Leaderboard").first()).toContainText("51");
      await page.getByRole("textbox", { name: "Page of wallets" }).fill("3");
      await page.getByRole("button", { name: "Go", exact: true }).click();
      await expect(rowsOf(page, "Leaderboard")).toHaveCount(29);
      await page.goto(`${server.url}/dashboard/${HARBOUR}/leaderboard?page=99`);
      await expect(page).toHaveURL(/page=3$/);
    });

    test("a wallet is found on its page of the board, by address or ENS name", async ({ page }) => {
      await open(page, "leaderboard");
      await find(page, toWallet(120).toUpperCase().replace("0X", "0x"));
      await expect(page).toHaveURL(new RegExp(`page=3&wallet=${toWallet(120)}#row$`));
      await expect(page.locator("tr[aria-current]")).toContainText("119");
      await expect(page.locator("tr[aria-current]")).toBeInViewport();
      await expectAccessible(page);
      await find(page, "Shy.eth");
      await expect(page.locator("tr[aria-current]")).toContainText("999,998");
    });

    test("a wallet that is not on the board is said to be, with a link to its page", {
      tag: "@deep",
    }, async ({ page }) => {
      await open(page, "leaderboard");
      await find(page, "stranger.eth");
      const result = page.getByRole("status").filter({ hasText: STRANGER });
      await expect(result).toContainText("stranger.eth is");
      await expect(result).toContainText("has no points here");
      await expectNoOverflow(page);
      await expectAccessible(page);
      await find(page, BANNED);
      await expect(page.getByText("is blacklisted, so it is not on the board")).toBeVisible();
      await page.getByRole("link", { name: "Open the wallet’s page" }).click();
      await expect(page.getByRole("heading", { name: "Wallet Blacklisted" })).toBeVisible();
    });

    test("what cannot be looked for is said beside the box, and the board stays", {
      tag: "@deep",
    }, async ({ page }) => {
      await open(page, "leaderboard");
      for (const text of ["nonsense", "nobody.eth", "0x12"]) {
        await find(page, text);
        await expect(
          page.getByRole("textbox", { name: "Find a wallet" }),
        ).toHaveAccessibleDescription("Invalid address or ENS domain.");
      }
      await expect(rowsOf(page, "Leaderboard")).toHaveCount(50);
      await expectAccessible(page);
    });

    test("a wallet's page has its place, its history by pages, and its rewards", async ({
      page,
    }) => {
      await open(page, `wallets/${BUSY}`);
      await expect(page.getByText(BUSY, { exact: true })).toBeVisible();
      await expect(page.getByText("1,000,118")).toBeVisible();
      await expect(rowsOf(page, "History")).toHaveCount(50);
      await expectNoOverflow(page);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Older" }).click();
      await expect(page).toHaveURL(/older=/);
      await expect(page.getByRole("link", { name: "Newer" })).toBeVisible();
      await page.getByRole("link", { name: "Older" }).click();
      await expect(rowsOf(page, "History")).toHaveCount(20);
      await page.getByRole("link", { name: "Newer" }).click();
      await expect(rowsOf(page, "History")).toHaveCount(50);
      await page.getByRole("link", { name: "1", exact: true }).click();
      await expect(page.locator("tr[aria-current]")).toContainText("1,000,118");

      await page.goto(`${server.url}/dashboard/${HARBOUR}/wallets/${REWARDED}`);
      const reward = page.getByRole("listitem").filter({ hasText: `Spring ${MARKUP}` });
      await expect(reward).toContainText("400.25 PTS");
      await expect(reward).toContainText("Unclaimed");
      await expectAccessible(page);
    });
  });

  test(`points are granted, voided and the wallet is blacklisted at ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    const wallet = toWallet(0xf000 + width);
    await open(page, `wallets/${wallet}`, ADA, QUAY);
    await expect(page.getByText("No points here yet")).toBeVisible();
    await expectAccessible(page);

    await page.getByLabel("Points").fill("1.5");
    await page.getByRole("button", { name: "Grant points" }).click();
    await expect(page.getByLabel("Points")).toHaveAccessibleDescription(/whole number/);
    await expect(page.getByLabel("Points")).toBeFocused();
    await expectAccessible(page);
    await page.getByLabel("Points").fill("2500");
    await page.getByLabel("Note").fill(`Welcome ${MARKUP}`);
    await page.getByRole("button", { name: "Grant points" }).click();
    await expectNotice(page, "2,500 points are granted.");
    const grant = rowsOf(page, "History").first();
    await expect(grant).toContainText("Manual grant");
    await expect(grant).toContainText(`by ${ADA.email}`);
    await expect(grant).toContainText(`“Welcome ${MARKUP}”`);
    await expect(page.getByLabel("Points")).toHaveValue("");

    await grant.getByRole("button", { name: "Void" }).click();
    const dialog = page.getByRole("dialog", { name: "Void this event?" });
    await expectAccessible(page);
    await dialog.getByLabel("Note").evaluate((field) => field.removeAttribute("maxlength"));
    await dialog.getByLabel("Note").fill("x".repeat(501));
    await dialog.getByRole("button", { name: "Void the event" }).click();
    await expect(dialog.getByLabel("Note")).toHaveAccessibleDescription(/at most 500 characters/);
    await dialog.getByLabel("Note").fill("By mistake");
    await dialog.getByRole("button", { name: "Void the event" }).click();
    await expectNotice(page, "The event is voided.");
    await expect(dialog).toHaveCount(0);
    await expect(grant.locator("del").first()).toHaveText("Manual grant");
    await expect(grant).toContainText(/Voided .* by ada@example.com: “By mistake”/);
    await expect(grant.getByRole("button", { name: "Void" })).toHaveCount(0);
    await expectNoOverflow(page);

    await openMenu(page);
    await expectAccessible(page);
    await expectNoOverflow(page);
    await page.getByRole("button", { name: "Blacklist" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("Farm");
    await page.getByRole("button", { name: "Blacklist the wallet" }).click();
    await expectNotice(page, "The wallet is blacklisted.");
    await expect(page.getByText("Reason: Farm")).toBeVisible();
    await expect(page.getByRole("button", { name: "Grant points" })).toHaveCount(0);
    await expectAccessible(page);
    await openMenu(page);
    await page.getByRole("button", { name: "Remove from blacklist" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove from blacklist" }).click();
    await expectNotice(page, "The wallet was removed from the blacklist.");
    await expect(page.getByRole("button", { name: "Grant points" })).toBeVisible();
  });
}

test("an operator registers a wallet that has no points, once", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, `wallets/${toWallet(0xbeef)}`, ADA, QUAY);
  await expectAccessible(page);
  await openMenu(page);
  await page.getByText("Register", { exact: true }).click();
  await page.getByRole("button", { name: "Register the wallet" }).click();
  await expect(page.getByText("The wallet is registered.")).toBeVisible();
  await expect(page.getByText("Register", { exact: true })).toHaveCount(0);
  await page.goto(`${server.url}/dashboard/${QUAY}/leaderboard?wallet=${toWallet(0xbeef)}`);
  await expect(page.locator("tr[aria-current]")).toHaveCount(1);
});

test("an ENS endpoint that fails is said so, and addresses are still found", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page, "leaderboard");
  ens.mode = "fails";
  await find(page, "failing.eth");
  await expect(page.getByText("ENS resolution unavailable.")).toBeVisible();
  await expect(rowsOf(page, "Leaderboard")).toHaveCount(50);
  await find(page, SHY);
  await expect(page.locator("tr[aria-current]")).toContainText("999,998");
});

test("what is no address has no page", async ({ page }) => {
  await open(page, "wallets/0x12");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

test("a viewer sees a wallet and the board, and no controls", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, `wallets/${SHY}`, VIC);
  await expect(rowsOf(page, "History")).toHaveCount(1);
  for (const name of ["Grant points", "Void", "More actions", "Blacklist"]) {
    await expect(page.getByRole("button", { name, exact: true })).toHaveCount(0);
  }
  await expectAccessible(page);
  const answer = await page.request.post(page.url(), {
    form: { intent: "grant", points: "5", note: "" },
    headers: { origin: server.url },
  });
  expect(answer.status()).toBe(403);
});

test.describe("without JavaScript", { tag: "@deep" }, () => {
  test.use({ javaScriptEnabled: false });

  test("a wallet is found, granted points, and its event voided", async ({ page }) => {
    await open(page, "leaderboard");
    await find(page, toWallet(130));
    await page.locator("tr[aria-current]").getByRole("link").click();
    await page.getByLabel("Points").fill("7");
    await page.getByRole("button", { name: "Grant points" }).click();
    await expect(page.getByText("7 points are granted.")).toBeVisible();
    const grant = rowsOf(page, "History").first();
    await grant.getByText("Void", { exact: true }).click();
    await grant.getByRole("button", { name: "Void the event" }).click();
    await expect(page.getByText("The event is voided.")).toBeVisible();
    await expect(grant).toContainText("Voided");
  });

  test("an action of a menu that is refused says why, without opening the menu", async ({
    page,
  }) => {
    await open(page, `wallets/${toWallet(131)}`);
    await openMenu(page);
    await page.locator("summary", { hasText: "Blacklist" }).click();
    const reason = page.getByLabel("Reason");
    await reason.evaluate((field) => field.removeAttribute("maxlength"));
    await reason.fill("x".repeat(501));
    await page.getByRole("button", { name: "Blacklist the wallet" }).click();
    await expect(page.getByText("Use at most 500 characters")).toBeVisible();
    await expectNoOverflow(page);
    await reason.fill("Farm");
    await page.getByRole("button", { name: "Blacklist the wallet" }).click();
    await expect(page.getByText("The wallet is blacklisted.")).toBeVisible();
  });
});

test("a menu and its question work by keyboard, and the focus returns to the menu's button", {
  tag: "@deep",
}, async ({ page }) => {
  await open(page, `wallets/${SHY}`);
  const menu = page.getByRole("button", { name: "More actions" });
  await menu.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Blacklist" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu).toBeFocused();
  await menu.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Blacklist this wallet?" })).toBeVisible();
  await expect(page.getByRole("group", { name: "More actions" })).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(menu).toBeFocused();
});

test("a click beside the links of a row of the board opens the wallet", { tag: "@deep" }, async ({
  page,
}) => {
  await open(page, "leaderboard");
  const row = rowsOf(page, "Leaderboard").nth(2);
  const points = row.getByText("999,998");
  await expect(async () => {
    await points.click();
    await expect(page).toHaveURL(new RegExp(`/wallets/${SHY}$`), { timeout: 5_000 });
  }).toPass();
  await page.goBack();
  // A row has one stop of the keyboard for its page, and one for the copy button.
  const focused = row.getByRole("link");
  await expect(focused).toHaveCount(1);
  await expectAccessible(page);
});

test("operators leave each other notes on a wallet, and viewers read them", {
  tag: "@deep",
}, async ({ page }) => {
  const note = `Asked about points ${MARKUP} ${Date.now()}`;
  await open(page, `wallets/${SHY}`);
  await page.getByRole("textbox", { name: "Text" }).fill(note);
  await page.getByRole("button", { name: "Add note" }).click();
  await expectNotice(page, "The note is added.");
  await expect(page.getByText(note)).toHaveCount(1);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await open(page, `wallets/${SHY}`, VIC);
  await expect(page.getByText(note)).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Add note" })).toHaveCount(0);
});

test("the board is exported as CSV from its page", async ({ page }) => {
  await open(page, "leaderboard");
  const href = await page.getByRole("link", { name: "Export CSV" }).getAttribute("href");
  const answer = await page.request.get(server.url + href);
  expect(answer.headers()["content-type"]).toBe("text/csv; charset=utf-8");
  const lines = (await answer.text()).trim().split("\n");
  expect(lines[0]).toBe("rank,address,points,events");
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.join()).not.toContain(BANNED);
});
