import { expect, type Page } from "@playwright/test";
import type { Hex } from "viem";
import { erc20Abi } from "viem";
import type { Address } from "../../../app/domain/address";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import { callContract, mint } from "../../support/chain/campaigns";
import { enter, expectAccessible, expectNotice, startServer, test } from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";

// Covers a campaign from beginning to end through pages only: no step writes to the database
// directly.

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const KEY = "rw_11111111111111111111111111111111";
const REWARDS = `/dashboard/${HARBOUR}/rewards`;
const ONE = 10n ** 6n;
const admin = getTestAccount(0);
const HOLDERS = [2, 3, 4].map((i) => getTestAccount(i));
const [first, second] = HOLDERS as [typeof admin, typeof admin];
const late = getTestAccount(5);

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let server: Awaited<ReturnType<typeof startServer>>;
let token: Address;
test.beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken({ symbol: "HRB", decimals: 6 });
  await mint(anvil, token, admin, 1_000n * ONE);
  server = await startServer({
    fixture: {
      operators: [ADA],
      pointSystems: [
        {
          operator: ADA.email,
          id: HARBOUR,
          name: "Harbour",
          slug: null,
          triggers: [{ name: "Login", key: "login", points: 100 }],
          events: HOLDERS.map(({ address }, i) => ({
            address: address.toLowerCase(),
            points: 100 * (i + 1),
            event: null,
          })),
        },
      ],
      apiKeys: [
        {
          operator: ADA.email,
          name: "Backend",
          key: KEY,
          permission: "all",
          pointSystems: [HARBOUR],
        },
      ],
    },
    env: { RPC_URL_84532: anvil.rpcUrl, PUBLIC_RPC_URL_84532: anvil.rpcUrl },
  });
});
test.afterAll(async () => {
  await server?.stop();
  await anvil?.stop();
});
test.use({ locale: "en-US", timezoneId: "Europe/Berlin" });

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const dialog = (page: Page) => page.getByRole("dialog");
const stage = (page: Page) =>
  page.getByRole("list", { name: "Stages" }).locator("[aria-current=step]");
const confirm = (page: Page, name: string) =>
  dialog(page).getByRole("button", { name, exact: true }).click();
const SLOW = { timeout: 30_000 };

async function ask<T>(path: string, query: Record<string, string>): Promise<T> {
  const answer = await fetch(`${server.url}${path}?${new URLSearchParams(query)}`);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}

interface Distribution {
  readonly onchainId: string;
  readonly amountWei: string;
  readonly hasProof: boolean;
  readonly tokenDecimals: number;
}

/** Asks for a holder's rewards as the operator's backend does. */
async function askRewards(holder: typeof admin) {
  const query = new URLSearchParams({ pointSystemId: HARBOUR, address: holder.address });
  const answer = await fetch(`${server.url}/rewards?${query}`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  const { rewards } = (await answer.json()) as {
    rewards: Record<"eligible" | "claimed", { campaignName: string; claimTxHash?: Hex }[]>;
  };
  return rewards;
}

/**
 * Claims on the claim page as a holder, and waits until the API reports the claim that the service
 * found on chain.
 */
async function claimOnPage(page: Page, holder: typeof admin): Promise<void> {
  const wallet = await injectWallet(page, { anvil, account: holder });
  expect(await askRewards(holder)).toMatchObject({
    eligible: [{ campaignName: "Season one" }],
    claimed: [],
  });
  await page.goto(`${server.url}/claim/${HARBOUR}`);
  await button(page, "Test Wallet").click();
  await button(page, "Claim").click();
  await expect(page.getByText("This was paid out")).toBeVisible(SLOW);
  const [claimTxHash] = wallet.sent;
  await expect
    .poll(() => askRewards(holder), SLOW)
    .toMatchObject({ eligible: [], claimed: [{ campaignName: "Season one", claimTxHash }] });
  const { distributions } = await ask<{ distributions: object[] }>("/rewards/claim-status", {
    address: holder.address,
    pointSystemId: HARBOUR,
  });
  expect(distributions).toMatchObject([{ claimTxHash, claimedAt: expect.any(String) }]);
  await page.close();
}

/** Claims as a holder's application does: it reads the API's answer and calls the contract. */
async function claim(holder: typeof admin): Promise<bigint> {
  const address = holder.address.toLowerCase();
  const { distributions } = await ask<{ distributions: Distribution[] }>("/rewards/claim-status", {
    address,
    pointSystemId: HARBOUR,
  });
  const [share] = distributions;
  if (!share) throw new Error(`${address} has no share`);
  expect(share).toMatchObject({ hasProof: true, tokenDecimals: 6 });
  const { onchainId } = share;
  const { amount, merkleProof } = await ask<{ amount: string; merkleProof: Hex[] }>(
    "/rewards/proof",
    { onchainId, chainId: "84532", address },
  );
  expect(amount).toBe(share.amountWei);
  await callContract(anvil, holder, "claim", [BigInt(onchainId), BigInt(amount), merkleProof]);
  return anvil.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [holder.address],
  });
}

