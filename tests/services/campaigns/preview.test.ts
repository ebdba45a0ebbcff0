import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { allocate } from "../../../app/domain/rewards/allocation";
import { getCampaign } from "../../../app/services/campaigns/campaigns";
import { exportShares, exportTrees } from "../../../app/services/campaigns/files";
import { listBucketCosts, previewSplit } from "../../../app/services/campaigns/preview";
import { startSplit } from "../../../app/services/campaigns/splits";
import {
  findWalletShare,
  getEligibility,
  listCampaignWallets,
} from "../../../app/services/campaigns/wallets";
import { buildSplit, createActive } from "../../support/campaign-drafts";
import { atDepth } from "../../support/depth";
import { codeOf, createOwner, findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

/** Creates a point system with wallets that have these points, and three blacklisted ones. */
async function createWorld(points: readonly number[]) {
  const entrants = points.map((own) => ({ address: createAddress(), points: own }));
  const banned = Array.from({ length: 3 }, createAddress);
  const { pointSystemId } = await scene({
    events: [
      ...entrants.filter((one) => one.points > 0),
      ...banned.map((address) => ({ address, points: 1_000 })),
    ],
    wallets: entrants.filter((one) => one.points === 0).map(({ address }) => address),
    blacklist: banned.map((address) => ({ address })),
  });
  return { owner: await findOwner(pointSystemId), entrants, banned };
}

test("a preview is what a split would give, for any wallets and terms, to the unit", async () => {
  const points = fc.array(fc.oneof(fc.constantFrom(0, 1, 5), fc.integer({ min: 0, max: 1e9 })), {
    maxLength: 30,
  });
  const limit = fc.constantFrom(0, 1, 5, 100, 1_000_000);
  const cap = fc.option(fc.constantFrom(100, 5_000, 1e9), { nil: null });
  const total = fc.bigInt({ min: 1n, max: 2n ** 127n - 1n });
  await fc.assert(
    fc.asyncProperty(
      points,
      limit,
      cap,
      total,
      async (own, minPoints, maxPoints, totalAmountWei) => {
        const { owner, entrants } = await createWorld(own);
        const terms = { totalWei: totalAmountWei, minPoints, maxPoints };
        const shares = allocate(entrants, terms);
        const preview = await previewSplit(owner, { totalAmountWei, minPoints, maxPoints });
        expect(preview.wallets).toBe(shares.size);
        expect(preview.excluded).toEqual({
          belowMinimum: own.filter((one) => one > 0 && one < minPoints).length,
          withoutPoints: own.filter((one) => one === 0).length,
          blacklisted: 3,
        });
        expect(preview.cappedWallets).toBe(
          entrants.filter(
            ({ address, points: held }) =>
              shares.has(address) && maxPoints !== null && held > maxPoints,
          ).length,
        );
        const sorted = [...shares.values()].sort((a, b) => (a < b ? -1 : 1));
        const isNear = (estimate: bigint, exact: bigint | undefined) =>
          expect([exact, (exact ?? 0n) - 1n]).toContain(estimate);
        expect(preview.bins.reduce((sum, bin) => sum + bin.wallets, 0)).toBe(shares.size);
        for (const { address, amountWei } of preview.largest)
          isNear(amountWei, shares.get(address));
        expect(preview.largest).toHaveLength(Math.min(10, shares.size));
        if (shares.size === 0) return;
        isNear(preview.smallestWei, sorted[0]);
        isNear(preview.medianWei, sorted[Math.floor(sorted.length / 2)]);
        isNear(preview.bins[0]?.fromWei ?? 0n, sorted[0]);
        isNear(preview.bins.at(-1)?.toWei ?? 0n, sorted.at(-1));
      },
    ),
    { numRuns: atDepth(10, 25) },
  );
}, 120_000);

test("costs are offered by size, one of them suggested; a larger tree makes claims dearer", () => {
  for (const wallets of [0, 1, 128, 129, 1_000, 100_000, 1_000_000]) {
    const costs = listBucketCosts(wallets);
    expect(costs.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(costs.at(-1)?.buckets).toBe(1);
    const claims = costs.map(({ newHolderGas }) => newHolderGas);
    expect(claims).toEqual([...claims].sort((a, b) => a - b));
  }
});

test("every wallet's number is explained: floor, remainder and unit make the amount", async () => {
  const { owner, entrants } = await createWorld([1, 2, 4, 9_000, 50, 50, 7]);
  const { id } = await createActive(owner, { totalAmount: "1", minPoints: 2, maxPoints: 100 });
  await startSplit(owner, id, null);
  await buildSplit(owner, id);
  const campaign = await getCampaign(owner, id);
  let units = 0n;
  for (const { address, points } of entrants) {
    const share = await findWalletShare(owner, campaign, address);
    if (points < 2) {
      expect(share).toBeNull();
      expect(await getEligibility(owner, campaign, address)).toEqual({
        kind: "below",
        points: 1,
        needed: 2,
      });
      continue;
    }
    expect(share).toMatchObject({ points, hasProof: true, bucket: 0, claimedAt: null });
    const { weight, exactNumerator, flooredWei, gotRemainderUnit, totalWeight } =
      share?.explanation ?? expect.fail("It is not explained");
    expect(Number(weight)).toBe(Math.min(points, 100));
    expect(exactNumerator).toBe(10n ** 18n * BigInt(Math.min(points, 100)));
    expect(flooredWei).toBe(exactNumerator / totalWeight);
    expect(share?.amountWei).toBe(flooredWei + (gotRemainderUnit ? 1n : 0n));
    units += share?.amountWei ?? 0n;
  }
  expect(units).toBe(10n ** 18n);
});

test("a wallet without a share is told why", async () => {
  const { owner, entrants, banned } = await createWorld([5, 0]);
  const terms = { minPoints: 0, maxPoints: 3 };
  const [rich, poor] = entrants;
  const standing = (address: Address | undefined) =>
    getEligibility(owner, terms, address ?? expect.fail());
  expect(await standing(rich?.address)).toEqual({ kind: "eligible", points: 5, weight: 3 });
  expect(await standing(poor?.address)).toEqual({ kind: "below", points: 0, needed: 1 });
  expect(await standing(banned[0])).toMatchObject({ kind: "blacklisted" });
  expect(await standing(createAddress())).toEqual({ kind: "unknown" });
});

test("lists and files hold every wallet once, in their order, page by page", async () => {
  const { owner, entrants } = await createWorld(Array.from({ length: 130 }, (_, i) => i + 1));
  const { id } = await createActive(owner);
  expect(await codeOf(getCampaign(owner, id).then((c) => exportTrees(owner, c)))).toBe(
    "campaign_not_split",
  );
  await startSplit(owner, id, null);
  await buildSplit(owner, id, 16);
  const campaign = await getCampaign(owner, id);
  const sorted = entrants.map(({ address }) => address).sort();

  const listed: Address[] = [];
  for (let after: Address | null = null; ; after = listed.at(-1) ?? null) {
    const { wallets, hasMore } = await listCampaignWallets(owner, campaign, after);
    listed.push(...wallets.map(({ address }) => address));
    if (!hasMore) break;
  }
  expect(listed).toEqual(sorted);

  const exported: Address[] = [];
  for await (const batch of exportShares(owner, campaign)) {
    exported.push(...batch.map(({ address }) => address));
  }
  expect(exported).toEqual(sorted);

  const leaves: [number, Address][] = [];
  let tree = -1;
  for await (const part of await exportTrees(owner, campaign)) {
    if (part.kind === "tree") tree = part.tree.bucket;
    else leaves.push([tree, part.leaf.address]);
  }
  expect(leaves).toEqual(sorted.map((address, i) => [Math.floor(i / 16), address]));
});

test("another point system's campaign has no wallets, shares or files here", async () => {
  const { owner, entrants } = await createWorld([5]);
  const { id } = await createActive(owner);
  await startSplit(owner, id, null);
  await buildSplit(owner, id);
  const campaign = await getCampaign(owner, id);
  const stranger = await createOwner();
  const address = entrants[0]?.address ?? createAddress();
  expect(await findWalletShare(stranger, campaign, address)).toBeNull();
  expect((await listCampaignWallets(stranger, campaign, null)).wallets).toEqual([]);
  expect(await codeOf(exportTrees(stranger, campaign))).toBe("campaign_not_split");
});
