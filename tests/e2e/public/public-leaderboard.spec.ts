import http from "node:http";
import type { AddressInfo } from "node:net";
import { test as bare, expect, type Page } from "@playwright/test";
import { withDatabase } from "../../../app/db/client";
import { pointSystemBrands } from "../../../app/db/schema/point-systems";
import { enter, expectAccessible, startServer, test, WIDTHS } from "../../support/e2e/server";

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const EMPTY = "22222222-2222-4222-8222-222222222222";
const TOKEN = "rw_00000000000000000000000000000001";
const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const REASON = "bought its points";
const toWallet = (i: number) => `0x${i.toString(16).padStart(40, "0")}`;
const BLACKLISTED = toWallet(500);

/**
 * The wallet 119 leads with 1,190 points, down to the wallet 0. The blacklisted wallet has more.
 */
const FIXTURE = {
  operators: [ADA],
  pointSystems: [
    {
      operator: ADA.email,
      id: HARBOUR,
      name: `Harbour ${MARKUP}`,
      slug: "harbour",
      triggers: [{ name: "Daily", key: "daily_login", points: 50_000, active: true }],
      events: [
        ...Array.from({ length: 120 }, (_, i) => ({
          address: toWallet(i),
          points: (i + 1) * 10,
          event: null,
        })),
        { address: BLACKLISTED, points: 9_999, event: null },
      ],
      blacklist: [{ address: BLACKLISTED, reason: REASON }],
      links: [{ address: toWallet(600), primaryAddress: toWallet(119) }],
    },
    {
      operator: ADA.email,
      id: EMPTY,
      name: "Empty",
      slug: "empty",
      triggers: [],
      events: [],
    },
  ],
  apiKeys: [
    {
      operator: ADA.email,
      name: "backend",
      key: TOKEN,
      permission: "all",
      pointSystems: ["harbour", "empty"],
    },
  ],
};

let server: Awaited<ReturnType<typeof startServer>>;
test.beforeAll(async () => {
  server = await startServer({ fixture: FIXTURE });
});
test.afterAll(async () => {
  await server.stop();
});

const rowsOf = (page: Page) => page.getByRole("table", { name: "Leaderboard" }).locator("tbody tr");

async function fire(walletAddress: string, pointSystemId = HARBOUR): Promise<void> {
  const answer = await fetch(`${server.url}/trigger`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ triggerKey: "daily_login", walletAddress, pointSystemId }),
  });
  expect(answer.status).toBe(200);
}

