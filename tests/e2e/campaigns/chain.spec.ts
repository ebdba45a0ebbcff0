import fs from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi } from "viem";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { getChecksum } from "../../../app/domain/campaigns/safe-batch";
import { formatLocalTime } from "../../../app/domain/local-time";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import {
  type BuiltCampaignOptions,
  createOnChain,
  mint,
  passDeadline,
  storeBuiltCampaign,
} from "../../support/chain/campaigns";
import {
  enter,
  expectAccessible,
  expectNoOverflow,
  expectNotice,
  startServer,
  test,
} from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";

// The operator has a wallet that really signs, on a chain of the test's own.

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const VIC = { name: "Vic", email: "vic@example.com", password: "another long passphrase" };
const HARBOUR = "11111111-1111-4111-8111-111111111111";
const ONE = 10n ** 18n;
const [admin, successor] = [getTestAccount(0), getTestAccount(1)];
const HOLDERS = [2, 3, 4].map((i) => getTestAccount(i).address.toLowerCase() as Address);

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let server: Awaited<ReturnType<typeof startServer>>;
let token: Address;
test.beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
  await mint(anvil, token, admin, 1_000n * ONE);
  server = await startServer({
    fixture: {
      operators: [ADA, VIC],
      pointSystems: [{ operator: ADA.email, id: HARBOUR, name: "Harbour", slug: null }],
    },
    members: [{ email: VIC.email, pointSystemId: HARBOUR, role: "viewer" }],
    env: { RPC_URL_84532: anvil.rpcUrl, PUBLIC_RPC_URL_84532: anvil.rpcUrl },
  });
});
test.afterAll(async () => {
  await server?.stop();
  await anvil?.stop();
});
test.use({ locale: "en-US", timezoneId: "UTC" });
test.describe.configure({ timeout: 120_000 });

/** Builds the split of a campaign, for three holders in two buckets. */
function build(options: Partial<BuiltCampaignOptions> = {}) {
  return server.withDatabase(() =>
    storeBuiltCampaign({
      pointSystemId: HARBOUR,
      token,
      shares: HOLDERS.map((address, i) => ({ address, amountWei: ONE * BigInt(i + 1) })),
      bucketSize: 2,
      ...options,
    }),
  );
}

const approval = { abi: erc20Abi, functionName: "approve" } as const;

/** Approves an amount of the token for the campaign contract. */
function approve(account: typeof admin, amountWei: bigint) {
  const args = [CAMPAIGN_CONTRACT_ADDRESS, amountWei] as const;
  return anvil.send(account, { to: token, data: encodeFunctionData({ ...approval, args }) });
}

function readAllowance(account: typeof admin) {
  return anvil.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "allowance",
    args: [account.address, CAMPAIGN_CONTRACT_ADDRESS],
  });
}

const pathOf = (rewardId: string) => `/dashboard/${HARBOUR}/rewards/${rewardId}/chain`;

