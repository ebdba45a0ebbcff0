import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { triggers } from "../../../app/db/schema/point-systems";
import { dailyTriggerTotals } from "../../../app/db/schema/statistics";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { CREDIT_POINTS_MAX, TOTAL_POINTS_MAX } from "../../../app/domain/ledger/points";
import { describeFailure } from "../../../app/http/failures";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import type { Member } from "../../../app/services/access/members";
import { listActivity } from "../../../app/services/activity/activity";
import { getWalletEntry } from "../../../app/services/board/wallets";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { testFireTrigger } from "../../../app/services/point-systems/test-fire";
import {
  createTrigger,
  deleteTrigger,
  getTrigger,
  listTriggers,
  setTriggerActive,
  TRIGGERS_MAX,
  updateTrigger,
} from "../../../app/services/point-systems/triggers";
import { listEvents } from "../../support/fixture-file";
import { createMember, createOwner, failureOf, findOwner, tally } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

const DAILY = { key: "daily_login", name: "Daily login", points: 10, variable: null };
const PURCHASE = {
  key: "purchase",
  name: "Purchase",
  points: 50,
  variable: { min: 5, max: 500 },
};
const PAGE = { page: 1, limit: 50 };

async function listAudit(member: Member) {
  const filter = { action: null, actor: null, beforeId: null };
  const { entries } = await listPointSystemAudit(member, filter);
  return entries.map(({ action, subject, before, after }) => ({ action, subject, before, after }));
}

test("an editor creates, changes, switches and deletes a trigger, and the audit log tells of each", async () => {
  const owner = await createOwner();
  const editor = await createMember(owner, "editor");
  await createTrigger(editor, DAILY);
  expect(await listTriggers(owner)).toEqual([
    { ...DAILY, cap: null, isActive: true, fires: 0, lastFiredAt: null },
  ]);
  await updateTrigger(editor, DAILY.key, {
    name: "Every day",
    points: CREDIT_POINTS_MAX,
    variable: null,
  });
  await setTriggerActive(editor, DAILY.key, false);
  expect(await getTrigger(owner, DAILY.key)).toMatchObject({
    name: "Every day",
    points: CREDIT_POINTS_MAX,
    isActive: false,
  });
  expect(await deleteTrigger(editor, DAILY.key)).toEqual({ name: "Every day" });
  expect(await listTriggers(owner)).toEqual([]);
  const changed = { name: "Every day", points: CREDIT_POINTS_MAX };
  const created = { name: DAILY.name, points: DAILY.points };
  expect(await listAudit(owner)).toEqual([
    {
      action: "trigger.delete",
      subject: DAILY.key,
      before: { ...changed, isActive: false },
      after: null,
    },
    {
      action: "trigger.update",
      subject: DAILY.key,
      before: { isActive: true },
      after: { isActive: false },
    },
    { action: "trigger.update", subject: DAILY.key, before: created, after: changed },
    { action: "trigger.create", subject: DAILY.key, before: null, after: created },
  ]);
});

test("a trigger changes to variable points and back, its events keep theirs, and the audit log has the limits", async () => {
  const s = await scene({ trigger: { key: "daily_login", points: 10 } });
  const owner = await findOwner(s.pointSystemId);
  const { key, ...variable } = { ...PURCHASE, key: "daily_login" };
  expect(await s.fire({ points: 500 })).toMatchObject({ body: { pointsAdded: 10 } });
  await updateTrigger(owner, key, variable);
  expect(await getTrigger(owner, key)).toMatchObject(variable);
  expect(await s.fire({ points: 500 })).toMatchObject({ body: { pointsAdded: 500 } });
  expect(await s.fire()).toMatchObject({ body: { pointsAdded: 50 } });
  expect(await s.fire({ points: 501 })).toMatchObject({ status: 400 });
  const fixed = { name: "Purchase", points: 7, variable: null };
  await updateTrigger(owner, key, fixed);
  expect(await listTriggers(owner)).toMatchObject([fixed]);
  expect(await s.fire({ points: 500 })).toMatchObject({ body: { pointsAdded: 7 } });
  expect((await listEvents(s.pointSystemId)).map(({ points }) => points)).toEqual([10, 500, 50, 7]);
  const limits = { name: "Purchase", points: 50, pointsMin: 5, pointsMax: 500 };
  expect(await listAudit(owner)).toMatchObject([
    { before: limits, after: { name: "Purchase", points: 7 } },
    { before: { name: "Daily login", points: 10 }, after: limits },
  ]);
});

