import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { hexToBytes } from "viem";
import { withDatabase } from "../../app/db/client";
import { blacklist } from "../../app/db/schema/ledger";
import { allocations, distributions, merkleBuckets, rewards } from "../../app/db/schema/rewards";
import type { Address } from "../../app/domain/address";
import { getTestAccount, startAnvil } from "../chain/anvil";
import {
  type BuiltCampaignOptions,
  callContract,
  mint,
  putOnChain,
  storeBuiltCampaign,
} from "../chain/campaigns";
import {
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  signIn,
  startServer,
  test,
} from "./server";
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
const [FIRST = ""] = SYSTEMS;
const CARDS = randomUUID();
const CODE = "HARBOUR-1234-CODE";
const JS_BYTES_MAX = 250_000;
/** A transparent pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
/** Where to leave pictures of every state, if anywhere. */
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
      TRUSTED_PROXIES: "127.0.0.1",
      RPC_URL_84532: anvil.rpcUrl,
      PUBLIC_RPC_URL_84532: anvil.rpcUrl,
    },
  });
});
test.afterAll(async () => {
  await server?.stop();
  await anvil?.stop();
});
test.use({ locale: "en-US", timezoneId: "UTC", viewport: { width: 720, height: 900 } });
test.describe.configure({ timeout: 120_000 });
test.beforeEach(async ({ page }) => {
  // The first one is the one with the gift card.
  system = SYSTEMS.pop() ?? "";
  // Each test from a network of its own: together they ask more than one may in a minute.
  const headers = { "X-Forwarded-For": `198.51.100.${SYSTEMS.length + 1}` };
  await page.route(`${server.url}/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), ...headers } }),
  );
});

/** A campaign of the test's point system for two wallets, on chain unless it is said otherwise. */
async function offer(options: Partial<BuiltCampaignOptions> & { isOffChain?: boolean } = {}) {
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
  await expect(page.getByText("4 TEST").first()).toBeVisible();
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

test("whoever has nothing yet is told how many points are missing, or what else is the matter", async ({
  page,
}) => {
  const campaign = await offer({ isOffChain: true });
  const none = await offer({
    isOffChain: true,
    name: "Season two",
    shares: [{ address: addressOf(other), amountWei: ONE }],
  });
  const far = await offer({
    isOffChain: true,
    name: "Season three",
    shares: [{ address: addressOf(other), amountWei: ONE }],
  });
  await server.withDatabase(async () => {
    await withDatabase((db) =>
      db.delete(allocations).where(eq(allocations.rewardId, far.rewardId)),
    );
    await withDatabase((db) =>
      db.update(rewards).set({ minPoints: 1_000 }).where(eq(rewards.id, far.rewardId)),
    );
  });
  expect(none.rewardId).not.toBe(campaign.rewardId);
  await open(page, holder.address);
  await expect(page.getByText("Allocation pending")).toBeVisible();
  await expect(page.getByText("Not eligible", { exact: true })).toBeVisible();
  await expect(page.getByText("960 more points are needed")).toBeVisible();
  await expectSeen(page, "nothing-yet");
  await page.getByLabel("Wallet or ENS name").fill("0x12");
  await button(page, "Look up").click();
  await expect(page.getByText("This is no address, and no ENS name")).toBeVisible();
  await expectSeen(page, "no-address");
});

test.describe("what does not answer", () => {
  test.use({ expectedComplaint: /responded with a status of 50[03]|ERR_FAILED/ });

  test("a service that does not answer is said, and never passes for not eligible", async ({
    page,
  }) => {
    await offer();
    await page.route("**/rewards/claim-status*", (route) =>
      route.fulfill({ status: 500, json: { error: "x", message: "Internal server error" } }),
    );
    await open(page, holder.address);
    await expect(page.getByText("Trying again…")).toBeVisible();
    await expect(page.getByText("This says nothing about what the wallet gets.")).toBeVisible({
      timeout: 40_000,
    });
    await expect(page.getByText("Not eligible")).toHaveCount(0);
    await expectSeen(page, "unreachable");
    await page.unroute("**/rewards/claim-status*");
    await button(page, "Try again").click();
    await expect(page.getByText("Verified against the chain")).toBeVisible();
  });

  test("names that cannot be looked up, and a chain that is away, are said as what they are", async ({
    page,
  }) => {
    await offer();
    await open(page, "holder.eth");
    await expect(page.getByText("Names cannot be looked up now.")).toBeVisible();
    await page.route(`${anvil.rpcUrl}/**`, (route) => route.abort());
    await open(page, holder.address);
    await expect(page.getByText("Base Sepolia does not answer now")).toBeVisible({
      timeout: 60_000,
    });
    await expectSeen(page, "chain-away");
    await page.unroute(`${anvil.rpcUrl}/**`);
    await button(page, "Try again").click();
    await expect(page.getByText("Verified against the chain")).toBeVisible();
  });
});

test("a refusal of too many calls is waited for as long as it says", async ({ page }) => {
  await offer();
  const calledAt: number[] = [];
  await page.route("**/rewards/proof*", (route) => {
    calledAt.push(Date.now());
    if (calledAt.length > 1) return route.continue();
    return route.fulfill({
      status: 429,
      headers: { "Retry-After": "3" },
      json: { message: "Too many requests", code: "too_many_requests" },
    });
  });
  await open(page, holder.address);
  await expect(page.getByText("Verified against the chain")).toBeVisible({ timeout: 20_000 });
  expect(calledAt).toHaveLength(2);
  expect((calledAt[1] ?? 0) - (calledAt[0] ?? 0)).toBeGreaterThanOrEqual(3_000);
});