test("shows everybody 50 wallets a page, and nothing that is not public", async ({ page }) => {
  await page.goto(`${server.url}/l/harbour`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Harbour ${MARKUP}`);
  await expect(page.getByText("120 wallets").first()).toBeVisible();
  await expect(rowsOf(page)).toHaveCount(50);
  await expect(rowsOf(page).first()).toContainText("1,200");
  const topThree = page.getByRole("list", { name: "Top three" });
  await expect(topThree.getByRole("listitem")).toHaveText([/1,200/, /1,190/, /1,180/]);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL(`${server.url}/l/harbour?page=2`);
  await expect(topThree).toHaveCount(0);
  await expect(rowsOf(page).first()).toContainText("51");
  await page.goto(`${server.url}/l/harbour?page=99`);
  await expect(page.getByText("The board ends before this page")).toBeVisible();
  for (const path of ["/l/harbour", "/l/harbour?page=2", `/l/harbour?wallet=${BLACKLISTED}`]) {
    const text = await (await page.request.get(server.url + path)).text();
    for (const secret of [REASON, HARBOUR, ADA.email]) expect(text).not.toContain(secret);
  }
});

test("finds a wallet's page and marks its row; one that is blacklisted reads like one that is not there", {
  tag: "@deep",
}, async ({ page }) => {
  await page.goto(`${server.url}/l/harbour`);
  const look = async (address: string) => {
    await page.getByLabel("Find a wallet").fill(address);
    await page.getByRole("button", { name: "Find" }).click();
  };
  await look(toWallet(3).toUpperCase().replace("0X", "0x"));
  await expect(page.getByRole("status").filter({ hasText: "number" })).toContainText(
    "0x0000…0003 is number 117 with 40 points. 10 more points to number 116.",
  );
  const marked = rowsOf(page).filter({ hasText: "The wallet you searched for" });
  await expect(marked).toContainText("117");
  await expect(marked).toBeInViewport();
  await expect(rowsOf(page)).toHaveCount(20);
  await expectAccessible(page);
  // The next better wallet is on the page before.
  await look(toWallet(19));
  await expect(page.getByRole("status").filter({ hasText: "number" })).toContainText(
    "is number 101 with 200 points. 10 more points to number 100.",
  );
  const answers: string[] = [];
  for (const address of [BLACKLISTED, toWallet(501)]) {
    await look(address);
    const status = page.getByRole("status").filter({ hasText: address.slice(-4) });
    await expect(status).toContainText("is not on the board");
    answers.push(((await status.textContent()) ?? "").replace(address.slice(-4), ""));
  }
  expect(answers[0]).toBe(answers[1]);
  await look("harbour.eth");
  await expect(page.getByLabel("Find a wallet")).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page);
});

test("board and embed wear the operator's look, in the embed's own theme", async ({ page }) => {
  await server.withDatabase(() =>
    withDatabase((db) =>
      db.insert(pointSystemBrands).values({
        pointSystemId: EMPTY,
        publicName: "Harbour Club",
        intro: "Who sails most.",
        accentColor: "#ffcc00",
      }),
    ),
  );
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${server.url}/l/empty`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Harbour Club");
  await expect(page.getByText("Who sails most.")).toBeVisible();
  const link = page.getByRole("link", { name: /Full leaderboard/ });
  await page.goto(`${server.url}/l/empty/embed?theme=dark`);
  // The chosen colour is used on a dark background, a darker one on white.
  await expect(link).toHaveCSS("color", "rgb(255, 204, 0)");
  await page.goto(`${server.url}/l/empty/embed?theme=light`);
  await expect(link).not.toHaveCSS("color", "rgb(255, 204, 0)");
});

test("works without JavaScript", { tag: "@deep" }, async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/l/harbour`);
  await page.getByLabel("Find a wallet").fill(toWallet(3));
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("is number 117 with 40 points")).toBeVisible();
  await page.getByRole("link", { name: "First" }).click();
  await expect(rowsOf(page)).toHaveCount(50);
  await context.close();
});

test("an unknown slug is not found, on a page of its own", { tag: "@deep" }, async ({ page }) => {
  for (const slug of ["nowhere", "Harbour-2", "a%00b", "a".repeat(200)]) {
    const response = await page.goto(`${server.url}/l/${slug}`);
    expect(response?.status(), slug).toBe(404);
    expect(response?.headers()["cache-control"]).toBe("no-store");
    await expect(page.getByRole("heading", { name: "There is no leaderboard here" })).toBeVisible();
  }
  await expectAccessible(page);
});

test("leads to the claim page and back, by a slug in any letter case", { tag: "@deep" }, async ({
  page,
}) => {
  await page.goto(`${server.url}/l/Harbour`);
  await page.getByRole("link", { name: "Claim rewards" }).click();
  await expect(page.getByRole("button", { name: "Look up" })).toBeVisible();
  await expect(page).toHaveURL(/\/claim\/harbour$/);
  await page.getByRole("link", { name: "Leaderboard" }).click();
  await expect(page.getByRole("table", { name: "Leaderboard" })).toBeVisible();
});

test("says to messengers what it is, markup as text", { tag: "@deep" }, async ({ page }) => {
  await page.goto(`${server.url}/l/harbour`);
  const contentOf = (name: string) =>
    page.locator(`meta[property="${name}"], meta[name="${name}"]`).getAttribute("content");
  const title = `Harbour ${MARKUP} leaderboard`;
  expect(await page.title()).toBe(title);
  expect(await contentOf("og:title")).toBe(title);
  expect(await contentOf("og:description")).toMatch(/120 wallets.*0x0000…0077 leads with 1,200/);
  expect(await contentOf("og:url")).toBe(`${server.url}/l/harbour`);
  expect(await contentOf("twitter:card")).toBe("summary_large_image");
  const image = await page.request.get((await contentOf("og:image")) ?? "");
  expect(image.headers()["content-type"]).toBe("image/png");
  expect((await image.body()).length).toBeLessThan(100_000);
  await page.goto(`${server.url}/l/HARBOUR?page=2`);
  expect(await contentOf("og:url")).toBe(`${server.url}/l/harbour?page=2`);
});

test("follows a credit by itself and marks the row", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.goto(`${server.url}/l/harbour`);
  await expect(rowsOf(page).first()).toContainText("0x0000…0077");
  await fire(toWallet(40));
  await expect(rowsOf(page).first()).toContainText("50,410", { timeout: 15_000 });
  await expect(rowsOf(page).first()).toHaveAttribute("data-changed", "true");
  await expect(page.locator("tr[data-changed]")).toHaveCount(1);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

// The console is not checked: the browser itself reports every failed request there.
bare(
  "keeps the board when the service is gone, and says so until it is back",
  { tag: "@deep" },
  async ({ page }) => {
    await page.goto(`${server.url}/l/harbour`);
    await page.route("**/*.data*", (route) => route.abort());
    await expect(page.getByText("Not up to date")).toBeVisible({ timeout: 15_000 });
    await expect(rowsOf(page)).toHaveCount(50);
    await page.unroute("**/*.data*");
    await expect(page.getByText("Live", { exact: true })).toBeVisible({ timeout: 30_000 });
  },
);

for (const width of WIDTHS) {
  test(`nothing sticks out at ${width} px, and every page passes`, { tag: "@deep" }, async ({
    page,
  }) => {
    test.slow();
    await page.setViewportSize({ width, height: 844 });
    for (const path of [
      "/l/harbour?page=3",
      "/l/empty",
      "/l/harbour/embed?limit=3",
      "/l/harbour/embed?theme=dark&limit=3",
      "/l/harbour/embed?theme=light&limit=3",
    ]) {
      await page.goto(server.url + path);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      expect(overflow, path).toBe(0);
      await expectAccessible(page);
    }
  });
}

/** Serves a foreign site whose page contains the frame. */
async function serveFrame(frame: string) {
  const site = http.createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>Elsewhere</title>${frame}`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  return { url: `http://localhost:${port}/`, close: () => site.close() };
}

test("the embed shows in a page of another site, in the theme that it asks for", {
  tag: "@deep",
}, async ({ page, context }) => {
  const site = await serveFrame(
    `<iframe src="${server.url}/l/harbour/embed?limit=3&theme=dark" width=400 height=400></iframe>`,
  );
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(site.url);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("heading")).toHaveText(`Harbour ${MARKUP}`);
  await expect(frame.locator("tbody tr")).toHaveCount(3);
  await expect(frame.getByRole("main")).toHaveCSS("background-color", "rgb(29, 29, 32)");
  const opened = context.waitForEvent("page");
  await frame.getByRole("link", { name: /Full leaderboard/ }).click();
  await expect(await opened).toHaveURL(`${server.url}/l/harbour`);
  site.close();
});

test("the settings have the embed's HTML, with the name escaped, and it works as it is", {
  tag: "@deep",
}, async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await enter(page, server.url, ADA);
  await page.goto(`${server.url}/dashboard/${HARBOUR}/settings`);
  await page.getByRole("button", { name: "Copy the HTML" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Copied" })).toHaveCount(1);
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  expect(snippet).not.toContain("<script>");
  const site = await serveFrame(snippet);
  await page.goto(site.url);
  await expect(page.frameLocator("iframe").locator("tbody tr")).toHaveCount(10);
  await expect(page.locator("iframe")).toHaveAttribute("title", `Harbour ${MARKUP} leaderboard`);
  await expect(page.locator("script, img")).toHaveCount(0);
  site.close();
});
