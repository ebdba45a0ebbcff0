import fs from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { erc20Abi, getAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { getTestAccount } from "../../support/chain/anvil";
import { callContract } from "../../support/chain/campaigns";
import {
  ADA,
  addressOf,
  admin,
  button,
  claimButton,
  connect,
  expectSeen,
  holder,
  ONE,
  offer,
  open,
  SHOTS,
  setUpClaims,
} from "../../support/e2e/claim-scene";
import { enter, expectAccessible, expectNotice, test } from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";

// Claims through the page: sent, followed, and found by the service's own scan of the chain.

const JS_BYTES_MAX = 250_000;
/** A transparent pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const SLOW = { timeout: 30_000 };
const PAYMASTER = "https://paymaster.invalid/rpc";
const scene = setUpClaims(async ({ rpcUrl }) => ({
  env: { PAYMASTER_URL_84532: PAYMASTER, PUBLIC_RPC_URL_8453: rpcUrl },
}));

/** The folded cards of rewards that are claimed. */
const claimedLines = (page: Page) => page.locator("summary").filter({ hasText: "Claimed" });

/** Asks the API for the status of the holder's claim. */
async function askStatus() {
  const query = `address=${addressOf(holder)}&pointSystemId=${scene.system}`;
  const answer = await fetch(`${scene.server.url}/rewards/claim-status?${query}`);
  const { distributions } = (await answer.json()) as {
    distributions: { claimedAt: string | null; claimTxHash: string | null }[];
  };
  return distributions[0];
}

test("a wallet sees what it gets and why, verified against the chain, claims it and adds the token", async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene, { claimDeadline: new Date(Date.now() + 86_400_000 * 30) });
  await open(scene, page);
  await expect(page.getByText("Look up a wallet, or connect yours")).toBeVisible();
  await expectSeen(page, "start");
  await page.getByLabel(/^Wallet (address|or ENS name)$/).fill(holder.address);
  await button(page, "Look up").click();
  await expect(page.getByText("4 TEST").first()).toBeVisible();
  await expect(page.getByText("Verified against the chain")).toBeVisible();
  await expect(page.getByText("Connect this wallet above to claim.")).toBeVisible();
  await page.getByText("Why this amount").click();
  await expect(page.getByText("The wallet had 10 points when the split was made")).toBeVisible();
  await page.getByText("How it is verified").click();
  await expectSeen(page, "connect");
  await connect(page);
  await expect(claimButton(page)).toBeVisible();
  await expectSeen(page, "claimable");
  expect(await askStatus()).toMatchObject({ claimedAt: null, claimTxHash: null });
  // The service's answer is delayed.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/wallet\?wallet=/, async (route) => {
    await released;
    await route.continue();
  });
  await claimButton(page).click();
  await expect(page.getByText("Claimed", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("This was paid out. It is being confirmed")).toBeVisible();
  await expect(page.getByRole("link", { name: /Transaction 0x/ })).toBeVisible();
  await expect(page.getByText("You claimed 4 TEST")).toBeVisible();
  // The link names no wallet.
  const shared = page.url().split("?")[0] ?? "";
  await expect(button(page, "Copy link to share")).toHaveAttribute("title", shared);
  await expectSeen(page, "confirming");
  release();
  expect(wallet.sent).toHaveLength(1);
  // The service found the claim on the chain: the test did not write to the database.
  await expect.poll(async () => (await askStatus())?.claimTxHash, SLOW).toBe(wallet.sent[0]);
  await expect(page.getByText(/This was paid out on /)).toBeVisible(SLOW);
  await expectSeen(page, "claimed");
  wallet.rejects = true;
  await button(page, "Add TEST to the wallet").click();
  await expect(page.getByText("The tokens are in the wallet anyway.")).toBeVisible();
  wallet.rejects = false;
  await button(page, "Add TEST to the wallet").click();
  await expect(page.getByText("The wallet now lists the token.")).toBeVisible();
  await page.reload();
  await expect(claimedLines(page)).toContainText("4 TEST");
  await expect(page.getByText(/This was paid out on /)).toBeHidden();
  await claimedLines(page).click();
  await expect(page.getByText(/This was paid out on /)).toBeVisible();
});