async function openNewCampaign(page: Page): Promise<void> {
  await enter(page, server.url, ADA);
  await page.goto(server.url + REWARDS);
  await page.getByRole("link", { name: "New campaign" }).click();
}

test("an operator with an injected wallet takes a campaign from draft to active on anvil, holders claim on the page and with the API's proofs, wallets are added, and it is cancelled", {
  tag: "@deep",
}, async ({ page, context }) => {
  test.setTimeout(240_000);
  await injectWallet(page, { anvil, account: admin });
  await openNewCampaign(page);
  await page.getByLabel("Name", { exact: true }).fill("Season one");
  await page.getByLabel("Asset").selectOption("custom");
  await page.getByLabel("Chain", { exact: true }).selectOption("84532");
  await page.getByLabel(/^Token address/).fill(token);
  await page.getByLabel("Total amount").fill("6.000001");
  await page.getByLabel("Minimum points").fill("100");
  await page.getByLabel(/^Claim deadline/).fill("2099-07-01T18:30");
  await button(page, "Save the draft").click();

  await expectNotice(page, "Season one is drafted");
  await expect(page.getByRole("table", { name: "Largest amounts" })).toContainText("HRB");
  await button(page, "Publish the campaign").click();
  await confirm(page, "Publish the campaign");
  await expectNotice(page, "Season one is published");
  await expect(page.getByText("HRB, 6 decimals")).toBeVisible();
  await expect(page.getByText(/Read from the chain/)).toBeVisible();

  await page.getByRole("link", { name: "Preview and split" }).click();
  await button(page, "Split among wallets").click();
  await confirm(page, "Split now");
  await expectNotice(page, "The split has started");
  const splits = page.getByRole("table", { name: "Splits" });
  await expect(splits.getByText("Built")).toBeVisible(SLOW);
  await page.getByRole("link", { name: "Create on chain" }).click();

  await expect(page.getByText("2099-07-01 18:30 Europe/Berlin")).toBeVisible();
  await button(page, "Test Wallet").click();
  await button(page, "Make this wallet the admin").click();
  await button(page, "Approve 6.000001 HRB").click();
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
  await expect(page.getByText("0 of 3 wallets have claimed")).toBeVisible(SLOW);
  await expect(stage(page)).toHaveText("Claimable");
  await expectAccessible(page);
  await claimOnPage(await context.newPage(), first);

  // A wallet earns points later and is added.
  const credit = await fetch(`${server.url}/trigger`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      triggerKey: "login",
      walletAddress: late.address,
      pointSystemId: HARBOUR,
    }),
  });
  expect(credit.ok).toBe(true);
  await page.getByRole("navigation", { name: "Campaign" }).getByText("Overview").click();
  await expect(stage(page)).toHaveText("Claimable");
  await expect(page.getByRole("progressbar", { name: "Share claimed" })).toBeVisible();
  await page.getByLabel("Further amount in HRB").fill("2.5");
  await button(page, "Split among new wallets").click();
  await expectNotice(page, "The wallets are being added");
  await expect(splits.getByText("Built")).toHaveCount(2, SLOW);
  await page.getByRole("navigation", { name: "Campaign" }).getByText("On chain").click();
  await expect(page.getByRole("heading", { name: "Add the remaining buckets" })).toBeVisible();
  // The wallet usually reconnects by itself; otherwise its holder reconnects it.
  await expect(async () => {
    const wallet = button(page, "Test Wallet").first();
    if (await wallet.isVisible()) await wallet.click({ timeout: 1_000 });
    await button(page, "Approve 2.5 HRB").click({ timeout: 3_000 });
  }).toPass(SLOW);
  await button(page, "Add buckets").click();
  await confirm(page, "Add");
  await expect(page.getByRole("heading", { name: "Add the remaining buckets" })).toBeHidden(SLOW);
  await expect(page.getByText(/[01] of 4 wallets have claimed/)).toBeVisible();
  expect(await claim(late)).toBe(2_500_000n);

  // A further amount is refused: every eligible wallet already has a share.
  await page.getByRole("navigation", { name: "Campaign" }).getByText("Overview").click();
  await page.getByLabel("Further amount in HRB").fill("1");
  await button(page, "Split among new wallets").click();
  await expect(page.getByText("No wallet is eligible right now")).toBeVisible();

  await page.getByRole("navigation", { name: "Campaign" }).getByText("On chain").click();
  await button(page, "Check with the chain").click();
  await expect(page.getByText("The contract holds 5.000001 HRB of 8.500001 HRB")).toBeVisible();
  await button(page, "Cancel the campaign").click();
  const field = page.getByLabel(/^Type “CMP-/);
  const label =
    (await dialog(page)
      .getByText(/^Type “CMP-/)
      .textContent()) ?? "";
  await field.fill(/CMP-\w+/.exec(label)?.[0] ?? "");
  await confirm(page, "Cancel for good");
  await expect(stage(page)).toHaveText("Ended", SLOW);
  await expect(page.getByText("5.000001 HRB were taken back")).toBeVisible();
  const rest = { address: token, abi: erc20Abi, functionName: "balanceOf" } as const;
  expect(await anvil.client.readContract({ ...rest, args: [admin.address] })).toBe(
    1_000n * ONE - 3_500_000n,
  );
  await expect(claim(second)).rejects.toThrow();
});

