import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { reportTransaction } from "../../../app/services/campaigns/chain/transactions";
import { compareSome, createCompareMemory } from "../../../app/services/follower/compare";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { callContract } from "../../support/chain/campaigns";
import {
  addressOf,
  type ClaimScene,
  catchUp,
  listChainClaims,
  listClaimedShares,
  readIndexer,
  startClaimScene,
} from "../../support/chain/claims";
import { startRpcProxy } from "../../support/fakes/rpc-proxy";

let scene: ClaimScene;
let indexer: ChainFollower;
beforeAll(async () => {
  scene = await startClaimScene();
  indexer = createChainFollower({ everyMs: 0 });
});
afterEach(async () => {
  scene.proxy.faults = {};
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  await scene.mine(3);
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
});
afterAll(async () => {
  await indexer.close();
  await scene.stop();
});

const reconcile = (memory = createCompareMemory()) => compareSome(84532, memory);

/** Creates a campaign with claims that the endpoint hid until they were final. */
async function hideClaims() {
  const campaign = await scene.launch();
  await catchUp(indexer);
  scene.proxy.faults = { hidesLogs: "all" };
  for (const holder of campaign.holders.slice(0, 3)) await campaign.claim(holder);
  await scene.mine(4);
  await catchUp(indexer);
  return campaign;
}

test("claims that an endpoint hid are found by the contract's own books, and read anew", async () => {
  const before = await readIndexer().catch(() => ({ rescans: 0 }));
  await hideClaims();
  const missing = (await listChainClaims(scene)).length - (await listClaimedShares()).length;
  expect(missing).toBe(3);
  scene.proxy.faults = {};
  await reconcile();
  expect(await readIndexer()).toMatchObject({
    bucketsDiffering: 2,
    rescans: before.rescans + 1,
  });
  await catchUp(indexer);
  await reconcile();
  expect(await readIndexer()).toMatchObject({ bucketsDiffering: 0, rescans: before.rescans + 1 });
});

test("they are read anew through the next endpoint, when the first goes on hiding them", async () => {
  const honest = await startRpcProxy(scene.anvil.rpcUrl);
  await hideClaims();
  openChains({ RPC_URL_84532: [scene.proxy.url, honest.url] });
  await reconcile();
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  await honest.stop();
});

test("the only endpoint that goes on hiding them is not asked for all of it each time", async () => {
  await hideClaims();
  const memory = createCompareMemory();
  await reconcile(memory);
  const { rescans } = await readIndexer();
  await catchUp(indexer);
  await reconcile(memory);
  expect(await readIndexer()).toMatchObject({ rescans, bucketsDiffering: 2 });
  scene.proxy.faults = {};
  const { holders, claim } = await scene.launch();
  await claim(holders[0] as (typeof holders)[number]);
  // There is another difference, which is now reported.
  scene.proxy.faults = { hidesLogs: "all" };
  await scene.mine(4);
  await catchUp(indexer);
  await reconcile();
  scene.proxy.faults = {};
  await catchUp(indexer);
});

test("a refund is no difference, and behind one the marks are compared", async () => {
  const { holders, claim, rewardId, buckets } = await scene.launch();
  const [first, second] = holders as [(typeof holders)[number], (typeof holders)[number]];
  await claim(first);
  await scene.mine(3);
  await catchUp(indexer);
  scene.proxy.faults = { hidesLogs: "all" };
  await claim(second);
  await scene.mine(4);
  await catchUp(indexer);
  scene.proxy.faults = {};
  const { onchainId } = await scene.chainOf(rewardId);
  const refund = await callContract(scene.anvil, scene.admin, "cancel", [
    onchainId,
    buckets.map(({ root }) => root),
    addressOf(scene.admin),
  ]);
  await reportTransaction(scene.owner, rewardId, refund);
  await scene.mine(3);
  await catchUp(indexer);
  await reconcile();
  expect((await readIndexer()).bucketsDiffering).toBe(1);
  await catchUp(indexer);
  await reconcile();
  expect((await readIndexer()).bucketsDiffering).toBe(0);
});
