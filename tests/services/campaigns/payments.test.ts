import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { distributions, merkleBuckets } from "../../../app/db/schema/rewards";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { PAYMENTS_MAX } from "../../../app/domain/campaigns/pay-out";
import {
  countPayments,
  createPaymentsBatch,
  listPayments,
} from "../../../app/services/campaigns/chain/payments";
import { passDeadline, storeBuiltCampaign } from "../../support/chain/campaigns";
import { codeOf, createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";

let lastId = 1_300_000n;

/** Stores a campaign in trees of 16 that is on chain, unless told otherwise. */
async function store(wallets: number, status = "active", firstWei = 5n) {
  const owner = await createOwner();
  lastId += 1n;
  // Trees hold wallets by address.
  const addresses = Array.from({ length: wallets }, createAddress).sort();
  const shares = addresses.map((address, i) => ({ address, amountWei: i === 0 ? firstWei : 5n }));
  const campaign = await storeBuiltCampaign({
    pointSystemId: owner.pointSystemId,
    token: null,
    shares,
    bucketSize: 16,
  });
  const { rewardId } = campaign;
  await withDatabase((db) =>
    db.execute(sql`
      with funded as (
        update merkle_buckets set funded_at = now() where reward_id = ${rewardId}
      ) update airdrops set status = ${status}, onchain_id = ${lastId.toString()}::numeric,
        contract_address = decode(${CAMPAIGN_CONTRACT_ADDRESS.slice(2)}, 'hex')
      where reward_id = ${rewardId}`),
  );
  return { owner, ...campaign, shares };
}

test("all shares that are funded and not claimed are listed once, with their proofs, batch by batch", async () => {
  const { owner, rewardId, shares, proofOf } = await store(250);
  const claimed = shares.slice(40, 45).map(({ address }) => address);
  await withDatabase(async (db) => {
    for (const address of claimed) {
      await db
        .update(distributions)
        .set({ claimedAt: new Date() })
        .where(eq(distributions.address, address));
    }
    // The last tree has not come into the contract.
    await db
      .update(merkleBuckets)
      .set({ fundedAt: null })
      .where(sql`reward_id = ${rewardId} and bucket = 15`);
  });
  const expected = shares
    .slice(0, 240)
    .map(({ address }) => address)
    .filter((address) => !claimed.includes(address));
  const listed = [];
  for (let after = null; ; ) {
    const batch = await listPayments(owner, rewardId, after);
    if (batch.length === 0) break;
    expect(batch.length).toBeLessThanOrEqual(PAYMENTS_MAX);
    listed.push(...batch);
    after = batch.at(-1) ?? null;
  }
  expect(listed.map(({ account }) => account)).toEqual(expected);
  for (const { account, amountWei, merkleProof, root, bucket } of listed) {
    const own = proofOf(account);
    expect([amountWei, merkleProof]).toEqual([String(own.amountWei), own.proof]);
    expect(root).toMatch(/^0x[0-9a-f]{64}$/);
    expect(bucket).toBeLessThan(15);
  }
  const { wallets, amountWei, files } = await countPayments(owner, rewardId);
  expect([wallets, amountWei]).toEqual([235, 1_175n]);
  expect(files).toEqual([{ after: null, first: 1, last: 235 }]);
});

test("a Safe's files begin where the one before ends, and together pay everybody", async () => {
  const { owner, rewardId, shares } = await store(700);
  const { files } = await countPayments(owner, rewardId);
  expect(files.map(({ first, last }) => [first, last])).toEqual([
    [1, 300],
    [301, 600],
    [601, 700],
  ]);
  const first = await listPayments(owner, rewardId, files[2]?.after ?? null);
  expect(first.map(({ account }) => account)).toEqual(
    shares.slice(600).map(({ address }) => address),
  );
});

test("a share of nothing is not paid out", async () => {
  const { owner, rewardId, shares } = await store(3, "active", 0n);
  const listed = await listPayments(owner, rewardId, null);
  expect(listed.map(({ account }) => account)).toEqual(
    shares.slice(1).map(({ address }) => address),
  );
  expect((await countPayments(owner, rewardId)).wallets).toBe(2);
});

test("nothing is listed of a campaign that has ended, or of another point system's", async () => {
  const ended = await store(3, "ended");
  expect(await codeOf(listPayments(ended.owner, ended.rewardId, null))).toBe("campaign_not_built");
  const open = await store(3);
  expect(await codeOf(listPayments(ended.owner, open.rewardId, null))).toBe("not_found");
  expect((await countPayments(ended.owner, open.rewardId)).wallets).toBe(0);
  expect(await codeOf(listPayments(open.owner, "no", null))).toBe("not_found");
});

test("after the deadline neither a list nor a Safe's file is made: the contract would skip everybody", async () => {
  const { owner, rewardId } = await store(3);
  await passDeadline(rewardId);
  expect(await codeOf(listPayments(owner, rewardId, null))).toBe("campaign_over");
  expect(await codeOf(createPaymentsBatch(owner, rewardId, null))).toBe("campaign_over");
});