test("a look-up is one call; the proof is saved, and the claim is paid to another address", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  const campaign = await offer(scene);
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\/wallet$|^\/rewards\//.test(pathname)) calls.push(pathname);
  });
  await open(scene, page, holder.address);
  await expect(page.getByText("Verified against the chain")).toBeVisible();
  expect(calls).toEqual([`/claim/${scene.system}/wallet`]);
  await page.getByText("Claim without this page").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Save my proof").click(),
  ]);
  const saved = JSON.parse(await fs.readFile(await download.path(), "utf8"));
  const { amountWei, proof } = campaign.proofOf(addressOf(holder));
  expect(saved).toMatchObject({
    chainId: scene.anvil.chain.id,
    onchainId: String(campaign.onchainId),
    address: addressOf(holder),
    amountWei: String(amountWei),
    merkleProof: proof,
  });
  // The file of all proofs is made in the background.
  const file = page.getByRole("link", { name: "The proofs of all wallets (JSON)" });
  await expect(async () => {
    await page.reload();
    await page.getByText("Claim without this page").click();
    await expect(file).toBeVisible({ timeout: 2_000 });
  }).toPass(SLOW);
  await expectSeen(page, "own-proof");

  await connect(page);
  await page.getByText("Pay to another address").click();
  await page.getByLabel("Pay to").fill(scene.token);
  await button(page, "Check the address").click();
  await expect(page.getByText("This is the token itself.")).toBeVisible();
  await page.getByLabel("Pay to").fill(CAMPAIGN_CONTRACT_ADDRESS);
  await button(page, "Check the address").click();
  await expect(page.getByText("This is the campaign contract.")).toBeVisible();
  const friend = getAddress(privateKeyToAddress(generatePrivateKey()));
  await page.getByLabel("Pay to").fill(friend.toLowerCase());
  await button(page, "Check the address").click();
  await expect(page.getByText("The address has no checksum")).toBeVisible();
  await expect(page.getByText(friend)).toBeVisible();
  await expectSeen(page, "pay-elsewhere");
  await button(page, "Claim to this address").click();
  await expect(page.getByText("Claimed", { exact: true })).toBeVisible(SLOW);
  const held = (account: Hex) =>
    scene.anvil.client.readContract({
      address: scene.token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [account],
    });
  expect(await held(friend)).toBe(4n * ONE);
});

test("a wallet without gas claims by its paymaster, where it has one", async ({ page }) => {
  const poor = getTestAccount(7);
  await scene.anvil.client.setBalance({ address: poor.address, value: 0n });
  const wallet = await injectWallet(page, {
    anvil: scene.anvil,
    account: poor,
    isSponsored: true,
  });
  await offer(scene, { shares: [{ address: addressOf(poor), amountWei: 4n * ONE }] });
  await open(scene, page, poor.address);
  await connect(page);
  await claimButton(page).click();
  await expect(page.getByText("Claimed", { exact: true })).toBeVisible(SLOW);
  expect(wallet.bundles).toHaveLength(1);
  expect(wallet.bundles[0]?.capabilities?.paymasterService?.url).toBe(PAYMASTER);
  expect(wallet.methods).not.toContain("eth_sendTransaction");
  await expect(page.getByText(/^The wallet does not hold enough/)).toHaveCount(0);
  await expect(page.getByRole("link", { name: /Transaction 0x/ })).toBeVisible(SLOW);
  // The wallet calls the paymaster, not the page.
  const answer = await fetch(`${scene.server.url}/claim/${scene.system}`);
  expect(answer.headers.get("content-security-policy")).not.toContain("paymaster");
});

