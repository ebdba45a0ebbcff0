import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { airdrops, rewards } from "../../app/db/schema/rewards";
import { allocate, explainShare } from "../../app/domain/allocation";
import { buildMerkleTree } from "../../app/domain/merkle";
import {
  type AllocationKey,
  buildAllocationInThread,
  failAbandonedAllocations,
} from "../../app/services/campaign-build";
import { buildAllocation } from "../../app/services/campaign-build-steps";
import {
  createCampaign,
  fillWallets,
  getAllocation,
  listBuckets,
  listDistributions,
  listRoots,
  orderAllocation,
} from "../campaigns";
import { codeOf, createOwner } from "../operators";

const TOTAL = 10n ** 21n + 7n;

/** Points in which many are equal, some are over the cap and some under the threshold. */
const POINTS = Array.from({ length: 700 }, (_, n) => 1 + ((n * 7_919) % 97) ** 2);
const TERMS = { minPoints: 50, maxPoints: 4_000 };

/** A point system with wallets and a campaign, and an order to split it. */
async function createOrder(points: readonly number[] = POINTS, terms: object = TERMS) {
  const { pointSystemId } = await createOwner();
  await fillWallets(pointSystemId, points);
  const reward = await createCampaign(pointSystemId, { ...terms, totalAmountWei: TOTAL });
  return orderAllocation(reward, TOTAL, 128);
}

const getAirdropStatus = async ({ rewardId }: AllocationKey) =>
  (
    await withDatabase((db) =>
      db.select({ status: airdrops.status }).from(airdrops).where(eq(airdrops.rewardId, rewardId)),
    )
  )[0]?.status;

const cancel = ({ rewardId }: AllocationKey) =>
  withDatabase((db) =>
    db.update(rewards).set({ status: "cancelled" }).where(eq(rewards.id, rewardId)),
  );

/** What an undisturbed build of these wallets stores, by another way. */
async function expectWhole(key: AllocationKey): Promise<void> {
  const allocation = await getAllocation(key);
  expect(allocation).toMatchObject({ status: "built", failure: null, bucketSize: 128 });
  const rows = (await listDistributions(key)).filter(({ round }) => round === key.round);
  const entrants = rows.map(({ address, points }) => ({ address, points: points ?? 0 }));
  expect(new Map(rows.map((row) => [row.address, row.amountWei]))).toEqual(
    allocate(entrants, { totalWei: TOTAL, ...TERMS }),
  );
  for (const bucket of await listBuckets(key)) {
    const leaves = rows.filter((row) => row.bucket === bucket.bucket);
    if (bucket.round !== key.round) continue;
    expect(`0x${Buffer.from(bucket.root ?? []).toString("hex")}`).toBe(
      buildMerkleTree(leaves).root,
    );
    expect(bucket.totalAmountWei).toBe(leaves.reduce((sum, leaf) => sum + leaf.amountWei, 0n));
  }
  expect(rows.reduce((sum, row) => sum + row.amountWei, 0n)).toBe(TOTAL);
  expect(allocation.wallets).toBe(rows.length);
  expect(allocation.walletsDone).toBe(rows.length);
}

describe("a build", () => {
  test("splits the total among all with enough points, in trees by ascending address", async () => {
    const key = await createOrder();
    await buildAllocation(key);
    await expectWhole(key);
    const rows = await listDistributions(key);
    expect(rows).toHaveLength(POINTS.filter((points) => points >= TERMS.minPoints).length);
    expect(rows.map(({ address }) => address)).toEqual(
      rows.map(({ address }) => address).toSorted(),
    );
    expect(rows.map(({ bucket, leafIndex }) => [bucket, leafIndex])).toEqual(
      rows.map((_, i) => [Math.floor(i / 128), i % 128]),
    );
    expect(await getAirdropStatus(key)).toBe("ready");
  });

  test("keeps what every amount can be explained by", async () => {
    const key = await createOrder();
    await buildAllocation(key);
    const { totalWeight } = await getAllocation(key);
    for (const { points, amountWei } of await listDistributions(key)) {
      const { flooredWei, gotRemainderUnit } = explainShare(
        { points: points ?? 0, amountWei },
        { totalWei: TOTAL, maxPoints: TERMS.maxPoints, totalWeight: totalWeight ?? 0n },
      );
      expect(flooredWei + (gotRemainderUnit ? 1n : 0n)).toBe(amountWei);
    }
  });

  test("in a thread stores the same", async () => {
    const key = await createOrder();
    await buildAllocationInThread(key, new AbortController().signal);
    await expectWhole(key);
  });

  test("leaves out who is blacklisted", async () => {
    const key = await createOrder([100, 200, 300, 400]);
    await withDatabase((db) =>
      db.execute(sql`
        update wallets set is_blacklisted = true
        where point_system_id = ${key.pointSystemId} and points in (200, 400)`),
    );
    await buildAllocation(key);
    expect((await listDistributions(key)).map(({ points }) => points).sort()).toEqual([100, 300]);
  });

  test("chooses the bucket size when nobody did", async () => {
    const { pointSystemId, rewardId } = await createOrder([100, 200]);
    await withDatabase((db) =>
      db.execute(
        sql`update allocations set bucket_size_chosen = null where reward_id = ${rewardId}`,
      ),
    );
    const key = { pointSystemId, rewardId, round: 0 };
    await buildAllocation(key);
    expect(await getAllocation(key)).toMatchObject({ status: "built", bucketSize: 128 });
  });
});

