import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import { getChainPage } from "../../../app/services/campaigns/chain/page";
import { reportTransaction } from "../../../app/services/campaigns/chain/transactions";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { listTokenClaims } from "../../../app/services/rewards/claim-status";
import { listRewardsOfWallet } from "../../../app/services/rewards/rewards";
import { getTestAccount, TEST_CHAIN_ID } from "../../support/chain/anvil";
import { callContract } from "../../support/chain/campaigns";
import {
  addressOf,
  type ClaimScene,
  catchUp,
  forgetClaims,
  listChainClaims,
  listClaimedShares,
  readIndexer,
  startClaimScene,
} from "../../support/chain/claims";
import { type RawReply, startRpcProxy } from "../../support/fakes/rpc-proxy";
import { waitUntil } from "../../support/server-process";

let scene: ClaimScene;
let indexer: ChainFollower;
beforeAll(async () => {
  scene = await startClaimScene();
});
beforeEach(() => {
  indexer = createIndexer();
});
afterEach(async () => {
  vi.restoreAllMocks();
  scene.proxy.faults = {};
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  await scene.mine(3);
  await catchUp(indexer);
  await expectChainsTruth();
  await indexer.close();
});
afterAll(async () => {
  await scene.stop();
});

/** Creates an indexer that never compares with the contract: it finds claims only in logs. */
const createIndexer = () => createChainFollower({ everyMs: 0, compareEveryMs: 3_600_000 });
const look = () => indexer.look(TEST_CHAIN_ID);

async function expectChainsTruth(): Promise<void> {
  const claimed = await listClaimedShares();
  expect(claimed).toEqual(await listChainClaims(scene));
  expect((await readIndexer()).claims).toBe(claimed.length);
}

/** Launches a campaign that is final on chain, and reads it. */
async function launch() {
  const campaign = await scene.launch();
  await scene.mine(3);
  await catchUp(indexer);
  const [first, second, third] = campaign.holders as [Holder, Holder, Holder];
  return { ...campaign, first, second, third };
}
type Holder = ReturnType<typeof getTestAccount>;

/** Makes the head look as if it had been first seen so long ago. */
const ageHead = (seconds: number) =>
  withDatabase((db) =>
    db.execute(sql`
      update chain_followers set head_seen_at = head_seen_at - make_interval(secs => ${seconds})`),
  );

const rpcError = (code: number, message: string): RawReply => ({
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } }),
});
const REFUSALS: readonly RawReply[] = [
  rpcError(-32005, "query returned more than 10000 results"),
  rpcError(-32005, "limit exceeded"),
  rpcError(-32602, "block range too large"),
  rpcError(-32000, "the query iterates over too many blocks"),
  rpcError(-32000, "backend response too big"),
  rpcError(-32011, "no backend is currently healthy to serve this"),
  { status: 413, body: "" },
  { status: 400, body: '{"error":{"code":-32600,"message":"up to a 10 block range"}}' },
  { status: 500, type: "text/html", body: "<html>Internal error</html>" },
];

test("however an endpoint refuses a range of blocks, less is asked for, and nothing is left out", async () => {
  const { holders, claim } = await launch();
  for (const holder of holders) {
    await claim(holder);
    await scene.mine(3);
  }
  for (const refusal of REFUSALS) {
    await forgetClaims();
    await indexer.close();
    indexer = createIndexer();
    scene.proxy.faults = {
      instead: (method, [filter]) => {
        if (method !== "eth_getLogs") return undefined;
        const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
        return Number(toBlock) - Number(fromBlock) >= 3 ? refusal : undefined;
      },
    };
    await catchUp(indexer);
    expect(await listClaimedShares(), refusal.body).toEqual(await listChainClaims(scene));
  }
});

test("an answer that is none takes nothing back, and the next endpoint is asked", async () => {
  const { first, second, claim } = await launch();
  await claim(first);
  await catchUp(indexer);
  const honest = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [scene.proxy.url, honest.url] });
  await claim(second);
  const result = (value: unknown): RawReply => ({ body: JSON.stringify({ id: 1, result: value }) });
  const blockOf = (number: string) => ({ number, hash: `0x${"ab".repeat(32)}`, timestamp: "0x1" });
  for (const reply of [
    { type: "text/html", body: "<html>Welcome</html>" },
    { body: "" },
    { body: "null" },
    result(null),
    result("0xzz"),
    result([null]),
    result([{}]),
    result({ number: "latest", hash: 7 }),
    // The same block, whatever height is requested.
    result(blockOf("0xfffffffff")),
  ]) {
    for (const method of ["eth_getLogs", "eth_getBlockByNumber", "eth_chainId"]) {
      await withDatabase((db) => db.execute(sql`update chain_followers set endpoint = 0`));
      scene.proxy.faults = { instead: (asked) => (asked === method ? reply : undefined) };
      await scene.mine(1);
      await catchUp(indexer);
      await expectChainsTruth();
    }
  }
  await honest.stop();
});

