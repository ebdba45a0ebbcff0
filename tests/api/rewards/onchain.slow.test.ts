import { asc, eq } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, type Hex, parseEventLogs } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getCampaignContract } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import { airdrops, merkleBuckets } from "../../../app/db/schema/rewards";
import type { Address } from "../../../app/domain/address";
import { campaignAbi } from "../../../app/domain/campaigns/contract";
import { toCampaignRef } from "../../../app/domain/campaigns/ref";
import { testTokenAbi } from "../../../contracts/test-tokens";
import { call } from "../../support/call";
import { getTestAccount, startAnvil, TEST_CHAIN_ID } from "../../support/chain/anvil";
import { atDepth } from "../../support/depth";
import { createReward } from "../../support/rewards";
import { createAddress, scene } from "../../support/scene";

const WALLETS = atDepth(200, 1_000);
const TOTAL_WEI = 1_000_003n;
const GAS_PRICE = 10n ** 9n;
const CLAIM_GAS = 300_000n;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

const toQuantity = (value: bigint): Hex => `0x${value.toString(16)}`;

/** Creates the airdrop on chain as its operator does, with the stored roots and totals. */
async function createOnChain(rewardId: string, token: Address): Promise<bigint> {
  const admin = getTestAccount(0);
  const contract = getCampaignContract(TEST_CHAIN_ID);
  const rows = await withDatabase((db) =>
    db
      .select()
      .from(merkleBuckets)
      .where(eq(merkleBuckets.rewardId, rewardId))
      .orderBy(asc(merkleBuckets.bucket)),
  );
  const buckets = rows.map(({ root, totalAmountWei }) => ({
    root: `0x${Buffer.from(root ?? []).toString("hex")}` as const,
    total: totalAmountWei,
  }));
  expect(buckets.reduce((sum, { total }) => sum + total, 0n)).toBe(TOTAL_WEI);
  const args = [admin.address, TOTAL_WEI] as const;
  await anvil.send(admin, {
    to: token,
    data: encodeFunctionData({ abi: testTokenAbi, functionName: "mint", args }),
  });
  await anvil.send(admin, {
    to: token,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: "approve",
      args: [contract, TOTAL_WEI],
    }),
  });
  const { logs } = await anvil.send(admin, {
    to: contract,
    data: encodeFunctionData({
      abi: campaignAbi,
      functionName: "create",
      args: [token, 0, admin.address, toCampaignRef(rewardId), buckets],
    }),
  });
  const [created] = parseEventLogs({ abi: campaignAbi, eventName: "AirdropCreated", logs });
  if (!created) throw new Error("Nothing was created");
  return created.args.id;
}

/** Sends a claim as the wallet. Anvil allows any sender, so the wallet's key is not needed. */
async function claim(wallet: Address, onchainId: bigint, amount: string, proof: Hex[]) {
  const receipt = await anvil.client.request<{
    Method: "eth_sendTransactionSync";
    Parameters: [object];
    ReturnType: { status: Hex };
  }>({
    method: "eth_sendTransactionSync",
    params: [
      {
        from: wallet,
        to: getCampaignContract(TEST_CHAIN_ID),
        gas: toQuantity(CLAIM_GAS),
        gasPrice: toQuantity(GAS_PRICE * 2n),
        data: encodeFunctionData({
          abi: campaignAbi,
          functionName: "claim",
          args: [onchainId, BigInt(amount), proof],
        }),
      },
    ],
  });
  return receipt.status === "0x1";
}

const getBalance = (token: Address, wallet: Address) =>
  anvil.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [wallet],
  });

test("the answers of /rewards/proof claim on the contract, for every wallet of a campaign", async () => {
  const token = await anvil.deployToken({ decimals: 0 });
  const reward = createReward({
    tokenAddress: token,
    tokenDecimals: 0,
    totalAmount: TOTAL_WEI.toString(),
    minPoints: 1,
    distributions: "auto",
    airdrop: {
      onchainId: "0",
      contractAddress: getCampaignContract(TEST_CHAIN_ID),
      status: "active",
    },
  });
  const wallets = Array.from({ length: WALLETS }, createAddress);
  const { pointSystemId } = await scene({
    rewards: [reward],
    events: wallets.map((address, i) => ({ address, points: 1 + ((i * 7_919) % 6_000) })),
  });
  const onchainId = await createOnChain(reward.id, token);
  await withDatabase((db) =>
    db.update(airdrops).set({ onchainId }).where(eq(airdrops.rewardId, reward.id)),
  );
  await anvil.client.request<{
    Method: "anvil_autoImpersonateAccount";
    Parameters: [boolean];
    ReturnType: null;
  }>({ method: "anvil_autoImpersonateAccount", params: [true] });

  let sumWei = 0n;
  for (const wallet of wallets) {
    const query = new URLSearchParams({ address: wallet, pointSystemId });
    const [entry] = (await call(`/rewards/claim-status?${query}`)).body.distributions;
    expect(entry).toMatchObject({ kind: "token", hasProof: true, onchainId: String(onchainId) });
    const named = new URLSearchParams({
      onchainId: entry.onchainId,
      chainId: String(entry.chainId),
      address: wallet,
    });
    const { status, body } = await call(`/rewards/proof?${named}`);
    expect([status, body.amount]).toEqual([200, entry.amountWei]);
    await anvil.client.setBalance({ address: wallet, value: 10n ** 18n });
    expect(await claim(wallet, onchainId, body.amount, body.merkleProof)).toBe(true);
    expect(await getBalance(token, wallet)).toBe(BigInt(body.amount));
    sumWei += BigInt(body.amount);
    if (sumWei === BigInt(body.amount)) {
      // The first wallet can claim neither again nor one unit more.
      expect(await claim(wallet, onchainId, body.amount, body.merkleProof)).toBe(false);
      const more = String(BigInt(body.amount) + 1n);
      expect(await claim(wallet, onchainId, more, body.merkleProof)).toBe(false);
    }
  }
  expect(sumWei).toBe(TOTAL_WEI);
  expect(await getBalance(token, getCampaignContract(TEST_CHAIN_ID))).toBe(0n);
}, 120_000);