async function open(page: Page, rewardId: string, operator = ADA): Promise<void> {
  await enter(page, server.url, operator);
  await page.goto(server.url + pathOf(rewardId));
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function connect(page: Page, name = "Test Wallet"): Promise<void> {
  await button(page, name).click();
  await expect(button(page, "Disconnect").first()).toBeVisible();
}

/** The confirmation in the dialog. */
const confirm = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

async function create(page: Page): Promise<void> {
  await button(page, "Make this wallet the admin").click();
  await button(page, /^Approve/).click();
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
}

/** Waits until the service has found the creation and shows the claims. */
const isActive = (page: Page, timeout = 20_000) =>
  expect(page.getByRole("heading", { name: "Claims" })).toBeVisible({ timeout });

test("a wallet that is proposed as admin accepts, and from then on only it cancels", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil, account: admin });
  const campaign = await build();
  await open(page, campaign.rewardId);
  await expect(page.getByRole("heading", { name: "Airdrop to create" })).toBeVisible();
  await expect(button(page, "Test Wallet")).toBeVisible();
  await expectAccessible(page);
  await connect(page);
  await create(page);
  await isActive(page);

  await button(page, "Transfer the admin").click();
  await page.getByLabel("New admin").fill("nobody");
  await confirm(page, "Propose");
  await expect(page.getByText("Enter an address")).toBeVisible();
  await page.getByLabel("New admin").fill(successor.address);
  await confirm(page, "Propose");
  await expect(page.getByText("Proposed as the next admin")).toBeVisible({ timeout: 20_000 });
  wallet.account = successor;
  await page.reload();
  await expect(page.getByText("This wallet was proposed as the campaign's admin")).toBeVisible();
  await expectAccessible(page);
  await expect(button(page, "Cancel the campaign")).toBeHidden();
  await button(page, "Become the admin").click();
  await expect(button(page, "Cancel the campaign")).toBeVisible({ timeout: 20_000 });

  await button(page, "Cancel the campaign").click();
  await expect(page.getByText("All claims stop at once and for good")).toBeVisible();
  await confirm(page, "Cancel for good");
  await expect(page.getByLabel(/^Type “CMP-/)).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page);
  await page.getByLabel(/^Type “CMP-/).fill(`CMP-${campaign.rewardId.slice(0, 8)}`);
  await confirm(page, "Cancel for good");
  await expect(page.getByText("6 TEST were taken back")).toBeVisible({ timeout: 20_000 });
  wallet.account = admin;
  await page.reload();
  await expect(page.getByText("Only the admin can manage this campaign")).toBeVisible();
});

test("another airdrop with the campaign's reference is listed until its admin takes it back", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build({ token: null });
  await open(page, campaign.rewardId);
  await connect(page);
  await button(page, "Make this wallet the admin").click();
  await expect(button(page, "Create on chain")).toBeVisible();
  await page.getByLabel("Transaction hash").fill(await createOnChain(anvil, admin, campaign));
  await button(page, "Look it up").click();
  await isActive(page);
  // Whoever creates it, the admin can take it back.
  await createOnChain(anvil, successor, campaign, {
    admin: admin.address.toLowerCase() as Address,
  });
  const heading = page.getByRole("heading", {
    name: "Other airdrops with this campaign's reference",
  });
  await expect(async () => {
    await page.reload();
    await expect(heading).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await expectAccessible(page);
  await button(page, /^Cancel ID \d+ and take it back/).click();
  await page.getByLabel("Paid to").fill("nobody");
  await confirm(page, "Take back");
  await expect(page.getByText("Enter an address")).toBeVisible();
  const to = getTestAccount(9).address;
  const before = await anvil.client.getBalance({ address: to });
  await page.getByLabel("Paid to").fill(to);
  await confirm(page, "Take back");
  await expectNotice(page, "The transaction was found and recorded");
  await expect(heading).toBeHidden();
  expect((await anvil.client.getBalance({ address: to })) - before).toBe(6n * ONE);
  await expect(button(page, "Cancel the campaign")).toBeVisible();
});

test("buckets that the creation left out are added in a transaction of their own", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build();
  await open(page, campaign.rewardId);
  await connect(page);
  await button(page, "Make this wallet the admin").click();
  await expect(button(page, /^Approve/)).toBeVisible();
  // A creation whose buckets do not fit one transaction, sent from outside the page.
  const hash = await createOnChain(anvil, admin, campaign, {
    buckets: campaign.buckets.slice(0, 1),
  });
  await page.getByLabel("Transaction hash").fill(hash);
  await button(page, "Look it up").click();
  await expectNotice(page, "Campaign created on Base Sepolia.");
  await expect(page.getByRole("heading", { name: "Add the remaining buckets" })).toBeVisible();
  await expectAccessible(page);
  await button(page, "Approve 2 TEST").click();
  await button(page, "Add buckets").click();
  await confirm(page, "Add");
  await expect(page.getByRole("heading", { name: "Add the remaining buckets" })).toBeHidden({
    timeout: 20_000,
  });
  await button(page, "Check with the chain").click();
  await expect(page.getByText("The contract holds 6 TEST of 6 TEST")).toBeVisible();
});

