import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../../app/auth/sessions";
import { withDatabase } from "../../../app/db/client";
import { pointSystemMembers } from "../../../app/db/schema/point-systems";
import type { Address } from "../../../app/domain/address";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { isStillWelcome } from "../../../app/http/live-access";
import type { Member } from "../../../app/services/access/members";
import { listActivity } from "../../../app/services/activity/activity";
import {
  closeLiveStreams,
  findNewestSeq,
  followLiveFeed,
  type LiveBatch,
} from "../../../app/services/insights/live-feed";
import { appendToLedger } from "../../../app/services/ledger/append";
import { grantPoints } from "../../../app/services/ledger/grants";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { voidById } from "../../support/events";
import { createMember, createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";

const WITHIN = { timeout: 10_000, interval: 50 };
const ORIGIN = "http://test.local";

const leaves: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const leave of leaves.splice(0)) leave();
});

/** Follows a feed and keeps its batches. */
function follow(member: Member, afterSeq: number, isWelcome = async () => true) {
  const batches: LiveBatch[] = [];
  const onEnd = vi.fn();
  const onBatch = (batch: LiveBatch) => void batches.push(batch);
  const leave = followLiveFeed(member, { afterSeq, isWelcome, onBatch, onEnd });
  leaves.push(leave);
  /** Returns the points of all events, in the order of a list. */
  const points = () =>
    [...batches].reverse().flatMap(({ events }) => events.map((event) => event.points));
  return { batches, points, onEnd, leave };
}

async function grantMany(pointSystemId: string, count: number): Promise<void> {
  const date = new Date();
  const events = Array.from({ length: count }, (_, i) => ({
    id: createEventId(),
    address: createAddress(),
    points: i + 1,
    event: null,
    date,
  }));
  await writeLedger(pointSystemId, (tx) =>
    appendToLedger(tx, pointSystemId, { events, registered: [], registeredAt: date }),
  );
}

test("everyone who follows a point system gets its events, newest first, and nobody another's", async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  const address: Address = createAddress();
  await grantPoints(owner, { address, points: 1, note: null });
  const seq = await findNewestSeq(owner);
  const [first, second] = [follow(owner, seq), follow(await createMember(owner, "viewer"), seq)];
  const stranger = follow(other, 0);
  for (const points of [2, 3]) await grantPoints(owner, { address, points, note: null });
  await vi.waitFor(() => expect(first.points()).toEqual([3, 2]), WITHIN);
  await vi.waitFor(() => expect(second.points()).toEqual([3, 2]), WITHIN);
  const [event] = (await listActivity(owner.pointSystemId, null, { page: 1, limit: 1 })).activity;
  expect(first.batches.at(-1)?.events[0]).toEqual({ ...event, boost: null });
  expect(first.batches.at(-1)?.seq).toBe(await findNewestSeq(owner));
  expect(stranger.batches).toEqual([]);
});

test("one network has 50 streams and is told the wait beyond them, and others go on", async () => {
  const owner = await createOwner();
  const from = (ip: string): Member => ({
    ...owner,
    actor: { ...owner.actor, operatorId: randomUUID(), ip },
  });
  for (let n = 0; n < 50; n += 1) follow(from("192.0.2.1"), 0);
  expect(() => follow(from("192.0.2.1"), 0)).toThrow(
    expect.objectContaining({ code: "service_unavailable", details: { retryAfterSeconds: 30 } }),
  );
  follow(from("192.0.2.2"), 0);
  leaves.shift()?.();
  follow(from("192.0.2.1"), 0);
});

test("who comes back gets what it missed, while the others get nothing twice", async () => {
  const owner = await createOwner();
  await grantPoints(owner, { address: createAddress(), points: 1, note: null });
  const seq = await findNewestSeq(owner);
  const stayed = follow(owner, seq);
  for (const points of [2, 3])
    await grantPoints(owner, { address: createAddress(), points, note: null });
  await vi.waitFor(() => expect(stayed.points()).toEqual([3, 2]), WITHIN);
  const returned = follow(owner, seq);
  await vi.waitFor(() => expect(returned.points()).toEqual([3, 2]), WITHIN);
  await grantPoints(owner, { address: createAddress(), points: 4, note: null });
  await vi.waitFor(() => expect(returned.points()).toEqual([4, 3, 2]), WITHIN);
  await vi.waitFor(() => expect(stayed.points()).toEqual([4, 3, 2]), WITHIN);
});