test("an endpoint that begins an answer and says no more is given up, and the next one is asked", async () => {
  const { first, claim } = await launch();
  const honest = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [scene.proxy.url, honest.url] });
  scene.proxy.faults = { instead: () => "trickles" };
  await claim(first);
  await catchUp(indexer);
  await expectChainsTruth();
  expect((await readIndexer()).endpoint).toBe(1);
  await honest.stop();
});

test("an endpoint that becomes another chain's moves nothing", async () => {
  const { first, second, claim } = await launch();
  await claim(first);
  await catchUp(indexer);
  const { finalBlock, reorgs } = await readIndexer();
  const other: Readonly<Record<string, unknown>> = {
    eth_chainId: "0x1",
    eth_getLogs: [],
    eth_getBlockByNumber: { number: "0xfffff", hash: `0x${"cd".repeat(32)}`, timestamp: "0x1" },
  };
  scene.proxy.faults = {
    instead: (method) => ({ body: JSON.stringify({ id: 1, result: other[method] ?? null }) }),
  };
  await expect(look()).rejects.toThrow("another chain");
  expect(await readIndexer()).toMatchObject({ finalBlock, reorgs, failure: "wrong_chain" });
  await expectChainsTruth();
  scene.proxy.faults = {};
  await claim(second);
  await catchUp(indexer);
  await expectChainsTruth();
});

test("an endpoint that stands still is left for one that does not", async () => {
  const { first, claim } = await launch();
  const honest = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [scene.proxy.url, honest.url] });
  scene.proxy.faults = { headMax: Number(await scene.anvil.client.getBlockNumber()) };
  await claim(first);
  await look();
  expect((await listClaimedShares()).length).toBe((await listChainClaims(scene)).length - 1);
  await ageHead(15);
  await look();
  await expectChainsTruth();
  await honest.stop();
});

test("a claim that an endpoint left out of its newest block is found without another block", async () => {
  const { first, claim } = await launch();
  scene.proxy.faults = { hidesLogs: "all" };
  await claim(first);
  await look();
  scene.proxy.faults = {};
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 16_000);
  await look();
  await expectChainsTruth();
});

test("a chain that is lower than it was, by later blocks, takes back what it dropped at once", async () => {
  const { first, second, claim } = await launch();
  await claim(first);
  const snapshot = await scene.anvil.client.snapshot();
  await claim(second);
  await scene.mine(30);
  await catchUp(indexer);
  const { timestamp } = await scene.anvil.client.getBlock();
  const { reorgs } = await readIndexer();
  await scene.anvil.client.revert({ id: snapshot });
  await scene.anvil.client.setNextBlockTimestamp({ timestamp: timestamp + 5n });
  await scene.mine(1);
  await catchUp(indexer);
  await expectChainsTruth();
  expect((await readIndexer()).reorgs).toBe(reorgs + 1);
});

test("a chain that was only taken back is believed after two minutes", async () => {
  const { first, second, claim } = await launch();
  await claim(first);
  const snapshot = await scene.anvil.client.snapshot();
  const before = await listChainClaims(scene);
  await claim(second);
  await catchUp(indexer);
  const after = await listChainClaims(scene);
  await scene.anvil.client.revert({ id: snapshot });
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(after);
  await ageHead(121);
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(before);
});

test("claims are taken back that a reorganisation deeper than finality drops", async () => {
  const { first, second, claim } = await launch();
  const snapshot = await scene.anvil.client.snapshot();
  await claim(first);
  await scene.mine(5);
  await catchUp(indexer);
  await scene.fork(snapshot, 10);
  await claim(second);
  await catchUp(indexer);
  await expectChainsTruth();
});

test("claims that the only endpoint hid until they were final are found by the contract's books soon", async () => {
  const { first, second, claim } = await launch();
  scene.proxy.faults = { hidesLogs: "all" };
  await claim(first);
  await claim(second);
  await scene.mine(4);
  await catchUp(indexer);
  expect((await listClaimedShares()).length).toBe((await listChainClaims(scene)).length - 2);
  scene.proxy.faults = {};
  await indexer.close();
  indexer = createChainFollower({ everyMs: 0, compareEveryMs: 0 });
  const { rescans } = await readIndexer();
  await catchUp(indexer);
  await expectChainsTruth();
  await waitUntil(async () => {
    await catchUp(indexer);
    return (await readIndexer()).bucketsDiffering === 0;
  }, 20_000);
  expect((await readIndexer()).rescans).toBe(rescans + 1);
});

