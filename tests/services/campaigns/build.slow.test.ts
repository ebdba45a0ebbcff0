import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { inTransaction, withDatabase } from "../../../app/db/client";
import { explainShare } from "../../../app/domain/rewards/allocation";
import { buildAllocation } from "../../../app/services/campaigns/build/build";
import { buildAllocationInThread } from "../../../app/services/campaigns/build/build-thread";
import { startQueue } from "../../../app/worker/queue";
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
  listDistributions,
  orderAllocation,
} from "../../support/campaigns";
import { createOwner } from "../../support/operators";
import { other } from "../../support/test-database";

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
  const attempt = inTransaction(async (tx) => {
    await tx.execute(sql`
        select pg_advisory_xact_lock(hashtextextended(
          ${`allocation:${key.rewardId}/${key.round}`}, 0))`);
    expect(await buildAllocation(key)).toBe(false);
    const inThread = buildAllocationInThread(key, new AbortController().signal);
    await expect(inThread).rejects.toThrow("Another process is building this airdrop");
  });
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
  let moved = 0;
  // Each statement leaves the participants' sum unchanged.
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
      moved += 1;
    }
  };
  const moves = move();
  await expect.poll(() => moved).toBeGreaterThan(0);
  await buildAllocation(key);
  isOver = true;
  await moves;
  const rows = await listDistributions(key);
  expect(rows.length).toBeLessThan(20_000);
  expect(rows.reduce((sum, { points }) => sum + (points ?? 0), 0)).toBe(20_000_000);
  expect(await getAllocation(key)).toMatchObject({ status: "built", totalWeight: 20_000_000n });
});

test("a small split does not wait behind a large one of another point system", async () => {
  const large = await createOwner();
  await fillWallets(large.pointSystemId, POINTS);
  await other`
    update point_system_totals set wallets = 1000000 where point_system_id = ${large.pointSystemId}`;
  const waiting = await orderAllocation(await createCampaign(large.pointSystemId), TOTAL);
  const small = await createOrder();
  const failures: unknown[] = [];
  const built = await other.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('family:' || ${waiting.rewardId}, 0))`;
    const queue = startQueue((_, error) => failures.push(error));
    while ((await getAllocation(small)).status !== "built") await sleep(100);
    expect((await getAllocation(waiting)).status).toBe("allocating");
    return { queue };
  });
  while ((await getAllocation(waiting)).status !== "built") await sleep(100);
  await built.queue.stop();
  expect(failures).toEqual([]);
}, 30_000);
