import { gzipSync } from "node:zlib";
import { expect } from "@playwright/test";
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
const scene = setUpClaims();

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
  await page.getByLabel("Wallet or ENS name").fill(holder.address);
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
  await page.route(/\/rewards\/claim-status/, async (route) => {
    await released;
    await route.continue();
  });
  await claimButton(page).click();
  await expect(page.getByText("Claimed", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("This was paid out. It is being confirmed")).toBeVisible();
  await expect(page.getByRole("link", { name: /Transaction 0x/ })).toBeVisible();
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
  await expect(page.getByText(/This was paid out on /)).toBeVisible();
});

test("what is rejected, or refused by the contract, is said in words", async ({ page }) => {
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
  await page.reload();
  await expect(page.getByText("The campaign was cancelled on chain")).toBeVisible();
  await expectSeen(page, "cancelled");
});

test("a claim is taken up again after a reload between sending and the block", async ({ page }) => {
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

test("a claim that was sped up counts; one that was cancelled in the wallet does not", async ({
  page,
}) => {
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

test("several are claimed in one transaction; one claimed elsewhere shows when and by which", async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  await offer(scene, { name: "Season two" });
  await open(scene, page, holder.address);
  await connect(page);
  await button(page, "Claim all 2").click();
  await expect(page.getByText("This was paid out")).toHaveCount(2, { timeout: 20_000 });
  expect(wallet.sent).toHaveLength(1);
  await expectSeen(page, "claimed-many");
  await page.reload();
  await expect(page.getByText(/This was paid out on .+ UTC/)).toHaveCount(2, SLOW);
  const links = page.getByRole("link", { name: `Transaction ${wallet.sent[0]?.slice(0, 10)}` });
  await expect(links).toHaveCount(2);
  await expectSeen(page, "already-claimed");
});

test("a wallet without gas is told what it lacks", async ({ page }) => {
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  const address = holder.address;
  const held = await scene.anvil.client.getBalance({ address });
  await scene.anvil.client.setBalance({ address, value: 0n });
  try {
    await open(scene, page, holder.address);
    await connect(page);
    await expect(page.getByText("does not hold enough ETH for gas")).toBeVisible();
    await expectSeen(page, "no-gas");
  } finally {
    await scene.anvil.client.setBalance({ address, value: held });
  }
  await button(page, "Check again").click();
  await expect(claimButton(page)).toBeVisible();
});

test("an operator gives the page a name, a logo, a colour and a text", async ({ page }) => {
  await enter(page, scene.server.url, ADA);
  await page.goto(`${scene.server.url}/dashboard/${scene.system}/settings`);
  await page.getByLabel("Title").fill("Harbour Club");
  await page.getByLabel("Introduction").fill("Thank you for sailing with us.");
  await page.getByLabel("Accent colour").fill("#ffcc00");
  const logo = (buffer: Buffer) =>
    page.getByLabel("Logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
  await logo(Buffer.from("<svg onload='alert(1)'/>"));
  await button(page, "Update branding").click();
  await expect(page.getByText("The logo must be a PNG, JPEG or WebP image.")).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("Harbour Club");
  await logo(PNG);
  await button(page, "Update branding").click();
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

test("the page, its wallets and all, is at most 250 kB of compressed JavaScript", async ({
  page,
}) => {
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
