import { expect, type Page } from "@playwright/test";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  signIn,
  type TestServer,
  test,
  waitForScripts,
} from "../support/e2e/server";

const ADA = { name: "Ada", email: "ada.shell@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-000000000051";
const MEADOW = "22222222-2222-4222-8222-000000000051";
const SECTIONS = [
  ...[
    "Overview",
    "Triggers",
    "Boosts",
    "Activity",
    "Imports",
    "Leaderboard",
    "Boards",
    "Spends",
    "Tiers and streaks",
    "Blacklist",
    "Rewards",
  ],
  ...["API keys", "Webhooks", "Requests", "General", "Branding", "Members", "Audit log"],
];

let server: TestServer;
test.beforeAll(async ({ sharedServer }) => {
  server = sharedServer;
  await server.load({
    operators: [ADA],
    pointSystems: [
      { operator: ADA.email, id: HARBOUR, name: "Harbour", slug: null, triggers: [], events: [] },
      { operator: ADA.email, id: MEADOW, name: "Meadow", slug: null, triggers: [], events: [] },
    ],
  });
});

const getNav = (page: Page) => page.getByRole("navigation", { name: "Dashboard" });

async function open(page: Page, path = "") {
  await enter(page, server.url, ADA);
  await page.goto(`${server.url}/dashboard/${HARBOUR}${path}`);
}

test("every page of a point system stands in a window of 900 by 700 px at once", {
  tag: "@deep",
}, async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 700 });
  await open(page);
  const links = getNav(page).getByRole("link");
  await expect(links).toHaveText(SECTIONS);
  for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("button", { name: "Your account" })).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
});

test("one page is lit, also while the next one loads", async ({ page }) => {
  await open(page, "/triggers");
  await expect(getNav(page).locator("[aria-current=page]")).toHaveText("Triggers");
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/members.data*", async (route) => {
    await isHeld;
    await route.continue();
  });
  await getNav(page).getByRole("link", { name: "Members" }).click();
  await expect(getNav(page).locator("[aria-current=page]")).toHaveText("Members");
  answer();
  await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
  await expect(getNav(page).locator("[aria-current=page]")).toHaveText("Members");
});

for (const javaScriptEnabled of [true, false]) {
  test(`a phone has a drawer, ${javaScriptEnabled ? "with" : "without"} scripts`, {
    tag: "@deep",
  }, async ({ browser }) => {
    const viewport = { width: 390, height: 700 };
    const context = await browser.newContext({ javaScriptEnabled, viewport });
    const page = await context.newPage();
    await open(page);
    await expect(getNav(page)).toBeHidden();
    await page.getByRole("button", { name: "Open the navigation" }).click();
    await expect(getNav(page).getByRole("link", { name: "Audit log" })).toBeVisible();
    if (javaScriptEnabled) await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(getNav(page)).toBeHidden();
    await page.getByRole("button", { name: "Open the navigation" }).click();
    await getNav(page).getByRole("link", { name: "Branding" }).click();
    await expect(page.getByRole("heading", { name: "Branding", level: 1 })).toBeVisible();
    await expect(getNav(page)).toBeHidden();
    if (javaScriptEnabled) await expectNoOverflow(page);
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("button", { name: "Dark" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page).toHaveURL(`${server.url}/dashboard/${HARBOUR}/branding`);
    await context.close();
  });
}

test("the theme is light, dark or the system's, and stays after a reload", {
  tag: "@deep",
}, async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, "/triggers?x=1");
  const body = page.locator("body");
  const [dark, light] = ["rgb(20, 20, 22)", "rgb(250, 250, 249)"];
  await expect(body).toHaveCSS("background-color", dark);
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("button", { name, exact: true }).click();
  };
  await choose("Light");
  await expect(body).toHaveCSS("background-color", light);
  await page.reload();
  await expect(body).toHaveCSS("background-color", light);
  await expect(page).toHaveURL(/triggers\?x=1$/);
  await choose("System");
  await expect(body).toHaveCSS("background-color", dark);
});

test("the menus take the focus, and give it back on Escape", async ({ page }) => {
  await open(page);
  for (const [button, link] of [
    [/switch point system/, "Meadow"],
    [/Your account/, "Security"],
  ] as const) {
    await page.getByRole("button", { name: button }).focus();
    await page.keyboard.press("Enter");
    const inside = page.getByRole("link", { name: link, exact: true });
    await expect(inside).toBeVisible();
    await inside.focus();
    await page.keyboard.press("Escape");
    await expect(inside).toBeHidden();
    await expect(page.getByRole("button", { name: button })).toBeFocused();
  }
});

