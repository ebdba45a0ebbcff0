import { expect } from "@playwright/test";
import { eq } from "drizzle-orm";
import { hexToBytes } from "viem";
import { withDatabase } from "../../../app/db/client";
import { blacklist } from "../../../app/db/schema/ledger";
import {
  airdrops,
  allocations,
  distributions,
  merkleBuckets,
  rewards,
} from "../../../app/db/schema/rewards";
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
  setUpClaims,
} from "../../support/e2e/claim-scene";
import { test } from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";
import { type FakeEns, startFakeEns } from "../../support/fakes/ens-rpc";

// Checks the page's texts before a transaction is sent, and the next steps that it names.

let ens: FakeEns;
/** The claim page's look-ups of a wallet. */
const LOOK_UPS = /\/claim\/[^/]+\/wallet\?/;
/** Another address of the chain's endpoint, which browsers ask when the first does not answer. */
const toSecond = (url: string) => url.replace("127.0.0.1", "localhost");
const scene = setUpClaims(async ({ rpcUrl }) => {
  ens = await startFakeEns({ "holder.eth": addressOf(holder) });
  const PUBLIC_RPC_URL_84532 = `${rpcUrl},${toSecond(rpcUrl)}`;
  return { env: { RPC_URL_1: ens.url, PUBLIC_RPC_URL_84532 } };
});
test.afterAll(() => ens?.stop());

test("whoever has nothing yet is told how many points are missing, or what else is the matter", {
  tag: "@deep",
}, async ({ page }) => {
  const offerOthers = (name: string) =>
    offer(scene, {
      isOffChain: true,
      name,
      shares: [{ address: addressOf(other), amountWei: ONE }],
    });
  await offer(scene, { isOffChain: true });
  await offerOthers("Season two");
  const over = await offer(scene, { isOffChain: true, name: "Season zero" });
  await scene.server.withDatabase(() =>
    withDatabase((db) =>
      db.update(airdrops).set({ status: "ended" }).where(eq(airdrops.rewardId, over.rewardId)),
    ),
  );
  for (const [name, minPoints] of [
    ["Season three", 1_000],
    ["Season four", 10],
  ] as const) {
    const { rewardId } = await offerOthers(name);
    await scene.server.withDatabase(() =>
      withDatabase(async (db) => {
        await db.delete(allocations).where(eq(allocations.rewardId, rewardId));
        await db.update(rewards).set({ minPoints }).where(eq(rewards.id, rewardId));
      }),
    );
  }
  await offer(scene, {
    name: "Season five",
    shares: [
      { address: addressOf(holder), amountWei: 0n },
      { address: addressOf(other), amountWei: ONE },
    ],
  });
  await open(scene, page, holder.address);
  await expect(page.getByText("Nothing to claim", { exact: true })).toBeVisible();
  await expect(page.getByText("Allocation pending")).toBeVisible();
  await expect(page.getByText("Not eligible", { exact: true })).toBeVisible();
  await expect(page.getByText("960 more points are needed")).toBeVisible();
  await expect(page.getByText("This wallet has 40 points, which is enough.")).toBeVisible();
  await page.locator("summary").filter({ hasText: "Deadline passed" }).click();
  await expect(
    page.getByText("The deadline has passed. The contract no longer pays."),
  ).toBeVisible();
  await expectSeen(page, "nothing-yet");
  await page.getByLabel(/^Wallet (address|or ENS name)$/).fill("0x12");
  await button(page, "Look up").click();
  await expect(page.getByText("Enter a valid address or ENS name.")).toBeVisible();
  await expectSeen(page, "no-address");
});