test("the audit log has the limits of a trigger that is created and deleted", async () => {
  const owner = await createOwner();
  await createTrigger(owner, PURCHASE);
  await deleteTrigger(owner, PURCHASE.key);
  const limits = { name: "Purchase", points: 50, pointsMin: 5, pointsMax: 500 };
  expect(await listAudit(owner)).toEqual([
    {
      action: "trigger.delete",
      subject: PURCHASE.key,
      before: { ...limits, isActive: true },
      after: null,
    },
    { action: "trigger.create", subject: PURCHASE.key, before: null, after: limits },
  ]);
});

test("a test fire of variable points credits the default", async () => {
  const owner = await createOwner();
  await createTrigger(owner, PURCHASE);
  expect(await testFireTrigger(owner, PURCHASE.key, createAddress())).toEqual({ points: 50 });
});

test("a state that the trigger has already changes nothing and is not in the audit log", async () => {
  const owner = await createOwner();
  await createTrigger(owner, DAILY);
  await setTriggerActive(owner, DAILY.key, true);
  expect(await listAudit(owner)).toHaveLength(1);
});

test("a key that is taken is refused beside its field, and the failure names who has it", async () => {
  const owner = await createOwner();
  const name = "Daily $& {name}";
  await createTrigger(owner, { ...DAILY, name });
  const failure = await failureOf(createTrigger(owner, { ...DAILY, name: "Another" }));
  expect(failure).toMatchObject({ code: "trigger_key_taken", details: { field: "key", name } });
  expect(describeFailure(failure).message).toBe(`The trigger “${name}” already uses this key`);
  expect(await listTriggers(owner)).toMatchObject([{ name }]);
  await createTrigger(await createOwner(), DAILY);
});

test("of any number of triggers made at once with one key, one is made", async () => {
  const owner = await createOwner();
  const makers = Array.from({ length: 12 }, (_, i) =>
    createTrigger(owner, { ...DAILY, name: `Trigger ${i}` }),
  );
  expect(await tally(makers)).toEqual({ succeeded: 1, trigger_key_taken: 11 });
  expect(await listTriggers(owner)).toHaveLength(1);
  expect(await listAudit(owner)).toHaveLength(1);
});

test("a point system takes as many triggers as its list shows, and no more", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const rows = Array.from({ length: TRIGGERS_MAX - 1 }, (_, i) => ({
    pointSystemId,
    key: `key_${i}`,
    name: "Filler",
    points: 1,
  }));
  await withDatabase((db) => db.insert(triggers).values(rows));
  const makers = [1, 2, 3].map((i) => createTrigger(owner, { ...DAILY, key: `more_${i}` }));
  expect(await tally(makers)).toEqual({ succeeded: 1, too_many_triggers: 2 });
});

test("a trigger of another point system is not found, and nothing is changed", async () => {
  const owner = await createOwner();
  const stranger = await createOwner();
  await createTrigger(owner, DAILY);
  const attempts = [
    getTrigger(stranger, DAILY.key),
    updateTrigger(stranger, DAILY.key, { name: "Mine", points: 1, variable: null }),
    setTriggerActive(stranger, DAILY.key, false),
    deleteTrigger(stranger, DAILY.key),
    testFireTrigger(stranger, DAILY.key, createAddress()),
    getTrigger(owner, "no such key"),
    getTrigger(owner, "\0"),
    updateTrigger(owner, "\0", { name: "Mine", points: 1, variable: null }),
    setTriggerActive(owner, "\0", false),
    deleteTrigger(owner, "\0"),
    testFireTrigger(owner, "\0", createAddress()),
  ];
  expect(await tally(attempts)).toEqual({ not_found: attempts.length });
  expect(await getTrigger(owner, DAILY.key)).toMatchObject({ ...DAILY, isActive: true });
  expect(await listEvents(stranger.pointSystemId)).toEqual([]);
});

test("a viewer sees triggers; whatever changes one does not take a viewer", async () => {
  const owner = await createOwner();
  await createTrigger(owner, DAILY);
  const viewer = await createMember(owner, "viewer");
  expect(await listTriggers(viewer)).toMatchObject([DAILY]);
  expect(await getTrigger(viewer, DAILY.key)).toMatchObject(DAILY);
  // @ts-expect-error a viewer changes nothing
  const change: Parameters<typeof createTrigger>[0] = viewer;
  expect(change).toBe(viewer);
});

