import { expect as expectSoon, type Page } from "@playwright/test";
import { encodeFunctionData, type Hex, keccak256 } from "viem";
import { withDatabase } from "../../../app/db/client";
import { blacklist } from "../../../app/db/schema/ledger";
import type { Address } from "../../../app/domain/address";
import { getTestAccount } from "../../support/chain/anvil";
import { testWalletAbi } from "../../support/chain/test-wallet";
import {
  addressOf,
  button,
  claimButton,
  connect,
  expectSeen,
  holder,
  ONE,
  offer,
  open,
  other,
  SHOTS,
  setUpClaims,
} from "../../support/e2e/claim-scene";
import { expectAccessible, test } from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";
import { joinSafe, type SafeSite, startSafeSite } from "../../support/fakes/safe-site";

// Gift cards, and a Safe: the page is in the frame of Safe's web app.

const CODE = "HARBOUR-1234-CODE";
const SAFE_CODE = "HARBOUR-SAFE-CODE";
// The page asks Safe and the chain every few seconds.
const expect = expectSoon.configure({ timeout: 30_000 });
const safeOwner = getTestAccount(6);
let cards: string;
let site: SafeSite;
let stranger: SafeSite;
let safeAddress: Address;
const scene = setUpClaims(async (anvil, cardSystem) => {
  cards = cardSystem;
  site = await startSafeSite();
  stranger = await startSafeSite();
  safeAddress = await anvil.deployWallet(addressOf(safeOwner));
  return {
    cards: [
      { address: addressOf(holder), code: CODE },
      { address: safeAddress, code: SAFE_CODE },
    ],
    env: { SAFE_APP_ORIGIN: site.origin },
  };
});
// Browsers warn about the frame that Safe's web app creates.
test.use({ expectedComplaint: /allow-scripts and allow-same-origin/ });
test.afterAll(() => {
  site?.stop();
  stranger?.stop();
});

/** Opens the claim page as an app of a Safe. */
async function openInSafe(page: Page, options: { chainId?: number } = {}) {
  const safe = await joinSafe(page, {
    anvil: scene.anvil,
    address: safeAddress,
    owner: safeOwner,
    ...options,
  });
  await page.goto(site.urlOf(`${scene.server.url}/claim/${scene.system}`));
  return { safe, frame: page.frameLocator("iframe") };
}

const offerToSafe = () =>
  offer(scene, {
    shares: [
      { address: safeAddress, amountWei: 3n * ONE },
      { address: addressOf(other), amountWei: ONE },
    ],
  });

test("a gift card is shown to its holder, who signs; a blacklisted one is told", {
  tag: "@deep",
}, async ({ page }) => {
  scene.system = cards;
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  await open(scene, page, holder.address);
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
  await scene.server.withDatabase(() =>
    withDatabase((db) =>
      db.insert(blacklist).values({ pointSystemId: cards, address: addressOf(holder) }),
    ),
  );
  await page.reload();
  await expect(page.getByText("This wallet is excluded from the rewards")).toBeVisible();
  await button(page, "Show the code again").click();
  await expect(page.getByText("Wallet is blacklisted.")).toBeVisible();
  await expectSeen(page, "blacklisted");
});

