import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { findWalletEntry } from "../../../app/services/board/wallets";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { call } from "../../support/call";
import { createOwner, failureOf } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

test("a grant that comes while its point system is deleted finds nothing, and leaves no orphans", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const [row] = await other<{ name: string }[]>`
    select name from point_systems where id = ${pointSystemId}`;
  const grant = { address: createAddress(), points: 5, note: null };
  let hasLock = () => {};
  const locked = new Promise<void>((resolve) => {
    hasLock = resolve;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = writeLedger(pointSystemId, async () => {
    hasLock();
    await released;
  });
  await locked;
  // The deletion waits for the writer; a grant that waits as well comes after it, or is deleted too.
  let isDeleted = false;
  const deletion = deletePointSystem(owner, row?.name ?? "").then(() => {
    isDeleted = true;
  });
  const granted = grantPoints(owner, grant).then(
    () => "granted",
    (failure) => failure.code,
  );
  await other`select pg_sleep(0.3)`;
  expect(isDeleted).toBe(false);
  release();
  await Promise.all([holder, deletion]);
  expect(["granted", "not_found"]).toContain(await granted);
  while (await purgeDeletedPointSystem());
  expect((await failureOf(grantPoints(owner, grant))).code).toBe("not_found");
  const banned = addToBlacklist(owner, [{ address: grant.address, reason: null }]);
  expect((await failureOf(banned)).code).toBe("not_found");
  expect(await findWalletEntry(pointSystemId, grant.address)).toBeNull();
});

test("writers of a locked point system are answered in time, write nothing late, and hold up no other point system", async () => {
  const wallet = createAddress();
  const events = [{ address: wallet, points: 1_000 }];
  const [locked, free] = [await scene({ events }), await scene({ events })];
  const spendIn = ({ token, pointSystemId }: typeof free, onError?: () => void) =>
    call(
      "/spend",
      {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ walletAddress: wallet, pointSystemId, points: 1, reason: "Mug" }),
      },
      onError,
    );
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = other.begin(async (tx) => {
    await tx`select lock_ledger(${locked.pointSystemId}::uuid)`;
    await released;
  });
  await sleep(100);
  const waiting = Promise.all(
    Array.from({ length: 24 }, async () => {
      const startedAt = performance.now();
      const { status, body } = await spendIn(locked, () => {});
      return { status, code: body.code, isInTime: performance.now() - startedAt < 5_000 };
    }),
  );
  await sleep(700);
  const slowest = { spend: 0, activity: 0, points: 0 };
  const measure = async (name: keyof typeof slowest, call: () => Promise<{ status: number }>) => {
    const startedAt = performance.now();
    expect((await call()).status).toBe(200);
    slowest[name] = Math.max(slowest[name], performance.now() - startedAt);
  };
  for (let n = 0; n < 10; n += 1) {
    await Promise.all([
      measure("spend", () => spendIn(free)),
      measure("activity", () => free.get("/activity")),
      measure("points", () => free.get("/points", { address: wallet })),
    ]);
  }
  expect(Math.max(...Object.values(slowest))).toBeLessThan(1_500);
  const answers = await waiting;
  release();
  await holder;
  for (const answer of answers) {
    expect(answer).toEqual({ status: 503, code: "not_credited", isInTime: true });
  }
  await sleep(500);
  const spends = await other`select from spends where point_system_id = ${locked.pointSystemId}`;
  expect(spends).toHaveLength(0);
}, 30_000);

test("writers of slow point systems take turns among themselves and hold up no other one's", async () => {
  const [free, ...slow] = await Promise.all(Array.from({ length: 11 }, () => createOwner()));
  const write = (pointSystemId: string, ms: number) => writeLedger(pointSystemId, () => sleep(ms));
  const writeOften = async () => {
    for (let n = 0; n < 20; n += 1) await write(free?.pointSystemId ?? "", 0);
  };
  await writeOften();
  let isOver = false;
  const writers = slow.map(async ({ pointSystemId }) => {
    while (!isOver) await write(pointSystemId, 400).catch(() => {});
  });
  // By then each has had a turn.
  await sleep(4_000);
  const startedAt = performance.now();
  await writeOften();
  const tookMs = performance.now() - startedAt;
  isOver = true;
  await Promise.all(writers);
  expect(tookMs).toBeLessThan(4_000);
}, 30_000);