test("a proof that is being built comes by itself", async ({ page }) => {
  const { rewardId } = await offer();
  const setFunded = (fundedAt: Date | null) =>
    server.withDatabase(() =>
      withDatabase((db) =>
        db.update(merkleBuckets).set({ fundedAt }).where(eq(merkleBuckets.rewardId, rewardId)),
      ),
    );
  await setFunded(null);
  await open(page, holder.address);
  await expect(page.getByText("Proof is being built")).toBeVisible();
  await expectSeen(page, "proof-building");
  await setFunded(new Date());
  await expect(page.getByText("Verified against the chain")).toBeVisible({ timeout: 20_000 });
});

test("an amount that the contract does not know is not verified, and cannot be claimed", async ({
  page,
}) => {
  await injectWallet(page, { anvil, account: holder });
  await offer();
  await page.route("**/rewards/proof*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), amount: String(5n * ONE) } });
  });
  await open(page, holder.address);
  await connect(page);
  await expect(page.getByText("The contract does not know this allocation")).toBeVisible();
  await expect(page.getByText("Not verified", { exact: true })).toBeVisible();
  await expect(claimButton(page)).toHaveCount(0);
  await expectSeen(page, "unverified");
});

test("a wallet on another network is switched, and told of the chain first", async ({ page }) => {
  const options = { anvil, account: holder, startChainId: 1, isChainUnknown: true };
  const wallet = await injectWallet(page, options);
  await offer();
  await open(page);
  await connect(page);
  await expect(page.getByText("The wallet is on another network.")).toBeVisible();
  await expectSeen(page, "wrong-network");
  await button(page, "Switch to Base Sepolia").click();
  await expect(claimButton(page)).toBeVisible();
  expect(wallet.methods).toContain("wallet_addEthereumChain");
});

test("another account than the one looked up is said; the connected one is a press away", async ({
  page,
}) => {
  await injectWallet(page, { anvil, account: other });
  await offer({
    shares: [
      { address: addressOf(holder), amountWei: 4n * ONE },
      { address: addressOf(other), amountWei: 2n * ONE },
    ],
  });
  await open(page, holder.address);
  await connect(page);
  await expect(page.getByText("Another wallet is connected.")).toBeVisible();
  await expect(claimButton(page)).toHaveCount(0);
  await expectSeen(page, "other-account");
  await page.getByRole("link", { name: "look at the connected wallet" }).click();
  await expect(page.getByText("2 TEST").first()).toBeVisible();
  await expect(claimButton(page)).toBeVisible();
});

test("a wallet without gas is told what it lacks", async ({ page }) => {
  await injectWallet(page, { anvil, account: holder });
  await offer();
  const address = holder.address;
  const held = await anvil.client.getBalance({ address });
  await anvil.client.setBalance({ address, value: 0n });
  try {
    await open(page, holder.address);
    await connect(page);
    await expect(page.getByText("does not hold enough ETH for gas")).toBeVisible();
    await expectSeen(page, "no-gas");
  } finally {
    await anvil.client.setBalance({ address, value: held });
  }
  await button(page, "Look again").click();
  await expect(claimButton(page)).toBeVisible();
});

test("what is rejected, or refused by the contract, is said in words", async ({ page }) => {
  const wallet = await injectWallet(page, { anvil, account: holder });
  const campaign = await offer();
  await open(page, holder.address);
  await connect(page);
  wallet.rejects = true;
  await claimButton(page).click();
  await expect(page.getByText("You rejected it in the wallet. Nothing was sent.")).toBeVisible();
  await expectSeen(page, "rejected");
  wallet.rejects = false;
  await callContract(anvil, admin, "cancel", [
    campaign.onchainId,
    campaign.buckets.map(({ root }) => root),
    admin.address,
  ]);
  await claimButton(page).click();
  await expect(page.getByText("The campaign was cancelled.").first()).toBeVisible();
  await expectSeen(page, "refused");
  expect(wallet.sent).toHaveLength(0);
  await page.reload();
  await expect(page.getByText("The campaign was cancelled on chain")).toBeVisible();
  await expectSeen(page, "cancelled");
});

