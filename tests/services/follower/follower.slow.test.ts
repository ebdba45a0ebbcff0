import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { CAMPAIGN_RUNTIME_CODE } from "../../../app/chain/campaigns/bytecode";
import { openChains } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import { airdrops } from "../../../app/db/schema/rewards";
import type { Address } from "../../../app/domain/address";
import { reportTransaction } from "../../../app/services/campaigns/chain/transactions";
import { compareSome, createCompareMemory } from "../../../app/services/follower/compare";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { startFollowing } from "../../../app/worker/follow-chains";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import { callContract, createOnChain } from "../../support/chain/campaigns";
import {
  addressOf,
  type ClaimScene,
  catchUp,
  listChainClaims,
  listClaimedShares,
  readIndexer,
  startClaimScene,
} from "../../support/chain/claims";
import { startHttpFake } from "../../support/fakes/http-fake";
import { startRpcProxy } from "../../support/fakes/rpc-proxy";
import { waitUntil } from "../../support/server-process";

const ONE = 10n ** 18n;
const OLD_CONTRACT: Address = "0x00000000000000000000000000000000000000c0";

let scene: ClaimScene;
let follower: ChainFollower;
beforeAll(async () => {
  scene = await startClaimScene();
});
beforeEach(() => {
  follower = createChainFollower({ everyMs: 0 });
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

test("claims, extensions and cancels of an old contract are seen after another one was set", async () => {
  await scene.anvil.client.setCode({ address: OLD_CONTRACT, bytecode: CAMPAIGN_RUNTIME_CODE });
  openChains({ RPC_URL_84532: [scene.proxy.url], CAMPAIGN_CONTRACT_84532: OLD_CONTRACT });
  const deadline = new Date(Math.ceil(Date.now() / 1_000 + 7_200) * 1_000);
  const old = await scene.plan({ claimDeadline: deadline });
  await scene.nameAdmin(old.rewardId);
  await createOnChain(scene.anvil, scene.admin, old, { contract: OLD_CONTRACT });
  await settle();
  const { onchainId } = (await scene.readPage(old.rewardId)).campaign;
  expect(onchainId).not.toBeNull();
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  const fresh = await scene.plan();
  await scene.nameAdmin(fresh.rewardId);
  await createOnChain(scene.anvil, scene.admin, fresh);
  const holder = getTestAccount(2);
  for (const [campaign, contract] of [
    [old, OLD_CONTRACT],
    [fresh, undefined],
  ] as const) {
    await settle();
    const { amountWei, proof } = campaign.proofOf(addressOf(holder));
    const id = (await scene.readPage(campaign.rewardId)).campaign.onchainId;
    await callContract(scene.anvil, holder, "claim", [id, amountWei, proof], {
      ...(contract && { to: contract }),
    });
  }
  const later = Math.floor(deadline.getTime() / 1_000) + 3_600;
  await callContract(scene.anvil, scene.admin, "extendDeadline", [onchainId, later], {
    to: OLD_CONTRACT,
  });
  await settle();
  for (const { rewardId } of [old, fresh]) {
    expect((await scene.readPage(rewardId)).claims.claimed).toBe(1);
  }
  expect((await scene.readPage(old.rewardId)).campaign.claimDeadline).toEqual(
    new Date(later * 1_000),
  );
  await callContract(scene.anvil, scene.admin, "cancel", [onchainId, [], addressOf(scene.admin)], {
    to: OLD_CONTRACT,
  });
  await settle();
  const page = await scene.readPage(old.rewardId);
  expect(page.campaign.airdropStatus).toBe("ended");
  expect(
    page.transactions.map(({ isExtension, isCancellation }) => [isExtension, isCancellation]),
  ).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
});

test("a deadline whose extension the chain drops is the planned one again", async () => {
  const deadline = new Date(Math.ceil(Date.now() / 1_000 + 7_200) * 1_000);
  const campaign = await scene.plan({ claimDeadline: deadline });
  await scene.nameAdmin(campaign.rewardId);
  await createOnChain(scene.anvil, scene.admin, campaign);
  await settle();
  const { onchainId } = (await scene.readPage(campaign.rewardId)).campaign;
  const snapshot = await scene.anvil.client.snapshot();
  const later = Math.floor(deadline.getTime() / 1_000) + 60;
  await callContract(scene.anvil, scene.admin, "extendDeadline", [onchainId, later]);
  await catchUp(follower);
  const readDeadline = async () => (await scene.readPage(campaign.rewardId)).campaign.claimDeadline;
  expect(await readDeadline()).toEqual(new Date(later * 1_000));
  await scene.fork(snapshot, 2);
  await catchUp(follower);
  expect(await readDeadline()).toEqual(deadline);
  expect((await scene.readPage(campaign.rewardId)).campaign.airdropStatus).toBe("active");
});

test("a stranger who creates first with the same admin and reference is a stray once the admin has", async () => {
  const campaign = await scene.plan();
  await scene.nameAdmin(campaign.rewardId);
  const stranger = getTestAccount(1);
  await createOnChain(scene.anvil, stranger, campaign, { admin: addressOf(scene.admin) });
  await settle();
  const first = await scene.readPage(campaign.rewardId);
  // Whoever pays, it is the campaign: everything in it is as planned.
  expect(first.campaign.airdropStatus).toBe("active");
  const holder = getTestAccount(2);
  const { amountWei, proof } = campaign.proofOf(addressOf(holder));
  await callContract(scene.anvil, holder, "claim", [first.campaign.onchainId, amountWei, proof]);
  await settle();
  expect((await scene.readPage(campaign.rewardId)).claims.claimed).toBe(1);
  await createOnChain(scene.anvil, scene.admin, campaign);
  await settle();
  const page = await scene.readPage(campaign.rewardId);
  expect(page.campaign.onchainId).toBe((first.campaign.onchainId ?? 0n) + 1n);
  expect(page.funded.buckets).toBe(campaign.buckets.length);
  // The admin's own escrow still owes the holder.
  expect(page.claims.claimed).toBe(0);
  expect(page.strays).toMatchObject([
    {
      onchainId: String(first.campaign.onchainId),
      admin: addressOf(scene.admin),
      isCancelled: false,
      heldWei: ONE,
    },
  ]);
  // A later stranger changes nothing any more.
  await createOnChain(scene.anvil, getTestAccount(4), campaign, { admin: addressOf(scene.admin) });
  await settle();
  expect((await scene.readPage(campaign.rewardId)).campaign.onchainId).toBe(
    page.campaign.onchainId,
  );
  const [stray, later] = (await scene.readPage(campaign.rewardId)).strays;
  expect(later?.heldWei).toBe(2n * ONE);
  // Its admin takes back what nobody claimed, and it is listed no more.
  const hash = await callContract(scene.anvil, scene.admin, "cancel", [
    BigInt(stray?.onchainId ?? 0),
    stray?.roots,
    addressOf(scene.admin),
  ]);
  await reportTransaction(scene.owner, campaign.rewardId, hash);
  expect((await scene.readPage(campaign.rewardId)).strays).toEqual([later]);
  expect((await scene.readPage(campaign.rewardId)).campaign.airdropStatus).toBe("active");
});

test("an admin that is named after the creation was read accepts it at once", async () => {
  const campaign = await scene.plan();
  await createOnChain(scene.anvil, scene.admin, campaign);
  await settle();
  await scene.nameAdmin(campaign.rewardId);
  expect((await scene.readPage(campaign.rewardId)).campaign.airdropStatus).toBe("active");
});

test("the books of an ended airdrop are compared once after its end is final, and then closed", async () => {
  const { rewardId, buckets, holders, claim } = await scene.launch();
  await settle();
  await claim(holders[0] as (typeof holders)[number]);
  const { onchainId } = await scene.chainOf(rewardId);
  const roots = buckets.map(({ root }) => root);
  await callContract(scene.anvil, scene.admin, "cancel", [
    onchainId,
    roots,
    addressOf(scene.admin),
  ]);
  const isClosed = async () => {
    const [row] = await withDatabase((db) =>
      db
        .select({ at: airdrops.booksClosedAt })
        .from(airdrops)
        .where(eq(airdrops.rewardId, rewardId)),
    );
    return row?.at != null;
  };
  await catchUp(follower);
  await compareSome(84532, createCompareMemory());
  expect(await isClosed()).toBe(false);
  await settle();
  await compareSome(84532, createCompareMemory());
  expect(await isClosed()).toBe(true);
  expect((await readIndexer()).bucketsDiffering).toBe(0);
});

/** Checks that the claimed shares of a campaign are exactly the chain's claims of it. */
async function expectChainsTruth(rewardId: string): Promise<void> {
  const { onchainId } = await scene.chainOf(rewardId);
  const isOfIt = (line: string) => line.split(" ")[1] === String(onchainId);
  const claimed = (await listClaimedShares()).filter(isOfIt);
  expect(claimed).toEqual((await listChainClaims(scene)).filter(isOfIt));
}

/** Answers another hash for each block up to a height, as an endpoint on another fork would. */
function denyBlocks(proxy: ClaimScene["proxy"], upToBlock: number): void {
  proxy.faults = {
    after: (method, result) => {
      const block = result as { number?: string; hash?: string } | null;
      if (method !== "eth_getBlockByNumber" || !block?.number) return;
      if (Number(block.number) <= upToBlock) block.hash = `0x${block.hash?.slice(4)}ee`;
    },
  };
}

test("two endpoints that contradict each other about a final block undo nothing, and people see it", async () => {
  const { holders, claim, rewardId } = await scene.launch();
  await settle();
  const [first, second] = holders as [(typeof holders)[number], (typeof holders)[number]];
  await claim(first);
  await settle();
  const before = await readIndexer();
  const other = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [scene.proxy.url, other.url] });
  await withDatabase((db) => db.execute(sql`update chain_followers set endpoint = 0`));
  denyBlocks(other, 1e9);
  await claim(second);
  await settle();
  // The window goes on, its lower end does not.
  await expectChainsTruth(rewardId);
  const seen = await readIndexer();
  expect(seen.agreedBlock).toBe(before.agreedBlock);
  expect(seen.contradictions).toBe(before.contradictions + 1);
  expect(seen.contradiction).toContain("different final blocks");
  // As soon as they agree again, so does everything else.
  other.faults = {};
  await settle();
  expect((await readIndexer()).agreedBlock).toBeGreaterThan(before.agreedBlock ?? 0);
  await expectChainsTruth(rewardId);
  await other.stop();
});