test("a Safe claims from its own apps: the page waits for its owners, also after a reload, and tells the service of the transaction itself", {
  tag: "@deep",
}, async ({ page }) => {
  await offerToSafe();
  const hints: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/claim/hint")) hints.push(request.postDataJSON());
  });
  const { safe, frame } = await openInSafe(page);
  await expect(frame.getByText("Verified against the chain")).toBeVisible();
  // The Safe has nothing for gas: the account that executes the transaction pays.
  await claimButton(frame).click();
  await expect(frame.getByText("1 of 2 have signed.")).toBeVisible();
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/safe-owners.png`, fullPage: true });
  await page.reload();
  await expect(frame.getByText("1 of 2 have signed.")).toBeVisible();
  await expectAccessible(page);
  await safe.confirm();
  await expect(frame.getByText("One of them has to execute it in the Safe.")).toBeVisible();
  const txHash = await safe.execute();
  await expect(frame.getByText("This was paid out")).toBeVisible();
  const link = frame.getByRole("link", { name: `Transaction ${txHash.slice(0, 10)}` });
  await expect(link).toBeVisible();
  await expect(button(frame, /^Add TEST/)).toHaveCount(0);
  await expect.poll(() => hints).toEqual([{ chainId: scene.anvil.chain.id, txHash }]);
  expect(safe.transactions.size).toBe(1);
  expect([...safe.origins]).toEqual([scene.server.url]);
  const status = `address=${safeAddress}&pointSystemId=${scene.system}`;
  await expect
    .poll(async () => {
      const answer = await fetch(`${scene.server.url}/rewards/claim-status?${status}`);
      return (await answer.json()).distributions[0].claimTxHash;
    })
    .toBe(txHash);
});

test("what a Safe's owners reject, at once or later, is said, and can be tried again", {
  tag: "@deep",
}, async ({ page }) => {
  await offerToSafe();
  const { safe, frame } = await openInSafe(page);
  safe.rejects = true;
  await claimButton(frame).click();
  await expect(frame.getByText("You rejected the request. Nothing was sent.")).toBeVisible();
  safe.rejects = false;
  await claimButton(frame).click();
  await expect(frame.getByText("1 of 2 have signed.")).toBeVisible();
  safe.cancel();
  await expect(frame.getByText("The Safe's owners rejected it. Nothing changed.")).toBeVisible();
  await claimButton(frame).click();
  await expect(frame.getByText("1 of 2 have signed.")).toBeVisible();
  await button(frame, "Stop waiting").click();
  await expect(claimButton(frame)).toBeEnabled();
});

test("a contract that connects as any wallet does is waited for until the chain says that it has claimed", {
  tag: "@deep",
}, async ({ page }) => {
  await offerToSafe();
  const calls: { to: Hex; data: Hex }[] = [];
  await injectWallet(page, {
    anvil: scene.anvil,
    account: { ...safeOwner, address: safeAddress },
    take: async (call) => {
      calls.push(call);
      return keccak256(call.data);
    },
  });
  await open(scene, page);
  await connect(page);
  await claimButton(page).click();
  await expect(page.getByText("Sent to the wallet.")).toBeVisible();
  const [call] = calls;
  const args = [call?.to ?? "0x", call?.data ?? "0x"] as const;
  const data = encodeFunctionData({ abi: testWalletAbi, functionName: "execute", args });
  await scene.anvil.send(safeOwner, { to: safeAddress, data });
  await expect(page.getByText("This was paid out")).toBeVisible();
  await expect(page.getByText("Sent to the wallet.")).toHaveCount(0);
});

test("a Safe on another network is told to come from the right one", { tag: "@deep" }, async ({
  page,
}) => {
  await offerToSafe();
  const { frame } = await openInSafe(page, { chainId: 8453 });
  await expect(frame.getByText("Open this page from your Safe on Base Sepolia.")).toBeVisible();
  await expect(claimButton(frame)).toHaveCount(0);
});

test("a gift card is shown to a Safe that signs at once, later by another owner, or on chain", {
  tag: "@deep",
}, async ({ page }) => {
  scene.system = cards;
  const { safe, frame } = await openInSafe(page);
  await button(frame, "Reveal the code").click();
  await expect(frame.getByText(SAFE_CODE)).toBeVisible();
  safe.signs = "later";
  await page.reload();
  await button(frame, "Show the code again").click();
  await expect(frame.getByText("The Safe has to sign first")).toBeVisible();
  await safe.confirm();
  await expect(frame.getByText(SAFE_CODE)).toBeVisible();
  safe.signs = "on-chain";
  await page.reload();
  await button(frame, "Show the code again").click();
  await expect(frame.getByText(SAFE_CODE)).toBeVisible();
});

test.describe("a frame", { tag: "@deep" }, () => {
  test.use({ expectedComplaint: /allow-scripts and allow-same-origin|frame-ancestors/ });

  test("of any other site stays empty, and so does one of Safe's around an operator's page", async ({
    page,
  }) => {
    const { url } = scene.server;
    for (const address of [
      stranger.urlOf(`${url}/claim/${scene.system}`),
      site.urlOf(`${url}/sign-in`),
      site.urlOf(`${url}/dashboard`),
    ]) {
      const refused = page.waitForEvent("console", (message) =>
        message.text().includes("frame-ancestors"),
      );
      await page.goto(address);
      await refused;
      await expect(page.frameLocator("iframe").getByRole("heading")).toHaveCount(0);
    }
  });
});