test("what was cancelled, paid out before, or is closed to a wallet is said as that", {
  tag: "@deep",
}, async ({ page }) => {
  const shares = [{ address: addressOf(other), amountWei: ONE }];
  const cancelled = await offer(scene, { name: "Season one", shares });
  const over = await offer(scene, { isOffChain: true, name: "Season two" });
  const offered = await offer(scene, { isOffChain: true, name: "Season three" });
  await scene.server.withDatabase(() =>
    withDatabase(async (db) => {
      await db
        .update(rewards)
        .set({ status: "cancelled" })
        .where(eq(rewards.id, cancelled.rewardId));
      await db
        .update(airdrops)
        .set({ status: "ended", cancelledOnchainAt: new Date() })
        .where(eq(airdrops.rewardId, cancelled.rewardId));
      await db
        .update(airdrops)
        .set({ status: "ended" })
        .where(eq(airdrops.rewardId, over.rewardId));
      await db
        .update(distributions)
        .set({ claimedAt: new Date("2026-03-01T12:00:00Z") })
        .where(eq(distributions.rewardId, over.rewardId));
      for (const table of [distributions, allocations]) {
        await db.delete(table).where(eq(table.rewardId, offered.rewardId));
      }
    }),
  );
  await open(scene, page, holder.address);
  await expect(page.getByText("Eligible", { exact: true })).toBeVisible();
  for (const word of ["Cancelled", "Claimed"]) {
    await page.locator("summary").filter({ hasText: word }).click();
  }
  await expect(
    page.getByText("This campaign was cancelled. There is nothing to claim."),
  ).toBeVisible();
  await expect(page.getByText(/4 TEST were paid out on .*Mar.* 2026/)).toBeVisible();
  await scene.server.withDatabase(() =>
    withDatabase((db) =>
      db.insert(blacklist).values({ pointSystemId: scene.system, address: addressOf(holder) }),
    ),
  );
  await open(scene, page, holder.address);
  await expect(page.getByText("Excluded", { exact: true })).toBeVisible();
  await expect(page.getByText("This wallet is excluded from the rewards of")).toBeVisible();
  await expect(page.getByText("Eligible", { exact: true })).toHaveCount(0);
  await expectSeen(page, "older");
});

test.describe("what does not answer", { tag: "@deep" }, () => {
  test.use({ expectedComplaint: /responded with a status of 50[03]|ERR_FAILED/ });

  test("a service that does not answer is said, and never passes for not eligible", async ({
    page,
  }) => {
    await offer(scene);
    await page.route(LOOK_UPS, (route) =>
      route.fulfill({ status: 500, json: { error: "x", message: "Internal server error" } }),
    );
    await open(scene, page, holder.address);
    await expect(page.getByText("Trying again…")).toBeVisible();
    await expect(page.getByText("This does not mean that the wallet has no rewards.")).toBeVisible({
      timeout: 40_000,
    });
    await expect(page.getByText("Not eligible")).toHaveCount(0);
    await expectSeen(page, "unreachable");
    await page.unroute(LOOK_UPS);
    await button(page, "Try again").click();
    await expect(page.getByText("Verified against the chain")).toBeVisible();
  });

  test("a name is looked up; names that cannot be, and a chain that is away, are said as what they are", async ({
    page,
  }) => {
    await offer(scene);
    await open(scene, page);
    await page.getByLabel(/^Wallet (address|or ENS name)$/).fill("Holder.eth");
    await button(page, "Look up").click();
    await expect(page.getByText("Verified against the chain")).toBeVisible();
    expect(ens.calls).toContain("holder.eth");
    ens.mode = "fails";
    await open(scene, page, "unknown.eth");
    await expect(page.getByText("ENS names are not available right now.")).toBeVisible();
    await page.route(`${scene.anvil.rpcUrl}/**`, (route) => route.abort());
    await open(scene, page, holder.address);
    await expect(page.getByText("Verified against the chain")).toBeVisible();
    await page.route(`${toSecond(scene.anvil.rpcUrl)}/**`, (route) => route.abort());
    await open(scene, page, holder.address);
    await expect(page.getByText("Checking the amount against Base Sepolia…")).toBeVisible();
    await expect(page.getByText("Base Sepolia does not answer right now")).toBeVisible({
      timeout: 60_000,
    });
    await expectSeen(page, "chain-away");
    await page.unroute(`${toSecond(scene.anvil.rpcUrl)}/**`);
    await button(page, "Try again").click();
    await expect(page.getByText("Verified against the chain")).toBeVisible();
  });
});

test("a refusal of too many calls is waited for as long as it says", { tag: "@deep" }, async ({
  page,
}) => {
  await offer(scene);
  const calledAt: number[] = [];
  await page.route(LOOK_UPS, (route) => {
    calledAt.push(Date.now());
    if (calledAt.length > 1) return route.continue();
    return route.fulfill({
      status: 429,
      headers: { "Retry-After": "3" },
      json: { message: "Too many requests", code: "too_many_requests" },
    });
  });
  await open(scene, page, holder.address);
  await expect(page.getByText("The next one is possible in 3 seconds.")).toBeVisible();
  await expect(page.getByText("Verified against the chain")).toBeVisible({ timeout: 20_000 });
  expect(calledAt).toHaveLength(2);
  expect((calledAt[1] ?? 0) - (calledAt[0] ?? 0)).toBeGreaterThanOrEqual(3_000);
});

