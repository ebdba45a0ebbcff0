import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { type Address, parseAddress } from "../../../app/domain/address";
import { listFundingCalls, type PlainCall } from "../../../app/domain/campaigns/calls";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { distributeCall } from "../../../app/domain/campaigns/pay-out";
import { toCampaignRef } from "../../../app/domain/campaigns/ref";
import { getChecksum } from "../../../app/domain/campaigns/safe-batch";
import type { Member } from "../../../app/services/access/members";
import { getChainPage } from "../../../app/services/campaigns/chain/page";
import { createPaymentsBatch, listPayments } from "../../../app/services/campaigns/chain/payments";
import { nameAdmin } from "../../../app/services/campaigns/chain/reports";
import { createCampaignBatch } from "../../../app/services/campaigns/chain/safe";
import { reportTransaction } from "../../../app/services/campaigns/chain/transactions";
import { getTestAccount, startAnvil, TEST_CHAIN_ID } from "../../support/chain/anvil";
import { createOnChain, mint, putOnChain, storeBuiltCampaign } from "../../support/chain/campaigns";
import { createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";

// Executes the files for Safe's Transaction Builder as a Safe does, and compares what they did with
// what the dashboard sends with a wallet.

const safe = getTestAccount(0);
const SAFE = parseAddress(safe.address) as Address;
const ONE = 10n ** 18n;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let token: Address;
let owner: Member<"owner">;
beforeAll(async () => {
  anvil = await startAnvil();
  openChains({ RPC_URL_84532: [anvil.rpcUrl] });
  token = await anvil.deployToken();
  await mint(anvil, token, safe, 1_000n * ONE);
  owner = await createOwner();
});
afterAll(async () => {
  openChains({});
  await anvil.stop();
});

/** Builds a campaign in trees of 2 wallets, whose admin the Safe is. */
async function build(wallets: number, coin: Address | null) {
  const campaign = await storeBuiltCampaign({
    pointSystemId: owner.pointSystemId,
    token: coin,
    shares: Array.from({ length: wallets }, createAddress)
      .sort()
      .map((address, i) => ({ address, amountWei: BigInt(i + 1) })),
    bucketSize: 2,
  });
  await nameAdmin(owner, campaign.rewardId, SAFE);
  return campaign;
}

type File = Awaited<ReturnType<typeof createCampaignBatch>>;

/** Reads a file as the builder does: from its text, with the checksum compared. */
function importFile(file: File): PlainCall[] {
  const read = JSON.parse(JSON.stringify(file)) as File;
  expect(read.meta.checksum).toBe(getChecksum(read));
  expect([read.version, read.chainId]).toEqual(["1.0", String(TEST_CHAIN_ID)]);
  expect(read.meta.createdFromSafeAddress).toBe(SAFE);
  return read.transactions.map(({ to, value, data }) => ({
    to: to as Address,
    value: BigInt(value),
    data: data as Hex,
  }));
}

/** Sends the calls from the Safe, in their order; returns the last one's hash. */
async function execute(calls: readonly PlainCall[]): Promise<Hex> {
  let hash: Hex = "0x";
  for (const call of calls) hash = (await anvil.send(safe, call)).transactionHash;
  return hash;
}

const nameOf = ({ data }: PlainCall) =>
  decodeFunctionData({ abi: [...campaignAbi, ...erc20Abi], data }).functionName;

const view = (functionName: string, args: readonly unknown[]) =>
  anvil.client.readContract({
    abi: campaignAbi,
    address: CAMPAIGN_CONTRACT_ADDRESS,
    functionName,
    args,
  } as never) as Promise<unknown>;

const ask = (functionName: "balanceOf" | "allowance", args: readonly Hex[]): Promise<unknown> =>
  anvil.client.readContract({ abi: erc20Abi, address: token, functionName, args } as never);

/** Reads everything that a funding changes: the newest airdrop, its buckets, and who holds what. */
async function readBooks(roots: readonly Hex[]) {
  const id = await view("airdropCount", []);
  return {
    id,
    airdrop: await view("airdrop", [id]),
    buckets: await Promise.all(roots.map((root) => view("bucket", [id, root]))),
    escrow: await ask("balanceOf", [CAMPAIGN_CONTRACT_ADDRESS]),
    coins: await anvil.client.getBalance({ address: CAMPAIGN_CONTRACT_ADDRESS }),
    tokens: await ask("balanceOf", [SAFE]),
    allowance: await ask("allowance", [SAFE, CAMPAIGN_CONTRACT_ADDRESS]),
  };
}

/** Makes the calls with which the campaign's page funds what is next. */
async function listPageCalls(rewardId: string): Promise<PlainCall[]> {
  const { campaign, unfunded } = await getChainPage(owner, rewardId);
  const { contractAddress: contract, token: asked, deadlineSeconds } = campaign;
  const ref = toCampaignRef(rewardId);
  const terms = { contract, token: asked, deadlineSeconds, admin: SAFE, ref };
  return listFundingCalls(terms, campaign.onchainId, unfunded.next);
}

test.each([
  ["a token", true, ["approve", "create"], ["approve", "addBuckets"]],
  ["the chain's coin", false, ["create"], ["addBuckets"]],
] as const)(
  "a Safe that executes the files of a campaign in %s does what the page does with a wallet",
  async (_, isInToken, creation, addition) => {
    const coin = isInToken ? token : null;
    const whole = await build(5, coin);
    const roots = whole.buckets.map(({ root }) => root);
    const before = await anvil.client.snapshot();
    await execute(await listPageCalls(whole.rewardId));
    const byPage = await readBooks(roots);
    await anvil.client.revert({ id: before });
    const calls = importFile(await createCampaignBatch(owner, whole.rewardId, SAFE));
    expect(calls.map(nameOf)).toEqual(creation);
    const hash = await execute(calls);
    expect(await readBooks(roots)).toEqual(byPage);
    expect(byPage.buckets).toEqual(whole.buckets.map(({ total }) => [true, total]));
    await reportTransaction(owner, whole.rewardId, hash);
    expect((await getChainPage(owner, whole.rewardId)).unfunded.buckets).toBe(0);

    const part = await build(5, coin);
    const [first, ...rest] = part.buckets;
    if (!first) throw new Error("Too few buckets");
    const created = await createOnChain(anvil, safe, part, { buckets: [first] });
    await reportTransaction(owner, part.rewardId, created);
    const half = await anvil.client.snapshot();
    const others = rest.map(({ root }) => root);
    await execute(await listPageCalls(part.rewardId));
    const addedByPage = await readBooks(others);
    await anvil.client.revert({ id: half });
    const added = importFile(await createCampaignBatch(owner, part.rewardId, SAFE));
    expect(added.map(nameOf)).toEqual(addition);
    await execute(added);
    expect(await readBooks(others)).toEqual(addedByPage);
    expect(addedByPage.buckets).toEqual(rest.map(({ total }) => [true, total]));
  },
);

test("a Safe that executes a payout's file pays every wallet its share, and nobody twice", async () => {
  const shares = Array.from({ length: 230 }, createAddress)
    .sort()
    .map((address, i) => ({ address, amountWei: BigInt(i + 1) }));
  const { pointSystemId } = owner;
  const campaign = await storeBuiltCampaign({ pointSystemId, token: null, shares });
  const onchainId = await putOnChain(anvil, safe, campaign);
  const calls = importFile(await createPaymentsBatch(owner, campaign.rewardId, null));
  const payments = await listPayments(owner, campaign.rewardId, null);
  const on = { chainId: TEST_CHAIN_ID, contract: CAMPAIGN_CONTRACT_ADDRESS as Address, onchainId };
  const pageCall = encodeFunctionData(distributeCall(on, payments));
  expect(calls[0]).toEqual({ to: CAMPAIGN_CONTRACT_ADDRESS, value: 0n, data: pageCall });
  expect(calls.map(nameOf)).toEqual(["distribute", "distribute", "distribute"]);
  const readPaid = () =>
    Promise.all(shares.map(({ address }) => anvil.client.getBalance({ address })));
  await execute(calls);
  expect(await readPaid()).toEqual(shares.map(({ amountWei }) => amountWei));
  await execute(calls);
  expect(await readPaid()).toEqual(shares.map(({ amountWei }) => amountWei));
  for (const { root } of campaign.buckets) {
    expect(await view("bucket", [onchainId, root])).toEqual([true, 0n]);
  }
});
