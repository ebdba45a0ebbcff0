import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { listRewardsOfWallet } from "../../../app/services/rewards/rewards";
import { startFollowing } from "../../../app/worker/follow-chains";
import { TEST_CHAIN_ID } from "../../support/chain/anvil";
import { passDeadline } from "../../support/chain/campaigns";
import {
  addressOf,
  ageLeader,
  type ClaimScene,
  catchUp,
  forgetClaims,
  listChainClaims,
  listClaimedShares,
  readIndexer,
  startClaimScene,
} from "../../support/chain/claims";
import { startHttpFake } from "../../support/fakes/http-fake";
import { startRpcProxy } from "../../support/fakes/rpc-proxy";
import { waitUntil } from "../../support/server-process";

let scene: ClaimScene;
let indexer: ChainFollower;
beforeAll(async () => {
  scene = await startClaimScene();
});
beforeEach(() => {
  indexer = createChainFollower({ everyMs: 0 });
});
afterEach(async () => {
  scene.proxy.faults = {};
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  await expectChainsTruth();
  await indexer.close();
});
afterAll(async () => {
  await scene.stop();
});

/** Checks that the claimed rows are exactly the chain's. */
async function expectChainsTruth(): Promise<void> {
  await scene.mine(3);
  await catchUp(indexer);
  const claimed = await listClaimedShares();
  expect(claimed).toEqual(await listChainClaims(scene));
  expect((await readIndexer()).claims).toBe(claimed.length);
}

const look = (other: ChainFollower = indexer) => other.look(TEST_CHAIN_ID);

/** Launches a campaign that is final on chain, and reads it. */
async function launch() {
  const campaign = await scene.launch();
  await scene.mine(3);
  await catchUp(indexer);
  const [first, second, third, fourth] = campaign.holders as [Holder, Holder, Holder, Holder];
  return { ...campaign, first, second, third, fourth };
}
type Holder = Awaited<ReturnType<ClaimScene["launch"]>>["holders"][number];

const isClaimed = async (rewardId: string, holder: Holder) => {
  const { claimed } = await listRewardsOfWallet(scene.owner.pointSystemId, addressOf(holder));
  return claimed.some(({ id }) => id === rewardId);
};

test("a claim is answered as claimed, with its block's time, before its block is final", async () => {
  const { first, claim, rewardId } = await launch();
  const hash = await claim(first);
  await catchUp(indexer);
  const { timestamp, number } = await scene.anvil.client.getBlock();
  const { claimed } = await listRewardsOfWallet(scene.owner.pointSystemId, addressOf(first));
  const claimedAt = new Date(Number(timestamp) * 1_000);
  expect(claimed).toMatchObject([{ id: rewardId, claimedAmount: 1, claimTxHash: hash, claimedAt }]);
  expect((await readIndexer()).finalBlock).toBeLessThan(Number(number));
});

test("an endpoint that says no times of logs gives the same", async () => {
  scene.proxy.faults = { hidesTimes: true };
  const { first, second, claim } = await launch();
  await claim(first);
  await claim(second);
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
});

test("a claim of an airdrop that is accepted later counts from then on", async () => {
  await launch(); // the indexer runs before the next campaign exists
  const campaign = await scene.launch();
  const [holder] = campaign.holders as [Holder];
  await campaign.claim(holder);
  await scene.mine(3);
  await catchUp(indexer);
  expect(await isClaimed(campaign.rewardId, holder)).toBe(true);
});

test("a claim that the chain drops is taken back", async () => {
  const { first, second, claim, rewardId } = await launch();
  await claim(first);
  const snapshot = await scene.anvil.client.snapshot();
  await claim(second);
  await catchUp(indexer);
  expect(await isClaimed(rewardId, second)).toBe(true);
  const { reorgs } = await readIndexer();
  await scene.fork(snapshot, 2);
  await catchUp(indexer);
  expect([await isClaimed(rewardId, first), await isClaimed(rewardId, second)]).toEqual([
    true,
    false,
  ]);
  expect(await readIndexer()).toMatchObject({ reorgs: reorgs + 1, claimsUndone: 1 });
});

test("a claim that moves to another block keeps its hash and gets that block's time", async () => {
  const { first, claim, rewardId } = await launch();
  const { client } = scene.anvil;
  const snapshot = await client.snapshot();
  const hash = await claim(first);
  await catchUp(indexer);
  const before = (await client.getTransactionReceipt({ hash })).blockNumber;
  const raw = await client.request({
    method: "eth_getRawTransactionByHash",
    params: [hash],
  } as never);
  await scene.fork(snapshot, 2);
  await client.sendRawTransaction({ serializedTransaction: raw });
  await client.mine({ blocks: 1 });
  const after = await client.getTransactionReceipt({ hash });
  expect(after.blockNumber).toBeGreaterThan(before);
  await catchUp(indexer);
  expect(await isClaimed(rewardId, first)).toBe(true);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
});