describe("a build that ends before its end", () => {
  test.each([1, 2, 3, 4, 5, 6])(
    "before step %i: the next one goes on to the same roots",
    async (end) => {
      const key = await createOrder();
      let steps = 0;
      const ended = buildAllocation(key, () => {
        steps += 1;
        if (steps === end) throw new Error("Killed");
      });
      await ended.catch((error: Error) => expect(error.message).toBe("Killed"));
      expect(await getAirdropStatus(key)).toBe(steps < end ? "ready" : "building");
      await buildAllocation(key);
      await expectWhole(key);
    },
  );

  test("its thread ended anywhere: the next one goes on to the same roots", async () => {
    const key = await createOrder(Array.from({ length: 30_000 }, (_, n) => 100 + (n % 900)));
    for (const afterMs of [700, 1_100, 1_400, 1_700]) {
      const ending = new AbortController();
      const build = buildAllocationInThread(key, ending.signal);
      setTimeout(() => ending.abort(), afterMs);
      await build.catch(() => {});
    }
    await expect
      .poll(() => buildAllocation(key).then(() => getAllocation(key)))
      .toMatchObject({
        status: "built",
      });
    await expectWhole(key);
  });

  test("shows nothing of a snapshot that was not finished", async () => {
    const key = await createOrder();
    await withDatabase((db) =>
      db.execute(sql`
        alter table merkle_buckets add constraint no_more check (total_amount_wei < 0) not valid`),
    );
    await expect(buildAllocation(key)).rejects.toThrow("no_more");
    expect(await listDistributions(key)).toEqual([]);
    expect(await getAllocation(key)).toMatchObject({ status: "allocating", snapshotAt: null });
    await withDatabase((db) => db.execute(sql`alter table merkle_buckets drop constraint no_more`));
    await buildAllocation(key);
    await expectWhole(key);
  });
});

test("two workers at once build what one builds", async () => {
  const key = await createOrder();
  await Promise.all([buildAllocation(key), buildAllocation(key), buildAllocation(key)]);
  expect(await buildAllocation(key)).toBe(true);
  await expectWhole(key);
});

test("a step that another process is at is left to it, and whoever came later tries again", async () => {
  const key = await createOrder();
  const attempt = withDatabase((db) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`
        select pg_advisory_xact_lock(hashtextextended(
          ${`allocation:${key.rewardId}/${key.round}`}, 0))`);
      expect(await buildAllocation(key)).toBe(false);
      const inThread = buildAllocationInThread(key, new AbortController().signal);
      await expect(inThread).rejects.toThrow("Another process is building this airdrop");
    }),
  );
  await attempt;
  expect(await listDistributions(key)).toEqual([]);
  expect(await buildAllocation(key)).toBe(true);
  await expectWhole(key);
});

test("the snapshot is of one moment, while points move between wallets and wallets are blacklisted", async () => {
  const { pointSystemId } = await createOwner();
  await fillWallets(pointSystemId, new Array(20_000).fill(1_000));
  const reward = await createCampaign(pointSystemId);
  const key = await orderAllocation(reward, TOTAL);
  let isOver = false;
  // Each statement leaves the sum of those who take part as it was.
  const move = async () => {
    while (!isOver) {
      await withDatabase((db) =>
        db.execute(sql`
          with pair as (
            select array_agg(address) as a from (
              select address from wallets
              where point_system_id = ${pointSystemId} and not is_blacklisted
                and address >= decode(md5(random()::text) || '00000000', 'hex')
              order by address limit 2
            ) w
          )
          update wallets w set
            points = case when w.address = a[1] then w.points + other.points else 0 end,
            is_blacklisted = w.address = a[2]
          from pair, wallets other
          where cardinality(a) = 2 and w.point_system_id = ${pointSystemId} and w.address = any(a)
            and other.point_system_id = ${pointSystemId}
            and other.address = case when w.address = a[1] then a[2] else a[1] end`),
      );
    }
  };
  const moves = move();
  await buildAllocation(key);
  isOver = true;
  await moves;
  const rows = await listDistributions(key);
  expect(rows.length).toBeLessThan(20_000);
  expect(rows.reduce((sum, { points }) => sum + (points ?? 0), 0)).toBe(20_000_000);
  expect(await getAllocation(key)).toMatchObject({ status: "built", totalWeight: 20_000_000n });
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

  test("tried too often: nobody waits for it for ever", async () => {
    const key = await createOrder();
    await failAbandonedAllocations();
    expect(await getAllocation(key)).toMatchObject({ status: "queued" });
    await withDatabase((db) =>
      db.execute(sql`
        update pgboss.job set state = 'failed' where data ->> 'rewardId' = ${key.rewardId}`),
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
      failure: "No wallet has enough points that is not in an earlier split.",
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