test("of more than a hundred at once, the newest hundred come, and how many were skipped", async () => {
  const owner = await createOwner();
  await grantMany(owner.pointSystemId, 250);
  const { batches, points } = follow(owner, 0);
  await vi.waitFor(() => expect(batches).toHaveLength(1), WITHIN);
  expect(points()).toEqual(Array.from({ length: 100 }, (_, i) => 250 - i));
  expect(batches[0]?.skipped).toBe(150);
});

test("neither corrections nor what they take back come", async () => {
  const owner = await createOwner();
  const address = createAddress();
  await grantPoints(owner, { address, points: 5, note: null });
  const { activity } = await listActivity(owner.pointSystemId, null, { page: 1, limit: 1 });
  await voidById(owner, activity[0]?.id ?? "", null);
  const { points } = follow(owner, 0);
  await grantPoints(owner, { address, points: 6, note: null });
  await vi.waitFor(() => expect(points()).toEqual([6]), WITHIN);
});

test("who left gets nothing more, and is not told of an end", async () => {
  const owner = await createOwner();
  const [left, stays] = [follow(owner, 0), follow(owner, 0)];
  left.leave();
  await grantPoints(owner, { address: createAddress(), points: 5, note: null });
  await vi.waitFor(() => expect(stays.points()).toEqual([5]), WITHIN);
  expect(left.points()).toEqual([]);
  expect(left.onEnd).not.toHaveBeenCalled();
});

test("an operator follows five times at most, all together two hundred times", async () => {
  const owner = await createOwner();
  const refusal = { code: "service_unavailable", details: { retryAfterSeconds: 30 } };
  const followers = Array.from({ length: 5 }, () => follow(owner, 0));
  expect(() => follow(owner, 0)).toThrow(expect.objectContaining(refusal));
  followers[0]?.leave();
  follow(owner, 0);
  const someone = (n: number): Member => ({
    ...owner,
    actor: { ...owner.actor, operatorId: randomUUID(), ip: `198.51.100.${n % 10}` },
  });
  for (let n = 0; n < 195; n += 1) follow(someone(n), 0);
  expect(() => follow(someone(0), 0)).toThrow(expect.objectContaining(refusal));
});

test("a feed ends after ten minutes, or at the minute's check when its follower is not welcome", async () => {
  const owner = await createOwner();
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
  const welcome = follow(owner, 0);
  const unwelcome = follow(owner, 0, async () => false);
  const unsure = follow(owner, 0, async () => {
    throw new Error("The database is away");
  });
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(unwelcome.onEnd).toHaveBeenCalledTimes(1));
  expect(welcome.onEnd).not.toHaveBeenCalled();
  expect(unsure.onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(9 * 60_000);
  expect(welcome.onEnd).toHaveBeenCalledTimes(1);
  expect(unsure.onEnd).toHaveBeenCalledTimes(1);
  expect(unwelcome.onEnd).toHaveBeenCalledTimes(1);
});

test("who signed out, or is no member any more, is not welcome", async () => {
  const owner = await createOwner();
  const member = await createMember(owner, "viewer");
  const signIn = async (operatorId: string) => {
    const cookie = await startSession(
      { id: operatorId },
      { cookies: "", ip: "192.0.2.7", userAgent: "" },
      ORIGIN,
    );
    return { cookies: cookie.split(";")[0] ?? "", appOrigin: ORIGIN };
  };
  const [ownersBrowser, membersBrowser] = [
    await signIn(owner.actor.operatorId),
    await signIn(member.actor.operatorId),
  ];
  expect(await isStillWelcome(owner, ownersBrowser)).toBe(true);
  expect(await isStillWelcome(member, membersBrowser)).toBe(true);
  await withDatabase((db) => db.delete(pointSystemMembers));
  expect(await isStillWelcome(member, membersBrowser)).toBe(false);
  await endSession(ownersBrowser.cookies, ORIGIN);
  expect(await isStillWelcome(owner, ownersBrowser)).toBe(false);
  expect(await isStillWelcome(owner, { cookies: "", appOrigin: ORIGIN })).toBe(false);
});

// This test is last: no feed can be followed after it.
test("closing ends every feed once, and none begins after it", async () => {
  const owner = await createOwner();
  const followers = [follow(owner, 0), follow(await createOwner(), 0)];
  closeLiveStreams();
  closeLiveStreams();
  for (const { onEnd } of followers) expect(onEnd).toHaveBeenCalledTimes(1);
  expect(() => follow(owner, 0)).toThrow(expect.objectContaining({ code: "service_unavailable" }));
});
