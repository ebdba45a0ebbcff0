import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { isLocked } from "../../../app/db/errors";
import { rewards } from "../../../app/db/schema/rewards";
import { buildAllocation } from "../../../app/services/campaigns/build/build";
import {
  type AllocationKey,
  failAbandonedAllocations,
} from "../../../app/services/campaigns/build/order";
import {
  createOrder,
  expectWhole,
  getAirdropStatus,
  POINTS,
  TERMS,
  TOTAL,
} from "../../support/campaign-orders";
import {
  createCampaign,
  fillWallets,
  getAllocation,
  listBuckets,
  listDistributions,
  listRoots,
  orderAllocation,
} from "../../support/campaigns";
import { codeOf, createOwner } from "../../support/operators";
import { other, waitForLocks } from "../../support/test-database";

const cancel = ({ rewardId }: AllocationKey) =>
  withDatabase((db) =>
    db.update(rewards).set({ status: "cancelled" }).where(eq(rewards.id, rewardId)),
  );

test("a build whose ledger another holds gives up, since others wait behind it, and can be repeated", async () => {
  const key = await createOrder();
  await other.begin(async (tx) => {
    await tx`select lock_ledger(${key.pointSystemId}::uuid)`;
    const error = await buildAllocation(key).catch((reason: unknown) => reason);
    expect(isLocked(error)).toBe(true);
  });
  await buildAllocation(key);
  await expectWhole(key);
});

describe("a build that cannot be", () => {
  test.each([
    ["nobody has enough points", [1, 2, 3], TOTAL, "No wallet has enough points."],
    ["there are no wallets", [], TOTAL, "No wallet has enough points."],
    [
      "the total has fewer units than wallets",
      [50, 60, 70],
      2n,
      "The total is too small: 2 base units for 3 wallets.",
    ],
    [
      "a tree holds more than the contract takes",
      [50, 60],
      2n ** 200n,
      "The total is too large: the campaign contract takes less than 2^127 base units a tree.",
    ],
  ])("%s: it says why, and can be ordered again", async (_, points, total, failure) => {
    const { pointSystemId } = await createOwner();
    await fillWallets(pointSystemId, points);
    const reward = await createCampaign(pointSystemId, TERMS);
    const key = await orderAllocation(reward, total);
    await buildAllocation(key);
    expect(await getAllocation(key)).toMatchObject({ status: "failed", failure });
    expect(await listDistributions(key)).toEqual([]);
    expect(await getAirdropStatus(key)).toBe("building");
    await withDatabase((db) =>
      db.execute(sql`delete from wallets where point_system_id = ${pointSystemId}`),
    );
    await fillWallets(pointSystemId, POINTS);
    expect(await orderAllocation(reward, TOTAL)).toEqual(key);
    await buildAllocation(key);
    await expectWhole(key);
  });

  test.each([0, 1, 2, 3, 4])("cancelled before step %i: it stops, and says so", async (at) => {
    const key = await createOrder();
    let steps = 0;
    for (let round = 0; round < 2; round += 1) {
      await buildAllocation(key, () => {
        if (steps++ === at) throw new Error("Wait");
      }).catch(() => cancel(key));
    }
    expect(await getAllocation(key)).toMatchObject({
      status: "failed",
      failure: "The reward was cancelled.",
    });
    expect(await getAirdropStatus(key)).toBe("building");
  });

  test("of a deleted point system, or one that never was: nothing is done", async () => {
    const key = await createOrder();
    await withDatabase((db) =>
      db.execute(sql`update point_systems set deleted_at = now() where id = ${key.pointSystemId}`),
    );
    await buildAllocation(key);
    expect(await getAllocation(key)).toMatchObject({ status: "queued" });
    await buildAllocation({ ...key, rewardId: randomUUID() });
  });

  test("amounts that were changed behind its back are found before it is built", async () => {
    const key = await createOrder();
    await buildAllocation(key, (status) => {
      if (status === "checking") throw new Error("Wait");
    }).catch(() => {});
    await withDatabase((db) =>
      db.execute(sql`
        update distributions set amount_wei = amount_wei + 1
        where reward_id = ${key.rewardId} and bucket = 1 and leaf_index = 5`),
    );
    await buildAllocation(key);
    expect(await getAllocation(key)).toMatchObject({
      status: "failed",
      failure: "The check found that the amounts do not add up. Nothing was published.",
    });
  });

  test("a wrong root is found before it is built", async () => {
    const key = await createOrder();
    await buildAllocation(key, (status) => {
      if (status === "checking") throw new Error("Wait");
    }).catch(() => {});
    await withDatabase((db) =>
      db.execute(sql`
        update merkle_buckets set root = sha256(root)
        where reward_id = ${key.rewardId} and bucket = 2`),
    );
    await buildAllocation(key);
    expect(await getAllocation(key)).toMatchObject({
      status: "failed",
      failure: "The check found a proof that does not hold. Nothing was published.",
    });
  });

  test("given up and ordered again with another amount while it is checked: only the new order is built", async () => {
    const key = await createOrder();
    await buildAllocation(key, (status) => {
      if (status === "checking") throw new Error("Wait");
    }).catch(() => {});
    const late = await other.begin(async (tx) => {
      // The check ends once it can hold the reward.
      await tx`select from rewards where id = ${key.rewardId} for update`;
      const checking = buildAllocation(key);
      await waitForLocks();
      await tx`
        update allocations set status = 'queued', total_amount_wei = ${String(2n * TOTAL)}
        where reward_id = ${key.rewardId}`;
      return { checking };
    });
    await late.checking;
    await buildAllocation(key);
    const total = (await listDistributions(key)).reduce(
      (sum, { amountWei }) => sum + amountWei,
      0n,
    );
    expect(await getAllocation(key)).toMatchObject({ status: "built", totalAmountWei: total });
  });

  test("tried too often: nobody waits for it for ever", async () => {
    const key = await createOrder();
    await failAbandonedAllocations();
    expect(await getAllocation(key)).toMatchObject({ status: "queued" });
    await withDatabase((db) =>
      db.execute(sql`
        update jobs set state = 'failed' where data ->> 'rewardId' = ${key.rewardId}`),
    );
    await failAbandonedAllocations();
    expect(await getAllocation(key)).toMatchObject({ status: "failed" });
  });
});