test("an earlier approval that does not suffice is taken back before another is given", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build();
  await approve(admin, 1n);
  await open(page, campaign.rewardId);
  await connect(page);
  await button(page, "Make this wallet the admin").click();
  await expect(page.getByText("An earlier approval lets the contract take")).toBeVisible();
  await expect(button(page, /^Approve/)).toBeHidden();
  await expectAccessible(page);
  await button(page, "Revoke the earlier approval").click();
  await expect(button(page, "Approve 6 TEST")).toBeVisible({ timeout: 20_000 });
  expect(await readAllowance(admin)).toBe(0n);
  await button(page, "Approve 6 TEST").click();
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
  await isActive(page);
});

test("before the split, without the chain, after the deadline and after a cancellation the page says why nothing is offered", {
  tag: "@deep",
}, async ({ page }) => {
  const nothing = () => expect(button(page, /wallet|Safe|Create/i)).toHaveCount(0);
  const unbuilt = await build();
  const change = (id: string, what: ReturnType<typeof sql>) =>
    server.withDatabase(() =>
      withDatabase((db) => db.execute(sql`${what} where reward_id = ${id}`)),
    );
  await change(unbuilt.rewardId, sql`update airdrops set status = 'building'`);
  await open(page, unbuilt.rewardId);
  await expect(page.getByText("The split is not built yet")).toBeVisible();
  await nothing();
  await expectAccessible(page);

  const elsewhere = await build({ chainId: 8453 });
  await page.goto(server.url + pathOf(elsewhere.rewardId));
  await expect(page.getByText("This chain is not set up here")).toBeVisible();
  await expect(page.getByText("RPC_URL_8453")).toBeVisible();
  await nothing();
  await expectAccessible(page);

  const late = await build({ claimDeadline: new Date(Date.now() - 60_000) });
  await page.goto(server.url + pathOf(late.rewardId));
  await expect(page.getByRole("heading", { name: "The deadline has passed" })).toBeVisible();
  await expect(page.getByText(/UTC/).first()).toBeVisible();
  await nothing();
  await expectAccessible(page);

  const cancelled = await build({ status: "cancelled" });
  await page.goto(server.url + pathOf(cancelled.rewardId));
  await expect(page.getByText("This campaign was cancelled")).toBeVisible();
  await nothing();
  await expectAccessible(page);
});