test("a proof that is being built comes by itself; one that waits for tokens says so", {
  tag: "@deep",
}, async ({ page }) => {
  const { rewardId, buckets } = await offer(scene);
  const root = hexToBytes(buckets[0]?.root ?? "0x");
  const setTree = (tree: { root: Uint8Array | null; fundedAt: Date | null }) =>
    scene.server.withDatabase(() =>
      withDatabase((db) =>
        db.update(merkleBuckets).set(tree).where(eq(merkleBuckets.rewardId, rewardId)),
      ),
    );
  await open(scene, page, holder.address);
  // The follower finds the creation in its own time, and sets what it finds there.
  await expect(async () => {
    await setTree({ root, fundedAt: null });
    await page.reload();
    await expect(page.getByText("Not funded yet")).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await expectSeen(page, "unfunded");
  await setTree({ root: null, fundedAt: null });
  await page.reload();
  await expect(page.getByText("Proof is being built")).toBeVisible();
  await expectSeen(page, "proof-building");
  await setTree({ root, fundedAt: new Date() });
  await expect(page.getByText("Verified against the chain")).toBeVisible({ timeout: 20_000 });
});

test("an amount that the contract does not know is not verified, and cannot be claimed", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil: scene.anvil, account: holder });
  await offer(scene);
  await page.route(LOOK_UPS, async (route) => {
    const answer = await (await route.fetch()).json();
    for (const share of answer.distributions) share.proof.amount = String(5n * ONE);
    await route.fulfill({ json: answer });
  });
  await open(scene, page, holder.address);
  await connect(page);
  await expect(page.getByText("The contract does not know this share")).toBeVisible();
  await expect(page.getByText("Not verified", { exact: true })).toBeVisible();
  await expect(claimButton(page)).toHaveCount(0);
  await expectSeen(page, "unverified");
});

test("a wallet on another network is switched, and told of the chain first", {
  tag: "@deep",
}, async ({ page }) => {
  const options = { anvil: scene.anvil, account: holder, startChainId: 1, isChainUnknown: true };
  const wallet = await injectWallet(page, options);
  await offer(scene);
  await open(scene, page);
  await connect(page);
  await expect(page.getByText("The wallet is on another network.")).toBeVisible();
  await expectSeen(page, "wrong-network");
  await button(page, "Switch to Base Sepolia").click();
  await expect(claimButton(page)).toBeVisible();
  expect(wallet.methods).toContain("wallet_addEthereumChain");
});

test("another account than the one looked up is said; the connected one is a press away", {
  tag: "@deep",
}, async ({ page }) => {
  await injectWallet(page, { anvil: scene.anvil, account: other });
  await offer(scene, {
    shares: [
      { address: addressOf(holder), amountWei: 4n * ONE },
      { address: addressOf(other), amountWei: 2n * ONE },
    ],
  });
  await open(scene, page, holder.address);
  await connect(page);
  await expect(page.getByText("Another wallet is connected.")).toBeVisible();
  await expect(claimButton(page)).toHaveCount(0);
  await expectSeen(page, "other-account");
  await page.getByRole("link", { name: "look at the connected wallet" }).click();
  await expect(page.getByText("2 TEST").first()).toBeVisible();
  await expect(claimButton(page)).toBeVisible();
});

test("after the deadline nothing is offered", { tag: "@deep" }, async ({ page }) => {
  const { timestamp } = await scene.anvil.client.getBlock();
  const offered = await offer(scene, {
    claimDeadline: new Date((Number(timestamp) + 3_600) * 1_000),
  });
  await scene.anvil.client.increaseTime({ seconds: 7_200 });
  await scene.anvil.client.mine({ blocks: 1 });
  await open(scene, page, holder.address);
  await expect(page.getByText("The deadline has passed")).toBeVisible();
  await expectSeen(page, "deadline");
  expect(offered.deadline).toBeGreaterThan(0);
});
