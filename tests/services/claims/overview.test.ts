import { randomBytes, randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { allocations, distributions, rewards } from "../../../app/db/schema/rewards";
import { getClaimOverview } from "../../../app/services/claims/overview";
import { updateBrand } from "../../../app/services/point-systems/brands";
import {
  deletePointSystem,
  updatePointSystem,
} from "../../../app/services/point-systems/point-systems";
import { getPublicPointSystem } from "../../../app/services/point-systems/public-point-system";
import { storeBuiltCampaign } from "../../support/chain/campaigns";
import { codeOf, createOwner, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";

test("a wallet's overview says what it has, what it takes, and how its amount came about", async () => {
  const owner = await createOwner();
  const [address, nobody] = [createAddress(), createAddress()];
  await grant(owner, address, 70);
  const { pointSystemId } = owner;
  const { rewardId } = await storeBuiltCampaign({
    pointSystemId,
    token: null,
    shares: [{ address, amountWei: 501n }],
  });
  await withDatabase(async (db) => {
    await db.update(rewards).set({ minPoints: 5, maxPoints: 10 }).where(eq(rewards.id, rewardId));
    await db
      .update(allocations)
      .set({ totalAmountWei: 1_001n, totalWeight: 20n })
      .where(eq(allocations.rewardId, rewardId));
    await db.update(distributions).set({ points: 70 }).where(eq(distributions.rewardId, rewardId));
  });
  const overview = await getClaimOverview(pointSystemId, address);
  expect(overview).toMatchObject({ address, points: 70, isBlacklisted: false });
  expect(overview.rewards).toHaveLength(1);
  expect(overview.rewards[0]).toMatchObject({
    rewardId,
    minPoints: 5,
    isSplit: true,
    share: {
      amountWei: "501",
      claimedAt: null,
      reason: {
        points: 70,
        maxPoints: 10,
        weight: 10,
        totalWeight: "20",
        totalWei: "1001",
        share: 0.5,
        gotRemainderUnit: true,
      },
    },
  });
  const other = await getClaimOverview(pointSystemId, nobody);
  expect(other).toMatchObject({ points: 0, rewards: [{ share: null }] });
});

test("drafts are in nobody's overview", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const { rewardId } = await storeBuiltCampaign({
    pointSystemId,
    token: null,
    shares: [{ address: createAddress(), amountWei: 1n }],
  });
  await withDatabase((db) =>
    db.update(rewards).set({ status: "draft" }).where(eq(rewards.id, rewardId)),
  );
  expect((await getClaimOverview(pointSystemId, createAddress())).rewards).toEqual([]);
});

test("a claim page is found by slug and by id, looks as its owner says, and goes with the point system", async () => {
  const owner = await createOwner("Alpha");
  const { pointSystemId } = owner;
  const slug = `harbour-${randomBytes(6).toString("hex")}`;
  await updatePointSystem(owner, { name: "Alpha", slug });
  const bytes = Buffer.from("89504e470d0a1a0a", "hex");
  const look = { publicName: "The Club", intro: "Hello", accentColor: "#ffcc00" };
  await updateBrand(owner, { publicTriggers: [], ...look, logo: { bytes, type: "image/png" } });
  await updateBrand(owner, { publicTriggers: [], ...look, logo: undefined });
  for (const key of [slug, pointSystemId, pointSystemId.toUpperCase()]) {
    const page = await getPublicPointSystem(key);
    expect(page).toMatchObject({ id: pointSystemId, name: "The Club", intro: "Hello" });
    expect(page.logoUrl).toBe(`data:image/png;base64,${bytes.toString("base64")}`);
  }
  for (const key of [randomUUID(), "nowhere", "", "../etc", "A b"]) {
    expect(await codeOf(getPublicPointSystem(key)), key).toBe("not_found");
  }
  await deletePointSystem(owner, "Alpha");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await codeOf(getPublicPointSystem(pointSystemId))).toBe("not_found");
});