test("nothing is offered to sign before the contract was seen on the chain", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build({ token: null });
  const code = (await anvil.client.getCode({ address: CAMPAIGN_CONTRACT_ADDRESS })) ?? "0x";
  const setCode = (bytecode: `0x${string}`) =>
    anvil.client.setCode({ address: CAMPAIGN_CONTRACT_ADDRESS, bytecode });
  const other = `0x${code.slice(2, -2)}00` as const;
  const states = [
    ["0x", "The contract is not deployed on this chain", "contracts:deploy -- 84532"],
    [other, "Another contract is at the address", "Send nothing there"],
  ] as const;
  try {
    for (const [bytecode, heading, text] of states) {
      await setCode(bytecode);
      await open(page, campaign.rewardId);
      await expect(page.getByRole("heading", { name: heading })).toBeVisible();
      await expect(page.getByText(text)).toBeVisible();
      await expect(page.getByRole("heading", { name: "Create with a wallet" })).toHaveCount(0);
      await expect(page.getByRole("heading", { name: "With a Safe" })).toHaveCount(0);
      await expectAccessible(page);
      await page.setViewportSize({ width: 390, height: 844 });
      await expectNoOverflow(page);
      if (process.env.PICTURES) {
        await page.screenshot({ path: `${process.env.PICTURES}/${bytecode.length}-390.png` });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  } finally {
    await setCode(code);
  }
  await page.reload();
  await expect(page.getByText("Deployed, with this version's code")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Create with a wallet" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "With a Safe" })).toBeVisible();
});

test("a viewer sees what is on chain, and is offered nothing", async ({ page }) => {
  const campaign = await build();
  await open(page, campaign.rewardId, VIC);
  await expect(page.getByRole("heading", { name: "Airdrop to create" })).toBeVisible();
  await expect(page.getByText("Editors and the owner can change this campaign")).toBeVisible();
  await expect(button(page, /wallet|Safe|Look it up/i)).toHaveCount(0);
  await expectAccessible(page);
  for (const intent of ["admin", "report", "check"]) {
    const answer = await page.request.post(server.url + pathOf(campaign.rewardId), {
      form: { intent },
      headers: { Origin: server.url },
    });
    expect(answer.status(), intent).toBe(403);
  }
});

test("only this page's scripts may call chains, however the browser comes to it", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build();
  await open(page, campaign.rewardId);
  const policyOf = async (path: string) =>
    /connect-src [^;]*/.exec(
      (await page.goto(server.url + path))?.headers()["content-security-policy"] ?? "",
    )?.[0];
  const own = await policyOf(pathOf(campaign.rewardId));
  expect(own).toContain(anvil.rpcUrl);
  expect(own).not.toContain("walletconnect");
  expect(await policyOf(`/dashboard/${HARBOUR}`)).toBe("connect-src 'self'");
  await page.waitForFunction(() => "__remixRouter" in window);
  await page.evaluate((path) => {
    const { __remixRouter: router } = window as unknown as {
      __remixRouter: { navigate: (to: string) => Promise<void> };
    };
    return router.navigate(path);
  }, pathOf(campaign.rewardId));
  await connect(page);
  await expect(button(page, "Make this wallet the admin")).toBeVisible();
});

test("what is rejected in the wallet is said, and can be tried again", { tag: "@deep" }, async ({
  page,
}) => {
  const wallet = await injectWallet(page, { anvil, account: admin, isLegacy: true });
  const campaign = await build({ token: null });
  await open(page, campaign.rewardId);
  await connect(page, "Browser wallet");
  await button(page, "Make this wallet the admin").click();
  wallet.rejects = true;
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
  await expect(page.getByText("You rejected the request. Nothing was sent.")).toBeVisible();
  await expectAccessible(page);
  wallet.rejects = false;
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
  await isActive(page);
});

test("a wallet on another network is switched, and told of the chain first if it does not know it", {
  tag: "@deep",
}, async ({ page }) => {
  const options = { anvil, account: admin, startChainId: 1, isChainUnknown: true };
  const wallet = await injectWallet(page, options);
  const campaign = await build();
  await open(page, campaign.rewardId);
  await connect(page);
  await expect(page.getByText("The wallet is on another network.")).toBeVisible();
  await button(page, "Switch to Base Sepolia").click();
  await expect(button(page, "Make this wallet the admin")).toBeVisible();
  expect(wallet.methods).toContain("wallet_addEthereumChain");
});

test("a reload between sending and the block goes on waiting, and the campaign becomes active", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build({ token: null });
  await open(page, campaign.rewardId);
  await connect(page);
  await button(page, "Make this wallet the admin").click();
  await anvil.client.setAutomine(false);
  try {
    await button(page, "Create on chain").click();
    await confirm(page, "Create");
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    await page.reload();
    await expect(page.getByText("Sent. Waiting for a block…")).toBeVisible();
    await anvil.client.mine({ blocks: 1 });
    await isActive(page);
  } finally {
    await anvil.client.setAutomine(true);
  }
});

