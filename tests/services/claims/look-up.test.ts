import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { merkleBuckets } from "../../../app/db/schema/rewards";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { lookUpWallet } from "../../../app/services/claims/look-up";
import { storeBuiltCampaign } from "../../support/chain/campaigns";
import { createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";

let lastId = 900_000n;

/** Stores a campaign of three wallets that is on chain. */
async function storeOnChain(
  pointSystemId: string,
  address: `0x${string}`,
  { firstWei = null as bigint | null } = {},
) {
  lastId += 1n;
  const onchainId = lastId;
  const campaign = await storeBuiltCampaign({
    pointSystemId,
    token: null,
    shares: [address, createAddress(), createAddress()].map((one, i) => ({
      address: one,
      amountWei: i === 0 && firstWei !== null ? firstWei : onchainId + BigInt(i),
    })),
  });
  await withDatabase((db) =>
    db.execute(sql`
      with funded as (
        update merkle_buckets set funded_at = now() where reward_id = ${campaign.rewardId}
      ) update airdrops set status = 'active', onchain_id = ${onchainId.toString()}::numeric,
        contract_address = decode(${CAMPAIGN_CONTRACT_ADDRESS.slice(2)}, 'hex')
      where reward_id = ${campaign.rewardId}`),
  );
  return campaign;
}

test("a look-up has every proof of the wallet, and none of a tree that is not funded", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const address = createAddress();
  const campaigns = [];
  for (let i = 0; i < 12; i += 1) campaigns.push(await storeOnChain(pointSystemId, address));
  const [unfunded] = campaigns;
  const key = unfunded?.rewardId ?? "";
  await withDatabase((db) =>
    db.update(merkleBuckets).set({ fundedAt: null }).where(eq(merkleBuckets.rewardId, key)),
  );
  const { distributions, rewards } = await lookUpWallet(pointSystemId, address);
  expect(rewards).toHaveLength(12);
  expect(distributions).toHaveLength(12);
  for (const entry of distributions) {
    if (entry.kind !== "token") throw new Error("Only tokens were given");
    const campaign = campaigns.find(({ rewardId }) => rewardId === entry.rewardId);
    const expected = campaign?.proofOf(address);
    expect(entry.hasProof).toBe(entry.rewardId !== key);
    expect(entry.isUnfunded).toBe(entry.rewardId === key);
    expect(entry.proof).toEqual(
      entry.rewardId === key
        ? null
        : { amount: expected?.amountWei.toString(), merkleProof: expected?.proof },
    );
  }
  expect((await lookUpWallet(pointSystemId, createAddress())).distributions).toEqual([]);
});

test("a tree that is being built is told from one whose tokens are not in the contract", async () => {
  const { pointSystemId } = await createOwner();
  const address = createAddress();
  const { rewardId } = await storeOnChain(pointSystemId, address);
  await withDatabase((db) =>
    db
      .update(merkleBuckets)
      .set({ root: null, fundedAt: null })
      .where(eq(merkleBuckets.rewardId, rewardId)),
  );
  const [entry] = (await lookUpWallet(pointSystemId, address)).distributions;
  expect(entry).toMatchObject({ hasProof: false, isUnfunded: false, proof: null });
});

test("a share of nothing is no claim; the overview says that it is nothing", async () => {
  const { pointSystemId } = await createOwner();
  const address = createAddress();
  await storeOnChain(pointSystemId, address, { firstWei: 0n });
  const { distributions, rewards } = await lookUpWallet(pointSystemId, address);
  expect(distributions).toEqual([]);
  expect(rewards.map(({ share }) => share?.amountWei)).toEqual(["0"]);
});
