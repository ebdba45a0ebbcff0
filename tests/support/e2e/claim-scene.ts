import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { withDatabase } from "../../../app/db/client";
import { allocations } from "../../../app/db/schema/rewards";
import type { Address } from "../../../app/domain/address";
import { getTestAccount, startAnvil } from "../chain/anvil";
import {
  type BuiltCampaignOptions,
  mint,
  putOnChain,
  storeBuiltCampaign,
} from "../chain/campaigns";
import { expectAccessible, expectNoOverflow, startServer, test } from "./server";

// Holders of rewards, with a wallet that really signs, on a chain of the file's own. Each test has
// its own point system, since it claims the rewards that it sees.

export const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
export const ONE = 10n ** 18n;
export const admin = getTestAccount(0);
export const holder = getTestAccount(2);
export const other = getTestAccount(3);
export const addressOf = (account: { address: string }) => account.address.toLowerCase() as Address;
/** The folder for pictures of every state, if any. */
export const SHOTS = process.env.SHOTS_FOLDER;
const SYSTEMS_MAX = 16;

/** A gift card of the test's point system. */
interface Card {
  readonly address: Address;
  readonly code: string;
}

export interface ClaimScene {
  anvil: Awaited<ReturnType<typeof startAnvil>>;
  server: Awaited<ReturnType<typeof startServer>>;
  token: Address;
  /** The point system of the running test. */
  system: string;
}

type Anvil = ClaimScene["anvil"];

/**
 * Starts a chain and a server for the tests of a file, and gives each test its point system.
 * @param prepare runs before the server starts, and returns its gift cards and its environment
 */
export function setUpClaims(
  prepare: (
    anvil: Anvil,
    cardSystem: string,
  ) => Promise<{ cards?: readonly Card[]; env?: Record<string, string> }> = async () => ({}),
): ClaimScene {
  const scene = {} as ClaimScene;
  const [cardSystem = "", ...systems] = Array.from({ length: SYSTEMS_MAX }, () => randomUUID());
  const ids = [cardSystem, ...systems];
  test.beforeAll(async () => {
    scene.anvil = await startAnvil();
    scene.token = await scene.anvil.deployToken();
    await mint(scene.anvil, scene.token, admin, 1_000n * ONE);
    const { cards = [], env = {} } = await prepare(scene.anvil, cardSystem);
    scene.server = await startServer({
      fixture: createFixture(ids, cards),
      env: {
        TRUSTED_PROXIES: "127.0.0.1",
        RPC_URL_84532: scene.anvil.rpcUrl,
        PUBLIC_RPC_URL_84532: scene.anvil.rpcUrl,
        ...env,
      },
    });
  });
  test.afterAll(async () => {
    await scene.server?.stop();
    await scene.anvil?.stop();
  });
  test.use({ locale: "en-US", timezoneId: "UTC", viewport: { width: 720, height: 900 } });
  test.describe.configure({ timeout: 120_000 });
  test.beforeEach(async ({ page }) => {
    scene.system = systems.pop() ?? "";
    // Each test uses its own network: together they make more calls than one network may in a
    // minute.
    const headers = { "X-Forwarded-For": `198.51.100.${systems.length + 1}` };
    await page.route(`${scene.server.url}/**`, (route) =>
      route.continue({ headers: { ...route.request().headers(), ...headers } }),
    );
  });
  return scene;
}

function createFixture(ids: readonly string[], cards: readonly Card[]) {
  return {
    operators: [ADA],
    pointSystems: ids.map((id, i) => ({
      operator: ADA.email,
      id,
      name: `Harbour ${i}`,
      slug: `harbour-${i}`,
      triggers: [{ name: "Daily", key: "daily", points: 10, active: true }],
      events: [{ address: addressOf(holder), points: 40, event: "daily" }],
      ...(i === 0 &&
        cards.length > 0 && {
          rewards: [
            {
              kind: "giftcard",
              id: randomUUID(),
              campaignName: "Thank you",
              status: "distributed",
              tiers: [{ label: "Gold", cards }],
            },
          ],
        }),
    })),
  };
}

/** Creates a campaign of the test's point system for two wallets, on chain by default. */
export async function offer(
  { server, anvil, token, system }: ClaimScene,
  options: Partial<BuiltCampaignOptions> & { isOffChain?: boolean } = {},
) {
  const { isOffChain = false, ...rest } = options;
  return server.withDatabase(async () => {
    const campaign = await storeBuiltCampaign({
      pointSystemId: system,
      token,
      shares: [
        { address: addressOf(holder), amountWei: 4n * ONE },
        { address: addressOf(other), amountWei: 4n * ONE },
      ],
      ...rest,
    });
    await withDatabase((db) =>
      db
        .update(allocations)
        .set({ totalWeight: 20n })
        .where(eq(allocations.rewardId, campaign.rewardId)),
    );
    const onchainId = isOffChain ? 0n : await putOnChain(anvil, admin, campaign);
    return { ...campaign, onchainId };
  });
}

type Place = Pick<Page, "getByRole">;

export const button = (page: Place, name: string | RegExp) => page.getByRole("button", { name });
export const claimButton = (page: Place) => page.getByRole("button", { name: /^Claim (?!all )/ });

export async function open(scene: ClaimScene, page: Page, wallet?: string): Promise<void> {
  const query = wallet ? `?wallet=${wallet}` : "";
  await page.goto(`${scene.server.url}/claim/${scene.system}${query}`);
}

export async function connect(page: Page, name = "Test Wallet"): Promise<void> {
  await button(page, name).click();
  await expect(button(page, "Disconnect")).toBeVisible();
}

/** Checks that a state is legible in both themes and fits into 320 px. */
export async function expectSeen(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 720, height: 900 };
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 800 });
  await expectNoOverflow(page);
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-320-dark.png`, fullPage: true });
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}