test("endpoints that contradict each other about the first final block do not have the whole chain read at each look", async () => {
  const { rewardId } = await scene.launch();
  await scene.mine(150);
  const other = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [scene.proxy.url, other.url] });
  await withDatabase((db) =>
    db.execute(sql`
      update chain_followers set endpoint = 0, final_block = 0, confirmed_block = 0,
        agreed_block = null, agreed_hash = null, agreed_mined_at = null`),
  );
  denyBlocks(other, 1e9);
  other.faults.rangeMax = 1;
  scene.proxy.faults = { rangeMax: 1 };
  scene.proxy.calls.length = 0;
  await expect(follower.look(84532)).rejects.toThrow("contradict");
  // It takes some calls to find out how many blocks an endpoint answers for.
  expect(scene.proxy.calls.filter((method) => method === "eth_getLogs").length).toBeLessThan(60);
  // As soon as they agree, everything is read.
  other.faults = {};
  scene.proxy.faults = {};
  await settle();
  expect((await readIndexer()).agreedBlock).not.toBeNull();
  await expectChainsTruth(rewardId);
  await other.stop();
});

test("one of two endpoints that denies what is final is left, with an alarm; both together are believed", async () => {
  const { holders, claim, rewardId } = await scene.launch();
  const [first, second] = holders as [(typeof holders)[number], (typeof holders)[number]];
  await settle();
  const snapshot = await scene.anvil.client.snapshot();
  await claim(first);
  await settle();
  const stored = await listClaimedShares();
  const other = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [other.url, scene.proxy.url] });
  await withDatabase((db) => db.execute(sql`update chain_followers set endpoint = 0`));
  const { agreedBlock, contradictions, headBlock } = await readIndexer();
  denyBlocks(other, headBlock ?? 0);
  await scene.mine(1);
  await catchUp(follower);
  expect(await listClaimedShares()).toEqual(stored);
  const left = await readIndexer();
  expect(left.agreedBlock).toBeGreaterThanOrEqual(agreedBlock ?? 0);
  expect(left).toMatchObject({ endpoint: 1, failure: null });
  expect(left.contradictions).toBeGreaterThan(contradictions);
  // One that has not reached the block confirms nothing.
  await withDatabase((db) => db.execute(sql`update chain_followers set endpoint = 0`));
  scene.proxy.faults = { headMax: (left.agreedBlock ?? 0) - 1 };
  denyBlocks(other, left.headBlock ?? 0);
  await scene.mine(1);
  await catchUp(follower).catch(() => undefined);
  expect(await listClaimedShares()).toEqual(stored);
  const doubted = await readIndexer();
  expect(doubted.agreedBlock).toBe(left.agreedBlock);
  scene.proxy.faults = {};
  other.faults = {};
  await scene.fork(snapshot, 12);
  await claim(second);
  await settle();
  await expectChainsTruth(rewardId);
  expect((await readIndexer()).contradictions).toBe(doubted.contradictions + 1);
  expect((await readIndexer()).contradiction).toContain("were final and are others now");
  await other.stop();
});

