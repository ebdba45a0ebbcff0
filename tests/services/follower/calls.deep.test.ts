import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import { airdrops } from "../../../app/db/schema/rewards";
import { compareSome, createCompareMemory } from "../../../app/services/follower/compare";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { createOnChain } from "../../support/chain/campaigns";
import { addressOf, type ClaimScene, catchUp, startClaimScene } from "../../support/chain/claims";

const _ONE = 10n ** 18n;

let scene: ClaimScene;
let follower: ChainFollower;
beforeAll(async () => {
  scene = await startClaimScene();
});
beforeEach(() => {
  follower = createChainFollower({ everyMs: 0, compareEveryMs: 3_600_000 });
});
afterEach(async () => {
  scene.proxy.faults = {};
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  await follower.close();
});
afterAll(async () => {
  await scene.stop();
});

async function settle() {
  await scene.mine(3);
  await catchUp(follower);
}

/** Stores campaigns that wait for their creation, with their admin named. */
async function planMany(count: number): Promise<void> {
  const first = await scene.plan();
  await scene.nameAdmin(first.rewardId);
  for (let left = count - 1; left > 0; left -= 1) {
    const { rewardId } = await scene.plan();
    await withDatabase((db) =>
      db.execute(sql`
        update airdrops a set admin_address = b.admin_address, admin_named_at = now(),
          admin_named_block = b.admin_named_block
        from airdrops b where b.reward_id = ${first.rewardId} and a.reward_id = ${rewardId}`),
    );
  }
}

/** Counts the calls of some looks, each of them after a new block. */
async function countCalls(looks: number): Promise<Record<string, number>> {
  const before = scene.proxy.calls.length;
  for (let i = 0; i < looks; i += 1) {
    await scene.mine(1);
    await follower.look(84532);
  }
  const calls: Record<string, number> = {};
  for (const method of scene.proxy.calls.slice(before)) calls[method] = (calls[method] ?? 0) + 1;
  return calls;
}

/** Counts the calls of one comparison with the contract's books. */
async function countBookCalls(): Promise<number> {
  const before = scene.proxy.calls.length;
  await compareSome(84532, createCompareMemory());
  return scene.proxy.calls.slice(before).filter((method) => method === "eth_call").length;
}

test("the calls of a minute are as many for 200 ready and 100 active campaigns as for one", async () => {
  const first = await scene.plan();
  await scene.nameAdmin(first.rewardId);
  await createOnChain(scene.anvil, scene.admin, first);
  await settle();
  const few = await countCalls(15);
  const fewBooks = await countBookCalls();
  await planMany(200);
  const active: Awaited<ReturnType<ClaimScene["plan"]>>[] = [];
  while (active.length < 99) {
    const campaign = await scene.plan();
    active.push(campaign);
    await withDatabase((db) =>
      db
        .update(airdrops)
        .set({ adminAddress: addressOf(scene.admin), adminNamedBlock: 0 })
        .where(eq(airdrops.rewardId, campaign.rewardId)),
    );
    await createOnChain(scene.anvil, scene.admin, campaign);
  }
  await settle();
  for (const { rewardId } of [first, ...active]) {
    expect((await scene.readPage(rewardId)).campaign.airdropStatus).toBe("active");
  }
  expect(await countCalls(15)).toEqual(few);
  expect(await countBookCalls()).toBe(fewBooks);
}, 120_000);
