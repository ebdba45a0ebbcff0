import { encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { action, loader } from "../../../app/routes/claims/hint";
import { type ChainFollower, createChainFollower } from "../../../app/services/follower/follower";
import { createContext, createIp } from "../../support/call";
import { type getTestAccount, TEST_CHAIN_ID } from "../../support/chain/anvil";
import { callContract, createOnChain, storeBuiltCampaign } from "../../support/chain/campaigns";
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
  await catchUp(indexer);
});
afterAll(async () => {
  await indexer.close();
  await scene.stop();
});

async function hint(body: unknown, { ip = createIp(), method = "POST" } = {}) {
  const request = new Request("http://localhost/claim/hint", {
    method,
    headers: { "Content-Type": "application/json" },
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const serve = method === "GET" ? loader : action;
  const context = createContext(ip, (error) => {
    throw error;
  });
  const response = await serve({ request, params: {}, context });
  return { status: response.status, body: await response.json() };
}
const tell = async (txHash: string) => (await hint({ chainId: TEST_CHAIN_ID, txHash })).body.status;

/** Sends the transaction of a call that fails on chain; a wallet would not send it. */
async function sendReverting(account: ReturnType<typeof getTestAccount>, data: Hex): Promise<Hex> {
  const receipt = await scene.anvil.client.sendTransactionSync({
    account,
    chain: scene.anvil.chain,
    to: CAMPAIGN_CONTRACT_ADDRESS,
    data,
    gas: 200_000n,
  });
  expect(receipt.status).toBe("reverted");
  return receipt.transactionHash;
}

test("a hint takes a claim at once, however often it is told, and the indexer makes it final", async () => {
  const { holders, claim } = await scene.launch();
  const hash = await claim(holders[0] as (typeof holders)[number]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => tell(hash)));
  expect(new Set(answers)).toEqual(new Set(["claimed"]));
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
  expect(await tell(`0x${hash.slice(2).toUpperCase()}`)).toBe("claimed");
  await scene.mine(3);
  await catchUp(indexer);
  expect(await tell(hash)).toBe("claimed");
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
  expect((await readIndexer()).claims).toBe(1);
});

test("an endpoint that is behind, or of another chain, keeps no hint from the next one", async () => {
  const { holders, claim } = await scene.launch();
  await scene.mine(3);
  await catchUp(indexer);
  const other = await startRpcProxy(scene.anvil.rpcUrl);
  openChains({ RPC_URL_84532: [other.url, scene.proxy.url] });
  const [first, second] = holders as [(typeof holders)[number], (typeof holders)[number]];
  other.faults = { headMax: Number(await scene.anvil.client.getBlockNumber()) };
  expect(await tell(await claim(first))).toBe("claimed");
  openChains({ RPC_URL_84532: [other.url, scene.proxy.url] });
  other.faults = { instead: () => ({ body: JSON.stringify({ id: 1, result: "0x1" }) }) };
  expect(await tell(await claim(second))).toBe("claimed");
  openChains({ RPC_URL_84532: [scene.proxy.url] });
  await other.stop();
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
});

test("what is hinted and then dropped is taken back", async () => {
  const { holders, claim } = await scene.launch();
  await scene.mine(3);
  await catchUp(indexer);
  const snapshot = await scene.anvil.client.snapshot();
  const hash = await claim(holders[1] as (typeof holders)[number]);
  expect(await tell(hash)).toBe("claimed");
  await scene.fork(snapshot, 2);
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
});

test("a transaction that failed, is unknown, another contract's or another amount's changes nothing", async () => {
  const { holders, claim, rewardId, proofOf } = await scene.launch();
  const holder = holders[2] as (typeof holders)[number];
  await scene.mine(3);
  await catchUp(indexer);
  const before = await listClaimedShares();
  const { onchainId } = await scene.chainOf(rewardId);
  const { proof, amountWei } = proofOf(addressOf(holder));
  const wrong = encodeFunctionData({
    abi: campaignAbi,
    functionName: "claim",
    args: [onchainId ?? 0n, amountWei + 1n, proof],
  });
  expect(await tell(await sendReverting(holder, wrong))).toBe("reverted");
  expect(await tell(`0x${"ab".repeat(32)}`)).toBe("pending");
  // The same contract, deployed at another address.
  const foreign = "0x00000000000000000000000000000000000000fe";
  const { client } = scene.anvil;
  const code = await client.getCode({ address: CAMPAIGN_CONTRACT_ADDRESS });
  await client.setCode({ address: foreign, bytecode: code ?? "0x" });
  const twin = await storeBuiltCampaign({
    pointSystemId: scene.owner.pointSystemId,
    token: null,
    shares: [{ address: addressOf(holder), amountWei }],
  });
  await createOnChain(scene.anvil, holder, twin, { contract: foreign });
  const twinProof = twin.proofOf(addressOf(holder)).proof;
  const elsewhere = await callContract(scene.anvil, holder, "claim", [1n, amountWei, twinProof], {
    to: foreign,
  });
  expect(await tell(elsewhere)).toBe("nothing");
  // A tree that the operator added only on chain, with a different amount for the same wallet.
  const odd = await storeBuiltCampaign({
    pointSystemId: scene.owner.pointSystemId,
    token: null,
    shares: [{ address: addressOf(holder), amountWei: amountWei + 5n }],
  });
  await scene.addBuckets(rewardId, odd.buckets);
  const oddProof = odd.proofOf(addressOf(holder)).proof;
  const args = [onchainId, amountWei + 5n, oddProof] as const;
  expect(await tell(await callContract(scene.anvil, holder, "claim", args))).toBe("nothing");
  expect(await listClaimedShares()).toEqual(before);
  await scene.mine(3);
  await catchUp(indexer);
  expect(await listClaimedShares()).toEqual(before);
  // The wallet's own share still exists, and counts when it is claimed.
  expect(await tell(await claim(holder))).toBe("claimed");
});

test("bad input, other chains and other methods are refused as JSON, and calls are limited", async () => {
  const txHash = `0x${"ab".repeat(32)}`;
  for (const body of [
    "{",
    "[]",
    {},
    { chainId: 1, txHash },
    { chainId: TEST_CHAIN_ID, txHash: "0x12" },
  ]) {
    expect((await hint(body)).status, JSON.stringify(body)).toBe(400);
  }
  expect((await hint(undefined, { method: "GET" })).status).toBe(405);
  const ip = "198.51.100.7";
  for (let call = 0; call < 60; call += 1) expect((await hint("{", { ip })).status).toBe(400);
  expect(await hint("{", { ip })).toMatchObject({
    status: 429,
    body: { code: "too_many_requests" },
  });
  openChains({});
  expect((await hint({ chainId: TEST_CHAIN_ID, txHash })).status).toBe(400);
});