test("an endpoint that hides everything, creations too, undoes nothing that its blocks still hold", async () => {
  const { rewardId } = await scene.launch();
  await catchUp(follower);
  scene.proxy.faults = { hidesLogs: "everything" };
  await scene.mine(1);
  await expect(follower.look(84532)).rejects.toThrow("omits logs");
  expect((await scene.chainOf(rewardId)).airdropStatus).toBe("active");
});

test("logs of a contract that a file names, and that are none of ours, hold up nothing", async () => {
  const campaign = await scene.launch();
  await settle();
  // A contract that logs the topic of a claim with no data.
  const impostor: Address = "0x00000000000000000000000000000000000000d1";
  const topic = "04672052dcb6b5b19a9cc2ec1b8f447f1f5e47b5e24cfa5e4ffb640d63ca2be7";
  await scene.anvil.client.setCode({ address: impostor, bytecode: `0x7f${topic}5f5fa100` });
  await withDatabase((db) =>
    db.execute(sql`
      insert into chain_contracts (chain_id, contract, from_block)
      values (84532, decode(${impostor.slice(2)}, 'hex'), 0)`),
  );
  await scene.anvil.send(scene.admin, { to: impostor, data: "0x01" });
  await campaign.claim(campaign.holders[0] as (typeof campaign.holders)[number]);
  await settle();
  await expectChainsTruth(campaign.rewardId);
});