test("what a trigger credited is the sum of its days, and of its own point system's", async () => {
  const owner = await createOwner();
  const other = await createOwner();
  for (const member of [owner, other]) await createTrigger(member, DAILY);
  await createTrigger(owner, { ...DAILY, key: "quiet" });
  const lastFiredAt = new Date("2026-03-02T05:00:00.123Z");
  const row = { triggerKey: DAILY.key, points: 0 };
  const { pointSystemId } = owner;
  await withDatabase((db) =>
    db.insert(dailyTriggerTotals).values([
      { ...row, pointSystemId, day: "2026-03-02", events: 3, lastFiredAt },
      { ...row, pointSystemId, day: "2026-03-01", events: 4, lastFiredAt: new Date(0) },
      { ...row, pointSystemId, day: "2026-03-02", events: 9, lastFiredAt, triggerKey: "deleted" },
      {
        ...row,
        pointSystemId: other.pointSystemId,
        day: "2026-03-03",
        events: 50,
        lastFiredAt: new Date(),
      },
    ]),
  );
  expect(await getTrigger(owner, DAILY.key)).toMatchObject({ fires: 7, lastFiredAt });
  expect(await getTrigger(owner, "quiet")).toMatchObject({ fires: 0, lastFiredAt: null });
});

test("a test fire whose form is sent twice credits once", async () => {
  const owner = await createOwner();
  await createTrigger(owner, DAILY);
  const address = createAddress();
  const token = createEventId();
  for (let sent = 1; sent <= 2; sent += 1) {
    expect(await testFireTrigger(owner, DAILY.key, address, token)).toEqual({ points: 10 });
  }
  expect((await listEvents(owner.pointSystemId)).length).toBe(1);
});

test("a test fire is an event of the trigger, with who fired it, and the API shows it", async () => {
  const owner = await createOwner();
  await createTrigger(owner, DAILY);
  const address = createAddress();
  expect(await testFireTrigger(owner, DAILY.key, address)).toEqual({ points: 10 });
  const { pointSystemId, actor } = owner;
  expect(await listEvents(pointSystemId)).toMatchObject([
    { address, points: 10, event: DAILY.key, operatorId: actor.operatorId, note: "Test fire" },
  ]);
  expect(await getWalletEntry(pointSystemId, address)).toMatchObject({ points: 10, events: 1 });
  const { activity } = await listActivity(pointSystemId, address, PAGE);
  expect(activity).toMatchObject([{ event: DAILY.key, points: 10 }]);
  expect((await listAudit(owner))[0]).toEqual({
    action: "trigger.test",
    subject: DAILY.key,
    before: null,
    after: { address, points: 10 },
  });
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a test fire is refused as a call of the API is, and leaves no trace", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  await createTrigger(owner, { ...DAILY, points: CREDIT_POINTS_MAX });
  const banned = createAddress();
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  const codeOf = async (address: `0x${string}`) =>
    (await failureOf(testFireTrigger(owner, DAILY.key, address))).code;
  expect(await codeOf(banned)).toBe("wallet_blacklisted");
  await setTriggerActive(owner, DAILY.key, false);
  expect(await codeOf(createAddress())).toBe("trigger_inactive");
  expect(await listEvents(pointSystemId)).toEqual([]);
  expect((await listAudit(owner)).map(({ action }) => action)).not.toContain("trigger.test");
});

test("a deleted trigger's events and points stay, and the API knows the trigger no longer", async () => {
  const s = await scene();
  expect(await s.fire()).toMatchObject({ status: 200 });
  const owner = await createOwner();
  const member = { ...owner, pointSystemId: s.pointSystemId };
  await deleteTrigger(member, s.triggerKey);
  expect(await s.fire()).toMatchObject({ status: 404, body: { error: "Trigger not found" } });
  expect(await s.pointsOf(s.wallet)).toBe(10);
  expect(await listEvents(s.pointSystemId)).toMatchObject([{ event: s.triggerKey }]);
});

test("a wallet that would hold too much gets nothing of a test fire", async () => {
  const wallet = createAddress();
  const full = await createOwner();
  await createTrigger(full, { ...DAILY, points: CREDIT_POINTS_MAX });
  await testFireTrigger(full, DAILY.key, wallet);
  await withDatabase((db) =>
    db.execute(
      `update wallets set points = ${TOTAL_POINTS_MAX} where point_system_id = '${full.pointSystemId}'`,
    ),
  );
  const failure = await failureOf(testFireTrigger(full, DAILY.key, wallet));
  expect(failure.code).toBe("points_limit_reached");
  expect(await listEvents(full.pointSystemId)).toHaveLength(1);
  // The ledger is restored for the tests that check all of it.
  await withDatabase((db) =>
    db.execute(
      `update wallets set points = ${CREDIT_POINTS_MAX} where point_system_id = '${full.pointSystemId}'`,
    ),
  );
});
