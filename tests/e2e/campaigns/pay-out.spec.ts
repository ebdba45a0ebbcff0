import { randomBytes } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { type Hex, parseEventLogs, toHex } from "viem";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { callContract, passDeadline } from "../../support/chain/campaigns";
import {
  ADA,
  addressOf,
  admin,
  button,
  connect,
  holder,
  ONE,
  offer,
  setUpClaims,
} from "../../support/e2e/claim-scene";
import { enter, expectAccessible, expectNoOverflow, test } from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";

// An operator pays a campaign out to everybody, on a chain of the file's own.

const scene = setUpClaims();
const SLOW = { timeout: 60_000 };
const SHARE = ONE / 1_000n;

/** Puts a campaign in the chain's coin on chain: for a holder, one who refuses coins, and others. */
async function offerTo(wallets: number) {
  const others = Array.from({ length: wallets - 2 }, () => toHex(randomBytes(20)));
  // The test's token takes no coin.
  const everybody: Address[] = [scene.token, ...others, addressOf(holder)];
  const shares = everybody.map((address) => ({ address, amountWei: SHARE }));
  const campaign = await offer(scene, { token: null, shares });
  return { ...campaign, others };
}

async function openPayOut(page: Page, rewardId: string): Promise<void> {
  const path = `/dashboard/${scene.system}/rewards/${rewardId}/chain`;
  await page.goto(scene.server.url + path);
  await page.getByRole("link", { name: "Pay out to everybody" }).click();
  await expect(page.getByRole("heading", { name: "Pay out with a wallet" })).toBeVisible();
}

/** Connects again, unless the page has remembered the wallet. */
async function reconnect(page: Page): Promise<void> {
  const choice = button(page, "Test Wallet");
  const leave = button(page, "Disconnect");
  await expect(choice.or(leave)).toBeVisible();
  await expect(async () => {
    if (await choice.isVisible()) await choice.click({ timeout: 1_000 });
    await expect(leave).toBeVisible({ timeout: 3_000 });
  }).toPass();
}

/** Lists how often the contract paid each wallet of an airdrop. */
async function countPayments(onchainId: bigint): Promise<Map<string, number>> {
  const logs = await scene.anvil.client.getLogs({
    address: CAMPAIGN_CONTRACT_ADDRESS,
    fromBlock: 0n,
  });
  const paid = new Map<string, number>();
  for (const { args } of parseEventLogs({ abi: campaignAbi, eventName: "Claimed", logs })) {
    if (args.id !== onchainId) continue;
    const account = args.account.toLowerCase();
    paid.set(account, (paid.get(account) ?? 0) + 1);
  }
  return paid;
}

/** Checks that the holder and all others were paid exactly once, and nobody else. */
async function expectAllPaidOnce({ onchainId, others }: Awaited<ReturnType<typeof offerTo>>) {
  const paid = await countPayments(onchainId);
  const expected = [...others, addressOf(holder)].sort();
  expect([...paid.keys()].sort()).toEqual(expected);
  expect([...paid.values()].every((times) => times === 1)).toBe(true);
  for (const address of [others[0], others.at(-1)] as Hex[]) {
    expect(await scene.anvil.client.getBalance({ address })).toBe(SHARE);
  }
}

const claim = ({ onchainId, proofOf }: Awaited<ReturnType<typeof offerTo>>) => {
  const { amountWei, proof } = proofOf(addressOf(holder));
  return callContract(scene.anvil, holder, "claim", [onchainId, amountWei, proof]);
};

test("everybody is paid once, whoever refuses is listed, and a closed page goes on", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: admin });
  const campaign = await offerTo(110);
  await enter(page, scene.server.url, ADA);
  await openPayOut(page, campaign.rewardId);
  await connect(page);
  await expect(
    page.getByText(/Next transaction: 100 wallets, at most about 0\.\d+ ETH/),
  ).toBeVisible();
  await expectAccessible(page);
  // The page has prepared a transaction that may contain this wallet.
  await claim(campaign);
  await button(page, "Pay out").click();
  await expect.poll(() => wallet.sent.length, SLOW).toBeGreaterThan(0);
  // The page is closed while it waits for a block, or just after.
  await page.goto("about:blank");
  await openPayOut(page, campaign.rewardId);
  await reconnect(page);
  const end = page.getByText("Every wallet is paid, except those that were skipped.");
  const goOn = button(page, /^(Go on|Pay out)$/);
  // What was sent before may be the end, as soon as its block is known.
  await expect(async () => {
    if (await goOn.isVisible()) await goOn.click({ timeout: 1_000 });
    await expect(end).toBeVisible({ timeout: 2_000 });
  }).toPass(SLOW);
  const skipped = page.getByRole("table", { name: "Skipped wallets" });
  await expect(skipped).toContainText("The wallet refused the coin.");
  await expect(skipped.getByRole("row")).toHaveCount(2);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await expectAllPaidOnce(campaign);
});