test.describe("a phone without a wallet", { tag: "@deep" }, () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test("opens the page in the app of a wallet", async ({ page }) => {
    await offer(scene);
    await open(scene, page, holder.address);
    await expect(page.getByText("Or open this page in your wallet's app:")).toBeVisible();
    const link = page.getByRole("link", { name: "Trust Wallet" });
    const target = new URL((await link.getAttribute("href")) ?? "");
    expect(target.searchParams.get("url")).toBe(page.url());
    await expectSeen(page, "phone");
  });
});

test("what is rejected, or refused by the contract, is said in words", { tag: "@deep" }, async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  const campaign = await offer(scene);
  await open(scene, page, holder.address);
  await connect(page);
  wallet.rejects = true;
  await claimButton(page).click();
  await expect(page.getByText("You rejected the request. Nothing was sent.")).toBeVisible();
  await expectSeen(page, "rejected");
  wallet.rejects = false;
  await callContract(scene.anvil, admin, "cancel", [
    campaign.onchainId,
    campaign.buckets.map(({ root }) => root),
    admin.address,
  ]);
  await claimButton(page).click();
  await expect(page.getByText("The campaign was cancelled.").first()).toBeVisible();
  await expectSeen(page, "refused");
  expect(wallet.sent).toHaveLength(0);
  // The chain says so at once, the service as soon as it has read the block. Then the card folds.
  const folded = page.locator("summary").filter({ hasText: "Cancelled" });
  await expect(async () => {
    await page.reload();
    await expect(folded).toBeVisible({ timeout: 5000 });
  }).toPass(SLOW);
  await folded.click();
  await expect(
    page.getByText("The campaign was cancelled. The contract no longer pays."),
  ).toBeVisible();
  await expectSeen(page, "cancelled");
});

test("a claim is taken up again after a reload between sending and the block", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  await open(scene, page, holder.address);
  await connect(page);
  await scene.anvil.client.setAutomine(false);
  try {
    await claimButton(page).click();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    const link = page.getByRole("link", { name: /^0x[0-9a-f]{8}…$/ });
    await expect(link).toHaveAttribute("href", /^https:\/\/.+\/tx\/0x[0-9a-f]{64}$/);
    await expectSeen(page, "confirming");
    await page.reload();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    await scene.anvil.client.mine({ blocks: 1 });
    await expect(page.getByText("This was paid out")).toBeVisible({ timeout: 20_000 });
  } finally {
    await scene.anvil.client.setAutomine(true);
  }
  await expect(page.getByRole("link", { name: /Transaction 0x/ })).toBeVisible();
  expect(wallet.methods.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
});

test("a claim that was sped up counts; one that was cancelled in the wallet does not", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  await open(scene, page, holder.address);
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

test("a claim whose transaction was sped up before a reload is settled by what the chain says", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  const { onchainId, proofOf } = await offer(scene);
  await open(scene, page, holder.address);
  await connect(page);
  await scene.anvil.client.setAutomine(false);
  try {
    await claimButton(page).click();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    await page.reload();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    // The page knows the first hash only, which no block will have.
    const [hash] = wallet.sent;
    await scene.anvil.client.dropTransaction({ hash: hash as `0x${string}` });
    await scene.anvil.client.setAutomine(true);
    const { amountWei, proof } = proofOf(addressOf(holder));
    await callContract(scene.anvil, admin, "claimFor", [
      addressOf(holder),
      onchainId,
      amountWei,
      proof,
    ]);
  } finally {
    await scene.anvil.client.setAutomine(true);
  }
  await expect(page.getByText("This was paid out")).toBeVisible(SLOW);
  await expect(page.getByText("Sent. Waiting for a block…")).toBeHidden(SLOW);
});