describe("rounds", () => {
  test("a later one pays who has nothing of the reward yet, in buckets after the earlier ones", async () => {
    const first = await createOrder();
    await buildAllocation(first);
    const rootsBefore = await listRoots(first);
    await withDatabase((db) =>
      db.execute(sql`
        update wallets set points = points + 3000 where point_system_id = ${first.pointSystemId}`),
    );
    const second = await orderAllocation(first, TOTAL, 128);
    expect(second.round).toBe(1);
    await buildAllocation(second);
    await expectWhole(second);
    const rows = await listDistributions(first);
    expect(rows).toHaveLength(POINTS.length);
    const buckets = await listBuckets(first);
    expect(buckets.map(({ bucket }) => bucket)).toEqual(buckets.map((_, i) => i));
    expect(buckets.map(({ round }) => round)).toEqual(
      buckets.map((_, i) => (i < rootsBefore.length ? 0 : 1)),
    );
    expect((await listRoots(first)).slice(0, rootsBefore.length)).toEqual(rootsBefore);
  });

  test("nobody new: it fails, and the earlier round stays as it is", async () => {
    const first = await createOrder();
    await buildAllocation(first);
    const second = await orderAllocation(first, TOTAL);
    await buildAllocation(second);
    expect(await getAllocation(second)).toMatchObject({
      status: "failed",
      failure: "Every wallet with enough points is in an earlier split.",
    });
    await expectWhole(first);
  });

  test("one at a time: another order is refused until it is built or failed", async () => {
    const first = await createOrder();
    expect(await codeOf(orderAllocation(first, TOTAL))).toBe("allocation_under_way");
    await buildAllocation(first);
    const orders = await Promise.allSettled([1, 2, 3].map(() => orderAllocation(first, TOTAL)));
    expect(orders.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("a reward that is not there, or is another point system's, cannot be split", async () => {
    const { rewardId } = await createOrder();
    const { pointSystemId } = await createOwner();
    expect(await codeOf(orderAllocation({ pointSystemId, rewardId }, TOTAL))).toBe("not_found");
  });
});