test("after Stop waiting nothing more is sent until the next press", { tag: "@deep" }, async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: admin });
  const campaign = await offerTo(110);
  await enter(page, scene.server.url, ADA);
  await openPayOut(page, campaign.rewardId);
  await connect(page);
  await scene.anvil.client.setAutomine(false);
  try {
    await button(page, "Pay out").click();
    await button(page, "Stop waiting").click(SLOW);
    // The same payments are looked up again: they are in no block yet.
    await expect(button(page, "Pay out")).not.toHaveAttribute("aria-disabled");
    await expect(page.getByText("Next transaction: 100 wallets")).toBeVisible();
    expect(wallet.sent).toHaveLength(1);
  } finally {
    await scene.anvil.client.setAutomine(true);
    await scene.anvil.client.mine({ blocks: 1 });
  }
});

test("after the deadline nothing is offered to pay out, and a page from before ends its run", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: admin });
  const campaign = await offer(scene, { claimDeadline: new Date(Date.now() + 3_600_000) });
  await enter(page, scene.server.url, ADA);
  await openPayOut(page, campaign.rewardId);
  await connect(page);
  await expect(page.getByText(/^Next transaction/)).toBeVisible();
  await scene.server.withDatabase(() => passDeadline(campaign.rewardId));
  await button(page, "Pay out").click();
  await expect(page.getByText("The deadline of this campaign has passed")).toBeVisible();
  await expect(button(page, "Go on")).toBeVisible();
  expect(wallet.sent).toHaveLength(0);
  await page.reload();
  await expect(page.getByText("The deadline has passed.")).toBeVisible();
  await expect(page.getByRole("heading", { name: /^(Pay out with|With a)/ })).toHaveCount(0);
  await expectAccessible(page);
});

test("1,000 wallets are paid once through a closed browser, a batch that reverts and claims meanwhile", {
  tag: "@deep",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const modes = { isStarved: true };
  const wallet = await injectWallet(page, {
    anvil: scene.anvil,
    account: admin,
    // The second transaction has too little gas: it is in a block, and did nothing.
    take: async ({ to, data }) => {
      const isStarved = modes.isStarved && wallet.sent.length === 1;
      if (isStarved) modes.isStarved = false;
      const hash = await scene.anvil.client.sendTransaction({
        account: admin,
        chain: scene.anvil.chain,
        to,
        data,
        gas: isStarved ? 2_500_000n : 12_000_000n,
      });
      wallet.sent.push(hash);
      return hash;
    },
  });
  const campaign = await offerTo(1_000);
  await enter(page, scene.server.url, ADA);
  await openPayOut(page, campaign.rewardId);
  await connect(page);
  await button(page, "Pay out").click();
  await expect(page.getByText("The transaction failed on chain and changed nothing.")).toBeVisible(
    SLOW,
  );
  expect(wallet.sent).toHaveLength(2);
  if (!(await countPayments(campaign.onchainId)).has(addressOf(holder))) await claim(campaign);
  await button(page, "Go on").click();
  await expect.poll(() => wallet.sent.length, SLOW).toBeGreaterThanOrEqual(5);
  await page.goto("about:blank");
  await openPayOut(page, campaign.rewardId);
  await reconnect(page);
  const end = page.getByText("Every wallet is paid, except those that were skipped.");
  const goOn = button(page, /^(Go on|Pay out)$/);
  await expect(goOn.or(end)).toBeVisible(SLOW);
  if (await goOn.isVisible()) await goOn.click();
  await expect(end).toBeVisible({ timeout: 240_000 });
  await expect(page.getByRole("table", { name: "Skipped wallets" }).getByRole("row")).toHaveCount(
    2,
  );
  await expectAllPaidOnce(campaign);
});
