import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { compareSome, createCompareMemory } from "../../../app/services/follower/compare";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { callContract } from "../../support/chain/campaigns";
import { addressOf, type ClaimScene, catchUp, startClaimScene } from "../../support/chain/claims";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { listen, listSaid } from "../../support/said-events";

let scene: ClaimScene;
let follower: ChainFollower;
beforeAll(async () => {
  useGiftCardKeys(createGiftCardKey("k1"));
  scene = await startClaimScene();
  await listen(scene.owner);
  follower = createChainFollower({ everyMs: 0, compareEveryMs: 3_600_000 });
});
afterAll(async () => {
  await follower.close();
  await scene.stop();
});

async function settle() {
  await scene.mine(3);
  await catchUp(follower);
}

/** Runs some work, and lists what the webhook hears of a campaign meanwhile, as short texts. */
async function hear(rewardId: string, work: () => Promise<unknown>) {
  const before = (await listSaid(scene.owner)).length;
  await work();
  const said = (await listSaid(scene.owner)).slice(before) as [string, Said][];
  return said.flatMap(([type, { claims = [], ...data }]) =>
    [data, ...claims].flatMap((told) =>
      told.rewardId === rewardId
        ? `${type} ${told.address ? `${told.address} ` : ""}${told.amount} ${told.transaction}`
        : [],
    ),
  );
}
interface Told {
  readonly rewardId?: string;
  readonly address?: string;
  readonly amount?: string;
  readonly transaction?: string;
}
interface Said extends Told {
  readonly claims?: readonly Told[];
}

async function launch() {
  const campaign = await scene.launch();
  const [first, second] = campaign.holders;
  if (!first || !second) throw new Error("The campaign has no holders");
  const { onchainId } = await scene.chainOf(campaign.rewardId);
  return { ...campaign, first, second, onchainId };
}

test("campaign.funded and campaign.cancelled are said once a transaction, with their amounts", async () => {
  const before = (await listSaid(scene.owner)).length;
  const { rewardId, buckets, onchainId } = await launch();
  const { creationTxHash, campaignId, name } = await scene.chainOf(rewardId);
  expect((await listSaid(scene.owner)).slice(before)).toEqual([
    [
      "campaign.funded",
      {
        rewardId,
        campaignId,
        name,
        amount: "10",
        tokenSymbol: expect.any(String),
        chainId: 84532,
        contract: CAMPAIGN_CONTRACT_ADDRESS,
        onchainId: String(onchainId),
        transaction: creationTxHash,
      },
    ],
  ]);
  const roots = buckets.map(({ root }) => root);
  const cancelled = await hear(rewardId, async () => {
    await callContract(scene.anvil, scene.admin, "cancel", [
      onchainId,
      roots.slice(0, 1),
      addressOf(scene.admin),
    ]);
    await settle();
  });
  const back = (buckets[0]?.total ?? 0n) / 10n ** 18n;
  expect(cancelled).toEqual([expect.stringMatching(`^campaign.cancelled ${back} 0x`)]);
  const again = await hear(rewardId, async () => {
    await withDatabase((db) => db.execute(sql`update chain_followers set final_block = -1`));
    await settle();
  });
  expect(again).toEqual([]);
});

test("claim.confirmed: a claim is said when its block is final, and not again when the chain is read again", async () => {
  const { rewardId, first, claim } = await launch();
  await settle();
  let hash = "";
  const tentative = await hear(rewardId, async () => {
    hash = await claim(first);
    await catchUp(follower);
  });
  expect(tentative).toEqual([]);
  const said = `claim.confirmed ${addressOf(first)} 1 ${hash}`;
  expect(await hear(rewardId, settle)).toEqual([said]);
  const again = await hear(rewardId, async () => {
    await withDatabase((db) => db.execute(sql`update chain_followers set final_block = -1`));
    await settle();
  });
  expect(again).toEqual([]);
});

test("a claim that is found after its block was final is said then", async () => {
  const { rewardId, first, second, claim } = await launch();
  await settle();
  scene.proxy.faults = { hidesLogs: "all" };
  const hidden = await hear(rewardId, async () => {
    await claim(first);
    await claim(second);
    await scene.mine(3);
    await settle();
  });
  expect(hidden).toEqual([]);
  scene.proxy.faults = {};
  const found = await hear(rewardId, async () => {
    await compareSome(84532, createCompareMemory());
    await settle();
  });
  expect(found.map((text) => text.split(" ").slice(0, 3))).toEqual([
    ["claim.confirmed", addressOf(first), "1"],
    ["claim.confirmed", addressOf(second), "2"],
  ]);
});

test("claim.reverted: final claims that the chain drops are said, and one that comes back is said again", async () => {
  const { rewardId, first, second, claim } = await launch();
  await settle();
  const snapshot = await scene.anvil.client.snapshot();
  const [one, two] = [await claim(first), await claim(second)];
  const confirmed = await hear(rewardId, settle);
  expect(confirmed).toEqual([
    `claim.confirmed ${addressOf(first)} 1 ${one}`,
    `claim.confirmed ${addressOf(second)} 2 ${two}`,
  ]);
  const dropped = await hear(rewardId, async () => {
    await scene.fork(snapshot, 12);
    await claim(second);
    await settle();
  });
  expect(dropped.map((text) => text.split(" ").slice(0, 2).join(" "))).toEqual([
    `claim.reverted ${addressOf(first)}`,
    `claim.reverted ${addressOf(second)}`,
    `claim.confirmed ${addressOf(second)}`,
  ]);
});
