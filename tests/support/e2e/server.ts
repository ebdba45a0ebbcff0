import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
import {
  type BrowserContext,
  test as base,
  expect,
  type Frame,
  type Locator,
  type Page,
} from "@playwright/test";
import type * as Axe from "axe-core";
import { sql } from "drizzle-orm";
import { withDatabase as inDatabase } from "../../../app/db/client";
import type { MemberRole } from "../../../app/domain/access/role";
import {
  createDataDir,
  type ServerProcess,
  seed,
  startServerProcess,
  withDatabaseOf,
} from "../server-process";
import { createServerDatabase } from "./database";

// What every browser test has: a built server, and eyes on the browser's console.

export type TestServer = Awaited<ReturnType<typeof startServer>>;

/** Starts the built server on a free port with a fresh database; `stop` removes both. */
export async function startServer(
  options: {
    fixture?: object;
    members?: readonly SeededMember[];
    env?: Record<string, string>;
  } = {},
) {
  const dataDir = await createDataDir();
  const database = await createServerDatabase();
  const server: ServerProcess = await startServerProcess({
    dataDir,
    env: { ...database.env, ...options.env },
  });
  /** Does what no page and no fixture file can, in the server's own database. */
  const withDatabase = <T>(work: () => Promise<T>) => withDatabaseOf(dataDir, work, database.env);
  /** Loads a fixture, and lets operators into point systems, which a fixture cannot. */
  async function load(fixture: object, members: readonly SeededMember[] = []): Promise<void> {
    await seed(dataDir, fixture, database.env);
    await withDatabase(() => addMembers(members));
  }
  if (options.fixture) await load(options.fixture, options.members);
  return {
    load,
    url: server.url,
    /** The link that it printed; undefined when there was an operator at the start. */
    setUpUrl: /http\S+\/set-up#token=\S+/.exec(server.output())?.[0],
    withDatabase,
    async stop() {
      await server.end("SIGTERM");
      await fs.rm(dataDir, { recursive: true, force: true });
      await database.drop();
    },
  };
}

/** An operator of the fixture who is let into a point system. */
interface SeededMember {
  readonly email: string;
  readonly pointSystemId: string;
  readonly role: MemberRole;
}

/** Lets operators into point systems, which a fixture file cannot. */
async function addMembers(members: readonly SeededMember[]): Promise<void> {
  for (const { email, pointSystemId, role } of members) {
    await inDatabase((db) =>
      db.execute(sql`
        insert into point_system_members (point_system_id, operator_id, role)
        select ${pointSystemId}, id, ${role} from operators where email = ${email}`),
    );
  }
}

/** A status that the page shows as well; the console repeats it for every request. */
const EXPECTED_STATUS = /^Failed to load resource: the server responded with a status of 4\d\d/;
/** Remix writes it where a navigation ends another one, whose answer has begun to come. */
const ENDED_LOAD = /^AbortError: signal is aborted without reason/;

/** Waits until the page's scripts work: a press before that does what the browser does by itself. */
export async function waitForScripts(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      !document.querySelector("script[type=module]") ||
      // React marks what it has taken over.
      Object.keys(document.body).some((key) => key.startsWith("__reactFiber")),
  );
}

/** A test fails when a page throws, warns of its hydration, or breaks the content security policy. */
export const test = base.extend<
  { consoleIsQuiet: undefined; expectedComplaint: RegExp | null },
  { sharedServer: TestServer }