test("a claim is taken up again after a reload between sending and the block", async ({ page }) => {
  const wallet = await injectWallet(page, { anvil, account: holder });
  await offer();
  await open(page, holder.address);
  await connect(page);
  await anvil.client.setAutomine(false);
  try {
    await claimButton(page).click();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    await expectSeen(page, "confirming");
    await page.reload();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    await anvil.client.mine({ blocks: 1 });
    await expect(page.getByText("This was paid out")).toBeVisible({ timeout: 20_000 });
  } finally {
    await anvil.client.setAutomine(true);
  }
  await expect(page.getByRole("link", { name: /Transaction 0x/ })).toBeVisible();
  expect(wallet.methods.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
});

test("a claim that was sped up counts; one that was cancelled in the wallet does not", async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil, account: holder });
  await offer();
  await open(page, holder.address);
  await connect(page);
  wallet.cancels = true;
  await claimButton(page).click();
  await expect(page.getByText("It was cancelled in the wallet.")).toBeVisible({ timeout: 20_000 });
  await expectSeen(page, "replaced");
  wallet.cancels = false;
  wallet.speedsUp = true;
  await claimButton(page).click();
  await expect(page.getByText("This was paid out")).toBeVisible({ timeout: 20_000 });
});

test("several are claimed in one transaction; one claimed elsewhere shows when and by which", async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil, account: holder });
  const [first] = [await offer(), await offer({ name: "Season two" })];
  await open(page, holder.address);
  await connect(page);
  await button(page, "Claim all 2").click();
  await expect(page.getByText("This was paid out")).toHaveCount(2, { timeout: 20_000 });
  expect(wallet.sent).toHaveLength(1);
  await expectSeen(page, "claimed-many");
  const claimTxHash = hexToBytes(wallet.sent[0] ?? "0x");
  await server.withDatabase(() =>
    withDatabase((db) =>
      db
        .update(distributions)
        .set({ claimedAt: new Date("2026-11-20T10:00:00Z"), claimTxHash })
        .where(eq(distributions.rewardId, first?.rewardId ?? "")),
    ),
  );
  await page.reload();
  await expect(page.getByText("Nov 20, 2026, 10:00 AM UTC")).toBeVisible();
  await expectSeen(page, "already-claimed");
});

test("after the deadline nothing is offered", async ({ page }) => {
  const { timestamp } = await anvil.client.getBlock();
  const offered = await offer({ claimDeadline: new Date((Number(timestamp) + 3_600) * 1_000) });
  await anvil.client.increaseTime({ seconds: 7_200 });
  await anvil.client.mine({ blocks: 1 });
  await open(page, holder.address);
  await expect(page.getByText("The deadline has passed")).toBeVisible();
  await expectSeen(page, "deadline");
  expect(offered.deadline).toBeGreaterThan(0);
});

test("a gift card is shown to its holder, who signs; a blacklisted one is told", async ({
  page,
}) => {
  system = FIRST;
  await injectWallet(page, { anvil, account: holder });
  await open(page, holder.address);
  await expect(page.getByText("Only the holder can see the code.")).toBeVisible();
  await expectSeen(page, "card-locked");
  await connect(page);
  await expectSeen(page, "card-revealable");
  await button(page, "Reveal the code").click();
  await expect(page.getByText(CODE)).toBeVisible();
  await expectSeen(page, "card-revealed");
  await page.reload();
  await expect(page.getByText("Revealed", { exact: true })).toBeVisible();
  await expect(page.getByText(CODE)).toHaveCount(0);
  await server.withDatabase(() =>
    withDatabase((db) =>
      db.insert(blacklist).values({ pointSystemId: FIRST, address: addressOf(holder) }),
    ),
  );
  await page.reload();
  await expect(page.getByText("This wallet is excluded from the rewards")).toBeVisible();
  await button(page, "Show the code again").click();
  await expect(page.getByText("Wallet is blacklisted.")).toBeVisible();
  await expectSeen(page, "blacklisted");
});

test("an operator gives the page a name, a logo, a colour and a text", async ({ page }) => {
  await page.goto(`${server.url}/sign-in`);
  await signIn(page, ADA.email, ADA.password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  await page.goto(`${server.url}/dashboard/${system}/settings`);
  await page.getByLabel("Title").fill("Harbour Club");
  await page.getByLabel("Introduction").fill("Thank you for sailing with us.");
  await page.getByLabel("Accent colour").fill("#ffcc00");
  const logo = (buffer: Buffer) =>
    page.getByLabel("Logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
  await logo(Buffer.from("<svg onload='alert(1)'/>"));
  await button(page, "Apply the look").click();
  await expect(page.getByText("The logo has to be a PNG, JPEG or WebP image.")).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("Harbour Club");
  await logo(PNG);
  await button(page, "Apply the look").click();
  await expectNotice(page, "The public pages look so now.");
  await expectAccessible(page);
  await expect(async () => {
    await open(page, holder.address);
    await expect(page.getByRole("heading", { name: "Harbour Club" })).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.locator("header img")).toHaveJSProperty("naturalWidth", 1);
  await expect(page.getByText("Thank you for sailing with us.")).toBeVisible();
  await expectSeen(page, "branded");
});

test("the page, its wallets and all, is at most 250 kB of compressed JavaScript", async ({
  page,
}) => {
  await injectWallet(page, { anvil, account: holder });
  await offer();
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await open(page, holder.address);
  await connect(page);
  await expect(claimButton(page)).toBeVisible();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  if (SHOTS) console.log(`${total} bytes of JavaScript, compressed`);
  expect(total).toBeLessThanOrEqual(JS_BYTES_MAX);
});