test("an endpoint that goes on hiding claims is asked for all of it less and less often", async () => {
  const { first, claim } = await launch();
  scene.proxy.faults = { hidesLogs: "all" };
  await claim(first);
  await scene.mine(4);
  await catchUp(indexer);
  await indexer.close();
  indexer = createChainFollower({ everyMs: 0, compareEveryMs: 0 });
  const { rescans } = await readIndexer();
  for (let i = 0; i < 5; i += 1) await catchUp(indexer);
  expect(await readIndexer()).toMatchObject({ rescans: rescans + 1, bucketsDiffering: 1 });
  // Later the endpoint reports them, and the indexer finds them by itself.
  scene.proxy.faults = {};
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 3_600_000);
  await catchUp(indexer);
  await expectChainsTruth();
});

test("claims of several airdrops at once, and to another address, are those of their wallet", async () => {
  const one = await launch();
  const two = await launch();
  const holder = one.first;
  const callOf = async ({ rewardId, proofOf }: typeof one) => {
    const { amountWei, proof } = proofOf(addressOf(holder));
    return { id: (await scene.chainOf(rewardId)).onchainId, amount: amountWei, proof };
  };
  const calls = [await callOf(one), await callOf(two)];
  const hash = await callContract(scene.anvil, holder, "claimMany", [calls]);
  const { amountWei, proof } = one.proofOf(addressOf(one.second));
  await callContract(scene.anvil, one.second, "claimTo", [
    calls[0]?.id,
    addressOf(getTestAccount(8)),
    amountWei,
    proof,
  ]);
  await catchUp(indexer);
  await expectChainsTruth();
  const { claimed } = await listRewardsOfWallet(scene.owner.pointSystemId, addressOf(holder));
  const ofBoth = claimed.filter(({ claimTxHash }) => claimTxHash === hash).map(({ id }) => id);
  expect(ofBoth.sort()).toEqual([one.rewardId, two.rewardId].sort());
});

test("airdrops that came from a file have the claims that were made before they were known", async () => {
  const { first, claim } = await launch();
  await claim(first);
  await scene.mine(3);
  await forgetClaims();
  // The on-chain ids are known, but not the blocks of their creation.
  await withDatabase((db) =>
    db.execute(sql`
      update airdrops set creation_block = null, admin_address = null, chain_admin_address = null,
        admin_named_block = null`),
  );
  await indexer.close();
  indexer = createIndexer();
  // The indexer begins at the newest final block, and searches the chain below it.
  await catchUp(indexer);
  await catchUp(indexer);
  await expectChainsTruth();
});

test("every page and endpoint says the same of a claim, and goes on after the airdrop's end", async () => {
  const { first, second, claim, rewardId, buckets } = await launch();
  const { pointSystemId } = scene.owner;
  const told = async (holder: Holder) => {
    const address = addressOf(holder);
    const rewards = await listRewardsOfWallet(pointSystemId, address);
    const status = (await listTokenClaims(pointSystemId, address)).find(
      (entry) => entry.rewardId === rewardId,
    );
    const { claimed } = (await getChainPage(scene.owner, rewardId)).claims;
    return {
      isEligible: rewards.eligible.some(({ id }) => id === rewardId),
      isClaimed: rewards.claimed.some(({ id }) => id === rewardId),
      status: status?.claimTxHash,
      claimed,
    };
  };
  expect(await told(first)).toMatchObject({ isEligible: true, isClaimed: false, status: null });
  expect((await told(first)).claimed).toBe(0);
  const hash = await claim(first);
  await catchUp(indexer);
  expect(await told(first)).toEqual({
    isEligible: false,
    isClaimed: true,
    status: hash,
    claimed: 1,
  });
  // A claim in the last block before the cancellation, read after it.
  await claim(second);
  const { onchainId } = await scene.chainOf(rewardId);
  const end = await callContract(scene.anvil, scene.admin, "cancel", [
    onchainId,
    buckets.map(({ root }) => root),
    addressOf(scene.admin),
  ]);
  await reportTransaction(scene.owner, rewardId, end);
  await catchUp(indexer);
  expect(await told(second)).toMatchObject({ isClaimed: true, claimed: 2 });
  await expectChainsTruth();
});