test("an endpoint that is a block behind offers no claim again", { tag: "@deep" }, async ({
  page,
}) => {
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  let behind: string | null = null;
  const { origin } = new URL(scene.anvil.rpcUrl);
  await page.route(
    (url) => url.origin === origin,
    (route) => {
      const calls: unknown = route.request().postDataJSON();
      const toOld = (call: { method: string; params: unknown[] }) =>
        call.method === "eth_call" ? { ...call, params: [call.params[0], behind] } : call;
      if (behind === null || calls === null) return route.continue();
      const old = Array.isArray(calls) ? calls.map(toOld) : toOld(calls as never);
      return route.continue({ postData: JSON.stringify(old) });
    },
  );
  await open(scene, page, holder.address);
  await connect(page);
  behind = `0x${(await scene.anvil.client.getBlockNumber()).toString(16)}`;
  await claimButton(page).click();
  await expect(page.getByText("The claim is in a block.")).toBeVisible(SLOW);
  await expect(claimButton(page)).toBeHidden();
  await expectSeen(page, "behind");
  behind = null;
  await expect(page.getByText("This was paid out")).toBeVisible(SLOW);
});

test("several are claimed in one transaction; one claimed elsewhere shows when and by which", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  await offer(scene, { name: "Season two" });
  await open(scene, page, holder.address);
  await connect(page);
  await expect(page.getByText("8 TEST").first()).toBeVisible();
  wallet.rejects = true;
  await button(page, "Claim all 2").click();
  const rejected = page.getByText("You rejected the request. Nothing was sent.");
  await expect(rejected).toBeVisible();
  await expect(page.locator("section:not(:has(section))").filter({ has: rejected })).toHaveCount(0);
  await expectSeen(page, "rejected-many");
  wallet.rejects = false;
  await button(page, "Claim all 2").click();
  await expect(page.getByText("This was paid out")).toHaveCount(2, { timeout: 20_000 });
  expect(wallet.sent).toHaveLength(1);
  await expectSeen(page, "claimed-many");
  await page.reload();
  await expect(page.getByText(/This was paid out on .+ UTC/)).toHaveCount(2, SLOW);
  await expectSeen(page, "already-claimed-folded");
  for (const line of await claimedLines(page).all()) await line.click();
  const links = page.getByRole("link", { name: `Transaction ${wallet.sent[0]?.slice(0, 10)}` });
  await expect(links).toHaveCount(2);
  await expectSeen(page, "already-claimed");
});

test("what waits stands above what is claimed, and its sum spans chains", { tag: "@deep" }, async ({
  page,
}) => {
  const claimed = await offer(scene, { name: "Season one" });
  const { amountWei, proof } = claimed.proofOf(addressOf(holder));
  await callContract(scene.anvil, admin, "claimFor", [
    ...([addressOf(holder), claimed.onchainId, amountWei, proof] as const),
  ]);
  await expect.poll(async () => (await askStatus())?.claimedAt, SLOW).toBeTruthy();
  await offer(scene, { name: "Season two" });
  const third = await offer(scene, { name: "Season three" });
  await open(scene, page, holder.address);
  const names = page.getByRole("region", { name: "Rewards" }).getByRole("heading", { level: 2 });
  await expect(names).toHaveText(["Season three", "Season two", "Season one"]);
  await expect(claimedLines(page)).toHaveCount(1);
  await expect(page.getByText("Ready to claim in all")).toHaveCount(0);
  // One of the two is taken for a reward of another chain, where the same token has another address.
  await page.route(/\/wallet\?wallet=/, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const moved = answer.distributions.find(
      ({ rewardId }: { rewardId: string }) => rewardId === third.rewardId,
    );
    Object.assign(moved, { chainId: 8453, tokenAddress: CAMPAIGN_CONTRACT_ADDRESS });
    await route.fulfill({ response, json: answer });
  });
  await open(scene, page, holder.address);
  await expect(page.getByText("8 TEST").first()).toBeVisible();
  const sum = page.getByText("Ready to claim in all: 2 rewards on Base and Base Sepolia.");
  await expect(sum).toBeVisible();
  await expectSeen(page, "over-chains");
});