test("an endpoint that is behind takes nothing back, and the next one is asked", async () => {
  const { first, second, claim, rewardId } = await launch();
  const before = Number(await scene.anvil.client.getBlockNumber());
  await claim(first);
  await scene.mine(1);
  await catchUp(indexer);
  // One of several nodes behind one address may lag: the look changes nothing.
  scene.proxy.faults = { headMax: before };
  await look();
  expect(await isClaimed(rewardId, first)).toBe(true);
  scene.proxy.faults = {};
  await scene.mine(30);
  await catchUp(indexer);
  scene.proxy.faults = { headMax: before };
  await expect(look()).rejects.toThrow("behind");
  expect(await isClaimed(rewardId, first)).toBe(true);
  expect(await readIndexer()).toMatchObject({ failure: "behind" });
  const good = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [scene.proxy.url, good.url] });
  await claim(second);
  await catchUp(indexer);
  expect(await isClaimed(rewardId, second)).toBe(true);
  expect(await readIndexer()).toMatchObject({ failure: null, endpoint: 1 });
  await good.stop();
});

test.each(["all", "last"] as const)(
  "an endpoint that leaves out logs (%s) undoes nothing that its blocks still hold",
  async (hidesLogs) => {
    const { first, second, claim, rewardId } = await launch();
    await claim(first);
    await claim(second);
    await catchUp(indexer);
    scene.proxy.faults = { hidesLogs };
    await scene.mine(1);
    await expect(look()).rejects.toThrow("omits logs");
    await scene.mine(5); // now final
    await expect(look()).rejects.toThrow("omits logs");
    expect(await isClaimed(rewardId, second)).toBe(true);
  },
);

test("an endpoint's limit on ranges is found, and nothing is left out at the seams", async () => {
  const { holders, claim } = await launch();
  for (const holder of holders) {
    await claim(holder);
    await scene.mine(6);
  }
  await forgetClaims();
  scene.proxy.faults = { rangeMax: 7 };
  const fresh = createChainFollower({ everyMs: 0 });
  await indexer.close();
  await catchUp(fresh);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
  await fresh.close();
});

test.each([{ down: true }, { rateLimited: true }])(
  "an endpoint that does not serve for a while (%o) leaves no gap",
  async (faults) => {
    const { first, second, claim, rewardId } = await launch();
    await claim(first);
    scene.proxy.faults = faults;
    for (let minute = 0; minute < 3; minute += 1) {
      await scene.mine(30);
      await expect(look()).rejects.toThrow(/does not answer|call limit/);
    }
    await claim(second);
    expect(await isClaimed(rewardId, first)).toBe(false);
    scene.proxy.faults = {};
    await catchUp(indexer);
    expect(await isClaimed(rewardId, first)).toBe(true);
    expect(await isClaimed(rewardId, second)).toBe(true);
  },
);

test("of two instances one leads, and the other goes on when it ends", async () => {
  const { first, second, claim, rewardId } = await launch();
  const other = createChainFollower({ everyMs: 0 });
  await claim(first);
  const { epoch } = await readIndexer();
  await Promise.all([look(), look(other), look(other), look()]);
  expect((await readIndexer()).epoch).toBe(epoch);
  await indexer.close();
  await claim(second);
  await catchUp(other);
  expect((await readIndexer()).epoch).toBe(epoch + 1);
  expect(await isClaimed(rewardId, second)).toBe(true);
  await other.close();
});

test("a leader that was paused writes nothing of what it knew before", async () => {
  const { first, second, claim, rewardId } = await launch();
  const snapshot = await scene.anvil.client.snapshot();
  await claim(first);
  // The indexer has read the claim and checked its block, and is paused before it writes this.
  let resume = () => {};
  const paused = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const isPaused = new Promise<void>((resolve) => {
    let isRead = false;
    scene.proxy.faults = {
      after: async (method, result) => {
        isRead ||= method === "eth_getLogs" && (result as unknown[]).length > 0;
        if (method !== "eth_getBlockByNumber" || !isRead) return;
        scene.proxy.faults = {};
        resolve();
        await paused;
      },
    };
  });
  const late = look();
  await isPaused;
  await scene.fork(snapshot, 2);
  const other = createChainFollower({ everyMs: 0 });
  await ageLeader();
  await catchUp(other);
  await claim(second);
  await catchUp(other);
  resume();
  expect(await late).toBe(false);
  expect(await isClaimed(rewardId, first)).toBe(false);
  expect(await isClaimed(rewardId, second)).toBe(true);
  await other.close();
});

test("a chain that hangs holds up no other", async () => {
  const { first, claim, rewardId } = await launch();
  await indexer.close();
  const hanging = await startHttpFake(() => {});
  openChains({ RPC_URL_8453: [hanging.url], RPC_URL_84532: [scene.proxy.url] });
  await claim(first);
  const worker = startFollowing(() => {});
  await waitUntil(() => isClaimed(rewardId, first), 10_000);
  await worker.stop();
  await hanging.stop();
});

test("an airdrop ends once its deadline is past in a final block, and not before", async () => {
  const claimDeadline = new Date(Date.now() + 3_600_000);
  const campaign = await scene.launch({ claimDeadline });
  const statusOf = async () => (await scene.chainOf(campaign.rewardId)).airdropStatus;
  await scene.mine(3);
  await catchUp(indexer);
  expect(await statusOf()).toBe("active");
  await passDeadline(campaign.rewardId);
  // The chain's clock may be behind, after the blocks that it has dropped.
  const { timestamp } = await scene.anvil.client.getBlock();
  const now = BigInt(Math.floor(Date.now() / 1_000));
  await scene.anvil.client.setNextBlockTimestamp({
    timestamp: now > timestamp ? now : timestamp + 1n,
  });
  await scene.mine(3);
  await catchUp(indexer);
  expect(await statusOf()).toBe("ended");
});
