import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ClaimIndexer, createClaimIndexer } from "../../app/services/claim-indexer";
import { listRewardsOfWallet } from "../../app/services/rewards-read";
import {
  addressOf,
  type ClaimScene,
  catchUp,
  listChainClaims,
  listClaimedShares,
  startClaimScene,
} from "../chain/claims";

let scene: ClaimScene;
let indexer: ClaimIndexer;
beforeAll(async () => {
  scene = await startClaimScene();
  indexer = createClaimIndexer({ everyMs: 0 });
});
afterEach(async () => {
  scene.proxy.faults = {};
  await expectChainsTruth();
});
afterAll(async () => {
  await indexer.close();
  await scene.stop();
});

/** What holds after everything: the claimed rows are the chain's, exactly. */
async function expectChainsTruth(): Promise<void> {
  await scene.mine(3);
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
}

test("a claim is answered as claimed, with its block's time, before its block is final", async () => {
  const campaign = await scene.launch();
  const [holder] = campaign.holders as [(typeof campaign.holders)[number]];
  await catchUp(indexer);
  const hash = await campaign.claim(holder);
  await catchUp(indexer);
  const block = await scene.anvil.client.getBlock();
  const { pointSystemId } = scene.owner;
  const { claimed } = await listRewardsOfWallet(pointSystemId, addressOf(holder));
  expect(claimed).toMatchObject([
    {
      id: campaign.rewardId,
      claimedAmount: 1,
      claimTxHash: hash,
      claimedAt: new Date(Number(block.timestamp) * 1_000),
    },
  ]);
});