>({
  /**
   * A server for specs that change nothing outside of their own point systems. Each loads a fixture
   * whose ids, slugs, keys and email addresses no other spec has.
   */
  sharedServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from it
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  /** A page that is there for a test once its scripts work, unless the test asks for less. */
  page: async ({ page, javaScriptEnabled }, use) => {
    if (javaScriptEnabled !== false) {
      const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
      page.goto = async (url, options) => {
        const response = await goto(url, options);
        if (!options?.waitUntil) await waitForScripts(page);
        return response;
      };
      page.reload = async (options) => {
        const response = await reload(options);
        await waitForScripts(page);
        return response;
      };
    }
    await use(page);
  },
  /** The console messages that a test of a failure expects. */
  expectedComplaint: [null, { option: true }],
  consoleIsQuiet: [
    async ({ context, expectedComplaint }, use) => {
      if (SCRIPT_DELAY_MS > 0) await delayScripts(context);
      const complaints: string[] = [];
      context.on("weberror", (error) => {
        const text = String(error.error());
        if (!ENDED_LOAD.test(text)) complaints.push(text);
      });
      context.on("console", (message) => {
        const isLoud = message.type() === "error" || message.type() === "warning";
        const text = message.text();
        const isExpected = [EXPECTED_STATUS, ENDED_LOAD, expectedComplaint].some((each) =>
          each?.test(text),
        );
        if (isLoud && !isExpected) complaints.push(text);
      });
      await use(undefined);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** The widths in pixels at which whole flows are walked: a phone's at depth. */
export const WIDTHS = process.env.DEEP ? [1280, 390] : [1280];

/** Set by hand, it finds pages and tests that lose what happens before the scripts run. */
const SCRIPT_DELAY_MS = Number(process.env.SCRIPT_DELAY_MS ?? 0);

/** Lets every script of a page come late. */
async function delayScripts(context: BrowserContext): Promise<void> {
  await context.route("**/assets/*.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, SCRIPT_DELAY_MS));
    // The page may be left by then.
    await route.continue().catch(() => {});
  });
}

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
declare const axe: typeof Axe;

/** Names what axe finds in a frame. Axe itself would ask other frames by messages, which their pages take for their own. */
async function findViolations(frame: Frame, options: Axe.RunOptions): Promise<string[]> {
  // A frame keeps it until it is left.
  if (!(await frame.evaluate("'axe' in window"))) await frame.evaluate(AXE);
  const { violations } = await frame.evaluate(
    (runOptions) => axe.run({ ...runOptions, resultTypes: ["violations"], iframes: false }),
    options,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/**
 * Holds the page as it is against WCAG 2.2 AA and axe's best practices; at depth also its contrast in
 * the dark: all else is the same in both colour schemes.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const light = { colorScheme: "light", options: {} } as const;
  const dark = { colorScheme: "dark", options: { runOnly: "color-contrast" } } as const;
  // A followed link may still be loading.
  await expect(page.locator("h1").first()).toBeVisible();
  for (const { colorScheme, options } of process.env.DEEP ? [dark, light] : [light]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const frame of page.frames()) {
      // A followed link may change the page while axe reads it: what is wrong with a page stays.
      const check = expect.poll(() => findViolations(frame, options), {
        message: `${frame.url()} in ${colorScheme}`,
        // On a busy machine, axe alone takes seconds.
        timeout: 10_000,
      });
      await check.toEqual([]);
    }
  }
}

/** The page says in its corner that something happened. */
export async function expectNotice(page: Page, text: string): Promise<void> {
  await expect(page.getByRole("status").filter({ hasText: text })).toBeVisible();
}

/** Opens the menu of rare actions of a page, or of a row that is its only one within `within`. */
export async function openMenu(within: Page | Locator, name: string | RegExp = "More actions") {
  await within.getByRole("button", { name }).click();
}

/** Nothing makes the page wider than its window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  );
  expect(overflow, page.url()).toBe(0);
}

/** Signs in as the form does without scripts; the page stays as it is. */
export async function enter(
  page: Page,
  url: string,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const answer = await page.request.post(`${url}/sign-in`, {
    form: { email, password },
    headers: { Origin: url },
    maxRedirects: 0,
  });
  expect([answer.status(), answer.headers().location]).toEqual([302, "/dashboard"]);
}

/** Signs out by the menu of the account, with or without scripts. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
}

/** Signs in by the form. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