test("a menu that is opened before the scripts run stays open", async ({ page }) => {
  await enter(page, server.url, ADA);
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/assets/*.js", async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.goto(`${server.url}/dashboard/${HARBOUR}`, { waitUntil: "commit" });
  await page.getByRole("button", { name: /switch point system/ }).click();
  const inside = page.getByRole("link", { name: "Meadow", exact: true });
  await expect(inside).toBeVisible();
  answer();
  await waitForScripts(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(inside).toBeVisible();
});

test("the font is this service's own, and has figures of one width", async ({ page }) => {
  const fonts: string[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "font") fonts.push(new URL(response.url()).origin);
  });
  await open(page);
  await expect
    .poll(() => page.evaluate(() => document.fonts.check("16px 'Inter Variable'")))
    .toBe(true);
  expect(new Set(fonts)).toEqual(new Set([server.url]));
});

test("signing in leads to the page that was asked for, and to no other place", async ({ page }) => {
  const wanted = `${server.url}/dashboard/${HARBOUR}/members?role=owner`;
  await page.goto(wanted);
  await expect(page).toHaveURL(`${server.url}/sign-in`);
  await signIn(page, ADA.email, ADA.password);
  await expect(page).toHaveURL(wanted);
  // The session ends in another window, and a form is sent here.
  await page.goto(`${server.url}/dashboard/${HARBOUR}/settings`);
  await page.getByLabel("Name").fill("Harbour two");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("Your session has ended");
  await expectAccessible(page);
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Sign in in a new tab" }).click();
  const tab = await opened;
  await signIn(tab, ADA.email, ADA.password);
  await expect(tab).toHaveURL(/dashboard/);
  await expect(page.getByLabel("Name")).toHaveValue("Harbour two");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel("Name")).toHaveValue("Harbour two");
  await page.getByLabel("Name").fill("Harbour");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Harbour, switch point system" })).toBeVisible();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a form whose session has ended leads back to its page after signing in", async ({
    page,
  }) => {
    const settings = `${server.url}/dashboard/${HARBOUR}/settings`;
    await enter(page, server.url, ADA);
    await page.goto(settings);
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL(`${server.url}/sign-in`);
    await signIn(page, ADA.email, ADA.password);
    await expect(page).toHaveURL(settings);
  });
});

test("without a network links and forms wait, with a word about it, and the page stays", {
  tag: "@deep",
}, async ({ page, context }) => {
  await open(page, "/settings");
  await page.getByLabel("Name").fill("Typed before the tunnel");
  await context.setOffline(true);
  await expect(page.getByText("You are offline.")).toBeVisible();
  await getNav(page).getByRole("link", { name: "Members" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Typed before the tunnel");
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(page.getByText("You are offline.")).toBeHidden();
  await getNav(page).getByRole("link", { name: "Members" }).click();
  await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
});

for (const [what, answer] of [
  ["whose connection breaks", null],
  ["that a proxy answers in the place of the service", "<html>502 Bad Gateway</html>"],
] as const) {
  test.describe("", () => {
    test.use({ expectedComplaint: /ERR_|502|SyntaxError|Unable to decode|TypeError/ });

    test(`a form ${what} stays on its page with its text, and a link leads to a page that says so`, {
      tag: "@deep",
    }, async ({ page }) => {
      await open(page, "/settings");
      await page.route("**/*.data*", (route) =>
        answer === null
          ? route.abort("connectionrefused")
          : route.fulfill({ status: 502, contentType: "text/html", body: answer }),
      );
      await page.getByLabel("Name").fill("Typed before the break");
      await page.getByRole("button", { name: "Save" }).click();
      await expect(page.getByRole("alert")).toContainText("The service did not answer in time.");
      await expect(page.getByLabel("Name")).toHaveValue("Typed before the break");
      await expectAccessible(page);
      await getNav(page).getByRole("link", { name: "Members" }).click();
      const heading = page.getByRole("heading", { name: "The service did not answer" });
      await expect(heading).toBeVisible();
      await expect(page.getByText("look first whether its change was made")).toBeVisible();
      await expectAccessible(page);
    });
  });
}
