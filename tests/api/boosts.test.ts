import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { exportFeed } from "../../app/services/activity/feed";
import { listWalletHistory } from "../../app/services/activity/wallet-history";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../app/services/ledger/verify";
import { findBoostWallets, listBoosts } from "../../app/services/point-systems/boost-list";
import {
  createBoost,
  deleteBoost,
  endBoost,
  updateBoost,
} from "../../app/services/point-systems/boosts";
import { testFireTrigger } from "../../app/services/point-systems/test-fire";
import { updateTrigger } from "../../app/services/point-systems/triggers";
import { voidById } from "../support/events";
import { codeOf, failureOf, findOwner, grant } from "../support/operators";
import { createAddress, scene } from "../support/scene";
import { other } from "../support/test-database";

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const DOUBLE = {
  ...{ name: "Double", factor: 2, triggerKeys: null, wallets: null, timeZone: "UTC" },
  ...{ startsAt: null, endsAt: inHours(24) },
};

/** Creates a point system whose trigger credits 10 points. */
async function boostedScene() {
  const world = await scene();
  const owner = await findOwner(world.pointSystemId);
  return { ...world, owner };
}

const readAudit = (pointSystemId: string) => other<{ action: string; before: object }[]>`
  select action, before, after from audit_log
  where point_system_id = ${pointSystemId} and action like 'boost.%' order by id`;

test("a boosted call answers what was added, a repetition the same after the boost, and a void takes it back", async () => {
  const { fire, pointsOf, wallet, owner, pointSystemId } = await boostedScene();
  const id = await createBoost(owner, DOUBLE);
  const key = { "Idempotency-Key": "order-1" };
  expect((await fire({}, key)).body.pointsAdded).toBe(20);
  await endBoost(owner, id);
  const again = await fire({}, key);
  expect(again.body.pointsAdded).toBe(20);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await fire()).body.pointsAdded).toBe(10);
  expect(await pointsOf(wallet)).toBe(30);
  const [event] = await other<{ id: string }[]>`
    select id from point_events where point_system_id = ${pointSystemId} and boost_factor = 2`;
  await voidById(owner, event?.id ?? "");
  expect(await pointsOf(wallet)).toBe(10);
  const { differences } = await verifyLedger();
  expect(differences.filter((one) => one.pointSystemId === pointSystemId)).toEqual([]);
});

test("caps in points and the batch count what is added; grants are not boosted, test fires are", async () => {
  const { fireBatch, owner, triggerKey, pointsOf } = await boostedScene();
  await updateTrigger(owner, triggerKey, {
    ...{ name: "Daily login", points: 10, variable: null },
    cap: { window: "ever", timeZone: "UTC", times: null, points: 50 },
  });
  await createBoost(owner, DOUBLE);
  const [one, two, three] = [createAddress(), createAddress(), createAddress()];
  const items = [one, one, one, two].map((walletAddress) => ({ triggerKey, walletAddress }));
  const { body } = await fireBatch({ items });
  expect(
    body.results.map(
      (result: { pointsAdded?: number; code?: string }) => result.code ?? result.pointsAdded,
    ),
  ).toEqual([20, 20, "trigger_cap_reached", 20]);
  await grant(owner, three, 7);
  expect(await pointsOf(three)).toBe(7);
  const token = randomUUID();
  expect(await testFireTrigger(owner, triggerKey, three, token)).toEqual({ points: 20 });
  expect(await testFireTrigger(owner, triggerKey, three, token)).toEqual({ points: 20 });
  expect(await pointsOf(three)).toBe(27);
});

test("a boost for chosen triggers and wallets leaves the others alone", async () => {
  const { fire, owner, triggerKey, wallet } = await boostedScene();
  const id = await createBoost(owner, { ...DOUBLE, triggerKeys: [triggerKey], wallets: [wallet] });
  expect((await fire()).body.pointsAdded).toBe(20);
  expect((await fire({ walletAddress: createAddress() })).body.pointsAdded).toBe(10);
  // A second one with a smaller factor for every wallet.
  await createBoost(owner, { ...DOUBLE, factor: 1.5 });
  expect((await fire()).body.pointsAdded).toBe(20);
  expect((await fire({ walletAddress: createAddress() })).body.pointsAdded).toBe(15);
  expect(await findBoostWallets(owner.pointSystemId, id)).toEqual([wallet]);
});