test("a transaction that the service refuses for good is named, and no longer waited for on request", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build();
  await open(page, campaign.rewardId);
  await connect(page);
  await create(page);
  await isActive(page);
  // The page has no steps of funding any more, which would show it.
  const { transactionHash: hash } = await anvil.send(admin, { to: successor.address, value: 1n });
  await page.evaluate(
    ([key, pending]) => localStorage.setItem(`pending-transaction:${key}`, pending),
    [campaign.rewardId, JSON.stringify({ hash, chainId: 84532, kind: "create" })] as const,
  );
  await page.reload();
  await expect(page.getByText("Mined. Waiting for this service to find it…")).toBeVisible();
  await expect(button(page, "Cancel the campaign")).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByText("This transaction does not match this campaign")).toBeVisible({
    timeout: 60_000,
  });
  await expectAccessible(page);
  await button(page, "Stop waiting").click();
  await button(page, "Cancel the campaign").click();
  await expect(page.getByText("All claims stop at once and for good")).toBeVisible();
});

test("a transaction that is sped up in the wallet counts; one that is cancelled there does not", {
  tag: "@deep",
}, async ({ page }) => {
  const wallet = await injectWallet(page, { anvil, account: admin });
  const campaign = await build({ token: null });
  await open(page, campaign.rewardId);
  await connect(page);
  await button(page, "Make this wallet the admin").click();
  wallet.cancels = true;
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
  await expect(page.getByText("It was cancelled in the wallet.")).toBeVisible({ timeout: 20_000 });
  wallet.cancels = false;
  wallet.speedsUp = true;
  await button(page, "Create on chain").click();
  await confirm(page, "Create");
  await isActive(page);
});

test("the admin extends the deadline, and takes back after it what nobody claimed", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const block = await anvil.client.getBlock();
  const deadline = new Date((Number(block.timestamp) + 3_600) * 1_000);
  const campaign = await build({ claimDeadline: deadline });
  await open(page, campaign.rewardId);
  await connect(page);
  await create(page);
  await isActive(page);

  await button(page, "Extend the deadline").click();
  await confirm(page, "Extend");
  await expect(page.getByText("Enter a time after the present deadline.")).toBeVisible();
  await expectAccessible(page);
  const later = formatLocalTime(new Date(deadline.getTime() + 3_600_000), "UTC");
  await page.getByLabel("New deadline (UTC)").fill(later);
  await confirm(page, "Extend");
  await expectNotice(page, "The transaction was found and recorded");
  await expect(page.getByText(`${later.replace("T", " ")} UTC`)).toBeVisible();

  await anvil.client.increaseTime({ seconds: 10_800 });
  await anvil.client.mine({ blocks: 1 });
  await server.withDatabase(() => passDeadline(campaign.rewardId));
  await page.reload();
  await button(page, "Take back unclaimed tokens").click();
  await confirm(page, "Take back");
  await expect(page.getByText("6 TEST were taken back")).toBeVisible({ timeout: 20_000 });
});

test("a Safe's file has its checksum and does what the page says; the page fits 390 px", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil, account: admin });
  const campaign = await build();
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, campaign.rewardId);
  await page.getByLabel("Address of the Safe").fill("0x12");
  await button(page, "Make the Safe the admin").click();
  await expect(page.getByText("Enter an address")).toBeVisible();
  await page.getByLabel("Address of the Safe").fill(successor.address);
  await button(page, "Make the Safe the admin").click();
  const link = page.getByRole("link", { name: "Download the creation" });
  await expect(link).toBeVisible();
  await expectNoOverflow(page);
  await expectAccessible(page);
  const waiting = page.waitForEvent("download");
  await link.click();
  const file = await (await waiting).path();
  const batch = JSON.parse(await fs.readFile(file, "utf8"));
  expect(batch.meta.checksum).toBe(getChecksum(batch));
  expect(batch.chainId).toBe("84532");
  await mint(anvil, token, successor, 6n * ONE);
  for (const { to, data, value } of batch.transactions) {
    await anvil.send(successor, { to, data, value: BigInt(value) });
  }
  // The service finds the creation without being told.
  await expect(async () => {
    await page.reload();
    await isActive(page, 1_000);
  }).toPass({ timeout: 45_000 });
});
