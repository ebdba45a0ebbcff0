import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { withDatabase } from "../../app/db/client";
import { allocations, distributions, merkleBuckets } from "../../app/db/schema/rewards";
import type { Address } from "../../app/domain/address";
import { getTestAccount, startAnvil } from "../chain/anvil";
import {
  type BuiltCampaignOptions,
  callContract,
  mint,
  putOnChain,
  storeBuiltCampaign,
} from "../chain/campaigns";
import { createGiftCardKey } from "../gift-cards";
import { expectAccessible, expectNoOverflow, startServer, test } from "./server";
import { injectWallet } from "./wallet";

// Whoever has a reward, with a wallet that signs for real, on a chain of the test's own. Each test has
// a point system of its own, as they claim what they see.

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const ONE = 10n ** 18n;
const admin = getTestAccount(0);
const holder = getTestAccount(2);
const other = getTestAccount(3);
const addressOf = (account: { address: string }) => account.address.toLowerCase() as Address;

const SYSTEMS = Array.from({ length: 30 }, () => randomUUID());
const CARDS = randomUUID();
const CODE = "HARBOUR-1234-CODE";
const SHOTS = process.env.SHOTS_FOLDER;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let server: Awaited<ReturnType<typeof startServer>>;
let token: Address;
let system: string;
test.beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
  await mint(anvil, token, admin, 1_000n * ONE);
  server = await startServer({
    fixture: {
      operators: [ADA],
      pointSystems: SYSTEMS.map((id, i) => ({
        operator: ADA.email,
        id,
        name: `Harbour ${i}`,
        slug: `harbour-${i}`,
        triggers: [{ name: "Daily", key: "daily", points: 10, active: true }],
        events: [{ address: addressOf(holder), points: 40, event: "daily" }],
        ...(i === 0 && {
          rewards: [
            {
              kind: "giftcard",
              id: CARDS,
              campaignName: "Thank you",
              status: "distributed",
              tiers: [{ label: "Gold", cards: [{ address: addressOf(holder), code: CODE }] }],
            },
          ],
        }),
      })),
    },
    env: {
      RPC_URL_84532: anvil.rpcUrl,
      PUBLIC_RPC_URL_84532: anvil.rpcUrl,
      GIFT_CARD_KEYS: createGiftCardKey("one"),
    },
  });
});
test.afterAll(async () => {
  await server?.stop();
  await anvil?.stop();
});
test.use({ locale: "en-US", timezoneId: "UTC", viewport: { width: 720, height: 900 } });
test.describe.configure({ timeout: 120_000 });
test.beforeEach(() => {
  // The first one is the one with the gift card.
  system = SYSTEMS.pop() ?? "";
});

/** A campaign of the test's point system for two wallets, on chain unless it is said otherwise. */
async function offer(options: Partial<BuiltCampaignOptions> & { isOffChain?: boolean } = {}) {
  const { isOffChain = false, ...rest } = options;
  return server.withDatabase(async () => {
    const campaign = await storeBuiltCampaign({
      pointSystemId: system,
      token,
      shares: [
        { address: addressOf(holder), amountWei: 3n * ONE },
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

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const claimButton = (page: Page) => page.getByRole("button", { name: "Claim", exact: true });

async function open(page: Page, wallet?: string): Promise<void> {
  await page.goto(`${server.url}/claim/${system}${wallet ? `?wallet=${wallet}` : ""}`);
}

async function connect(page: Page, name = "Test Wallet"): Promise<void> {
  await button(page, name).click();
  await expect(button(page, "Disconnect")).toBeVisible();
}

/** A state as it is seen: legible in both themes, and within 320 px. */
async function expectSeen(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 720, height: 900 };
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 800 });
  await expectNoOverflow(page);
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-320-dark.png`, fullPage: true });
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

const statusOf = async (account: { address: string }) => {
  const query = `address=${account.address}&pointSystemId=${system}`;
  const answer = await fetch(`${server.url}/rewards/claim-status?${query}`);
  return (await answer.json()).distributions;
};

test("a wallet sees what it gets and why, verified against the chain, claims it and adds the token", async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil, account: holder });
  await offer({ claimDeadline: new Date(Date.now() + 86_400_000 * 30) });
  await open(page);
  await expect(page.getByText("Look a wallet up, or connect yours")).toBeVisible();
  await expectSeen(page, "start");
  await page.getByLabel("Wallet or ENS name").fill(holder.address);
  await button(page, "Look up").click();
  await expect(page.getByText("3 TEST").first()).toBeVisible();
  await expect(page.getByText("Verified against the chain")).toBeVisible();
  await expect(page.getByText("Connect this wallet above to claim it.")).toBeVisible();
  await page.getByText("Why this amount").click();
  await expect(page.getByText("The wallet had 10 points when the split was made")).toBeVisible();
  await page.getByText("How it is verified").click();
  await expectSeen(page, "connect");
  await connect(page);
  await expect(claimButton(page)).toBeVisible();
  await expectSeen(page, "claimable");
  await claimButton(page).click();
  await expect(page.getByText("Claimed", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("This was paid out")).toBeVisible();
  await expect(page.getByRole("link", { name: /Transaction 0x/ })).toBeVisible();
  await expectSeen(page, "claimed");
  await button(page, "Add TEST to the wallet").click();
  await expect.poll(() => wallet.methods).toContain("wallet_watchAsset");
  expect(wallet.sent).toHaveLength(1);
  await page.reload();
  await expect(page.getByText("Claimed", { exact: true })).toBeVisible();
});