test("a boost is edited while it runs: earlier events stay, and the audit log has both", async () => {
  const { fire, owner, pointSystemId, wallet } = await boostedScene();
  const id = await createBoost(owner, DOUBLE);
  expect((await fire()).body.pointsAdded).toBe(20);
  const { startsAt, timeZone, ...fields } = DOUBLE;
  await updateBoost(owner, id, { ...fields, factor: 1.25, wallets: [wallet] });
  // 12.5 is rounded up.
  expect((await fire()).body.pointsAdded).toBe(13);
  expect(await codeOf(updateBoost(owner, id, { ...fields, startsAt: inHours(2) }))).toBe(
    "boost_begun",
  );
  expect(await codeOf(updateBoost(owner, id, { ...fields, endsAt: inHours(-1) }))).toBe(
    "boost_past",
  );
  expect(await codeOf(deleteBoost(owner, id))).toBe("boost_begun");
  await endBoost(owner, id);
  expect(await codeOf(endBoost(owner, id))).toBe("boost_ended");
  expect(await codeOf(updateBoost(owner, id, fields))).toBe("boost_ended");
  const rows = await other`
    select points::int from point_events where point_system_id = ${pointSystemId} order by seq`;
  expect(rows.map(({ points }) => points)).toEqual([20, 13]);
  expect([...(await readAudit(pointSystemId))]).toMatchObject([
    { action: "boost.create", before: null, after: { factor: 2, wallets: "all" } },
    {
      action: "boost.update",
      before: { factor: 2, wallets: "all" },
      after: { factor: 1.25, wallets: 1, walletsAdded: 1, walletsRemoved: 0 },
    },
    { action: "boost.end", before: { factor: 1.25 } },
  ]);
});

test("a boost that has not started can be moved and deleted; a start in the past and an unknown trigger are refused", async () => {
  const { owner, fire, pointSystemId } = await boostedScene();
  const id = await createBoost(owner, { ...DOUBLE, startsAt: inHours(1) });
  expect((await fire()).body.pointsAdded).toBe(10);
  const { startsAt, timeZone, ...fields } = DOUBLE;
  const moved = inHours(3);
  await updateBoost(owner, id, { ...fields, startsAt: moved });
  expect(await listBoosts(pointSystemId)).toMatchObject([{ startsAt: moved, state: "scheduled" }]);
  await deleteBoost(owner, id);
  expect(await listBoosts(pointSystemId)).toEqual([]);
  expect(await codeOf(createBoost(owner, { ...DOUBLE, startsAt: inHours(-1) }))).toBe("boost_past");
  const unknown = createBoost(owner, { ...DOUBLE, triggerKeys: ["nothing"] });
  expect((await failureOf(unknown)).code).toBe("trigger_not_found");
  for (let n = 0; n < 20; n += 1) await createBoost(owner, DOUBLE);
  expect(await codeOf(createBoost(owner, DOUBLE))).toBe("too_many_boosts");
});

test("include=boost says how points were made; without it the answer is as before", async () => {
  const { fire, get, owner, wallet } = await boostedScene();
  await fire();
  await createBoost(owner, { ...DOUBLE, factor: 1.5 });
  await fire();
  for (const query of [{}, { address: wallet }]) {
    const boosted = (await get("/activity", { ...query, include: "boost" })).body.activity;
    expect(boosted).toMatchObject([
      { points: 15, boost: { basePoints: 10, factor: 1.5 } },
      { points: 10, boost: null },
    ]);
    const plain = (await get("/activity", query)).body.activity;
    expect(plain).toEqual(boosted.map(({ boost, ...event }: { boost: unknown }) => event));
  }
  const applied = [{ basePoints: 10, factor: 1.5 }, null];
  const history = await listWalletHistory(owner, wallet, null);
  expect(history.rows.map(({ boost }) => boost)).toEqual(applied);
  const filter = { address: null, trigger: null, firstDay: null, lastDay: null };
  for await (const events of exportFeed(owner, filter)) {
    expect(events.map(({ boost }) => boost)).toEqual(applied);
  }
});

test("a fixture file has boosts, which a second load does not repeat", async () => {
  const { operator, pointSystemId, fire, triggerKey, wallet } = await scene();
  const boost = {
    ...{ name: "Weekend", factor: 3, triggers: [triggerKey], wallets: [wallet] },
    ...{ startsAt: inHours(-1).toISOString(), endsAt: inHours(1).toISOString() },
  };
  const load = (boosts: object[]) =>
    loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", boosts }] });
  await load([boost]);
  await load([boost]);
  expect(await listBoosts(pointSystemId)).toMatchObject([{ factor: 3, walletCount: 1 }]);
  expect((await fire()).body.pointsAdded).toBe(30);
  await expect(load([{ ...boost, factor: 1.005 }])).rejects.toThrow("factor");
  await expect(load([{ ...boost, name: "Other", triggers: ["none"] }])).rejects.toThrow("triggers");
});