test("a coin without a contract is split and paid by hand, and the API tells amounts and payouts", {
  tag: "@deep",
}, async ({ page }) => {
  test.setTimeout(120_000);
  await openNewCampaign(page);
  await page.getByLabel("Name", { exact: true }).fill("Sunny days");
  await page.getByLabel("Asset").selectOption("solana");
  await page.getByLabel("Total amount").fill("60");
  await page.getByLabel("Minimum points").fill("200");
  await button(page, "Save the draft").click();
  await button(page, "Publish the campaign").click();
  await confirm(page, "Publish the campaign");
  await page.getByRole("link", { name: "Preview and split" }).click();
  await button(page, "Split among wallets").click();
  await confirm(page, "Split now");
  await expect(page.getByRole("table", { name: "Splits" }).getByText("Built")).toBeVisible(SLOW);
  await button(page, "Open the payouts").click();
  await expect(dialog(page)).toContainText("cannot be undone");
  await expectAccessible(page);
  await confirm(page, "Open the payouts");
  await expectNotice(page, "The payouts of Sunny days are open");
  await expect(stage(page)).toHaveText("Paying out");
  const query = new URLSearchParams({ pointSystemId: HARBOUR, address: second.address });
  const answer = await fetch(`${server.url}/rewards?${query}`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  const body = JSON.stringify(await answer.json());
  expect(body).toMatch(/"campaignName":"Sunny days"[^}]*"allocatedAmount":24/);

  await page.getByRole("link", { name: "Mark payouts" }).click();
  await expectAccessible(page);
  await button(page, "Mark selected as paid").click();
  await expect(page.getByText("Select at least one wallet")).toBeVisible();
  await page.getByLabel(`Select ${second.address.toLowerCase()}`).check();
  await page.getByLabel("Reference", { exact: true }).fill("5VERv8NMvzbJMEkV8x");
  await button(page, "Mark selected as paid").click();
  await expectNotice(page, "1 wallet is marked as paid");
  const paid = await fetch(`${server.url}/rewards?${query}`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  expect(JSON.stringify(await paid.json())).toMatch(
    /"claimed":\[[^\]]*"Sunny days"[^}]*"claimTxHash":"5VERv8NMvzbJMEkV8x"/,
  );
  await button(page, `Remove the paid mark of ${second.address.toLowerCase()}`).click();
  await expectNotice(page, "1 wallet is to be paid again");
  await page.getByLabel("Or paste rows").fill(`${second.address},7`);
  await button(page, "Apply the file").click();
  await expectNotice(page, "1 wallet is marked as paid");
});