test("more than 20 rewards are claimed in several transactions", { tag: "@deep" }, async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  const shares = [holder, admin].map((one) => ({ address: addressOf(one), amountWei: ONE }));
  for (let i = 1; i <= 21; i += 1) await offer(scene, { name: `Week ${i}`, token: null, shares });
  await open(scene, page, holder.address);
  await connect(page);
  await expect(page.getByText("21 rewards on Base Sepolia can be claimed, 20 of them")).toBeVisible(
    SLOW,
  );
  await button(page, "Claim the first 20").click();
  await expect(page.getByText("This was paid out")).toHaveCount(20, SLOW);
  await button(page, /^Claim Week/).click();
  await expect(page.getByText("This was paid out")).toHaveCount(21, SLOW);
  expect(wallet.sent).toHaveLength(2);
});

test("a wallet without gas is told what it lacks, and may claim all the same", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  const address = holder.address;
  const held = await scene.anvil.client.getBalance({ address });
  await scene.anvil.client.setBalance({ address, value: 0n });
  try {
    await open(scene, page, holder.address);
    await connect(page);
    await expect(page.getByText("does not hold enough ETH for gas")).toBeVisible();
    // Somebody else may pay: a sponsored wallet claims all the same.
    await expect(claimButton(page)).toBeEnabled();
    await expectSeen(page, "no-gas");
  } finally {
    await scene.anvil.client.setBalance({ address, value: held });
  }
  await button(page, "Check again").click();
  await expect(button(page, "Check again")).toBeHidden();
  await expect(claimButton(page)).toBeVisible();
  // With several claims it is said once, where they are sent together.
  await offer(scene, { name: "Season two" });
  await scene.anvil.client.setBalance({ address, value: 0n });
  try {
    await page.reload();
    await expect(button(page, "Claim all 2")).toBeEnabled();
    await expect(page.getByText("does not hold enough ETH for gas")).toHaveCount(1);
    await expectSeen(page, "no-gas-for-all");
  } finally {
    await scene.anvil.client.setBalance({ address, value: held });
  }
});

test("an operator gives the page a name, a logo, a colour and a text", { tag: "@deep" }, async ({
  page,
}) => {
  await enter(page, scene.server.url, ADA);
  await page.goto(`${scene.server.url}/dashboard/${scene.system}/branding`);
  await page.getByLabel("Title").fill("Harbour Club");
  await page.getByLabel("Introduction").fill("Thank you for sailing with us.");
  await page.getByLabel("Accent colour").fill("#ffcc00");
  const logo = (buffer: Buffer) =>
    page.getByLabel("Logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
  await logo(Buffer.from("<svg onload='alert(1)'/>"));
  await button(page, "Save").click();
  await expect(page.getByText("The logo must be a PNG, JPEG or WebP image.")).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("Harbour Club");
  await logo(PNG);
  await button(page, "Save").click();
  await expectNotice(page, "The branding is saved.");
  await expectAccessible(page);
  await expect(async () => {
    await open(scene, page, holder.address);
    await expect(page.getByRole("heading", { name: "Harbour Club" })).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.locator("header img")).toHaveJSProperty("naturalWidth", 1);
  await expect(page.getByText("Thank you for sailing with us.")).toBeVisible();
  const manifest = await page.request.get(
    `${scene.server.url}/claim/${scene.system}/manifest.json`,
  );
  const { name, iconPath } = await manifest.json();
  expect(name).toBe("Harbour Club");
  const logoFile = await page.request.get(iconPath);
  expect(logoFile.headers()["content-type"]).toBe("image/png");
  expect(await logoFile.body()).toEqual(PNG);
  await expectSeen(page, "branded");
});

test("the page, its wallets and all, is at most 250 kB of compressed JavaScript", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await open(scene, page, holder.address);
  await connect(page);
  await expect(claimButton(page)).toBeVisible();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  if (SHOTS) console.log(`${total} bytes of JavaScript, compressed`);
  expect(total).toBeLessThanOrEqual(JS_BYTES_MAX);
});