test("beside a chain that hangs, claims and cancels of three others are seen in their usual time", async () => {
  const others = await Promise.all(
    ([8453, 5031] as const).map((chainId) => startAnvil({ chainId })),
  );
  const hanging = await startHttpFake(() => {});
  openChains({
    RPC_URL_84532: [scene.proxy.url],
    RPC_URL_8453: [others[0]?.rpcUrl ?? ""],
    RPC_URL_5031: [others[1]?.rpcUrl ?? ""],
    RPC_URL_50312: [hanging.url],
  });
  const worker = startFollowing(() => {});
  try {
    const chains = [scene.anvil, ...others];
    const campaigns = await Promise.all(
      ([84532, 8453, 5031] as const).map((chainId) => scene.plan({ chainId })),
    );
    for (const [i, campaign] of campaigns.entries()) {
      await scene.nameAdmin(campaign.rewardId);
      await createOnChain(chains[i] as typeof scene.anvil, scene.admin, campaign);
    }
    const readAll = () => Promise.all(campaigns.map(({ rewardId }) => scene.readPage(rewardId)));
    await waitUntil(
      async () => (await readAll()).every(({ campaign }) => campaign.airdropStatus === "active"),
      10_000,
    );
    const ids = (await readAll()).map(({ campaign }) => campaign.onchainId);
    const holder = getTestAccount(2);
    for (const [i, campaign] of campaigns.entries()) {
      const anvil = chains[i] as typeof scene.anvil;
      const { amountWei, proof } = campaign.proofOf(addressOf(holder));
      await callContract(anvil, holder, "claim", [ids[i], amountWei, proof]);
      await callContract(anvil, scene.admin, "cancel", [ids[i], [], addressOf(scene.admin)]);
    }
    await waitUntil(
      async () =>
        (await readAll()).every(
          ({ campaign, claims }) => campaign.airdropStatus === "ended" && claims.claimed === 1,
        ),
      10_000,
    );
  } finally {
    await worker.stop();
    await Promise.all([hanging.stop(), ...others.map((anvil) => anvil.stop())]);
  }
}, 60_000);
