import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { withDatabase } from "../../../app/db/client";
import {
  flushRefusedCalls,
  listRefusedCalls,
  noteRefusedCall,
  removeOldRefusedCalls,
} from "../../../app/services/insights/refused-calls";
import { createOwner } from "../../support/operators";

const HOUR_MS = 60 * 60 * 1_000;

afterEach(async () => {
  vi.useRealTimers();
  await flushRefusedCalls();
});

async function countRows(pointSystemId: string): Promise<number> {
  const [row] = await withDatabase((db) =>
    db.execute<{ rows: number }>(
      sql`select count(*)::int as rows from refused_calls where point_system_id = ${pointSystemId}`,
    ),
  );
  return row?.rows ?? 0;
}

/** Records a call as if it had been made some hours ago. */
async function noteAt(hoursAgo: number, pointSystemId: string): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - hoursAgo * HOUR_MS });
  noteRefusedCall(pointSystemId, "wallet_blacklisted");
  vi.useRealTimers();
  await flushRefusedCalls();
}

test("calls are counted by reason, over any number of flushes, the most frequent first", async () => {
  const owner = await createOwner();
  for (let i = 0; i < 3; i += 1) {
    noteRefusedCall(owner.pointSystemId, "rate_limit_exceeded");
    await flushRefusedCalls();
  }
  for (let i = 0; i < 5; i += 1) noteRefusedCall(owner.pointSystemId, "invalid_api_key");
  await Promise.all([flushRefusedCalls(), flushRefusedCalls()]);
  expect(await listRefusedCalls(owner, "24h")).toEqual([
    { code: "invalid_api_key", calls: 5 },
    { code: "rate_limit_exceeded", calls: 3 },
  ]);
  expect(await listRefusedCalls(await createOwner(), "30d")).toEqual([]);
});

test("an id that is no point system's, or a deleted one's, leaves nothing behind", async () => {
  const { pointSystemId: deleted } = await createOwner();
  await withDatabase((db) =>
    db.execute(sql`update point_systems set deleted_at = now() where id = ${deleted}`),
  );
  const made = randomUUID();
  for (const id of [made, deleted]) noteRefusedCall(id, "point_system_out_of_scope");
  await flushRefusedCalls();
  for (const id of [made, deleted]) expect(await countRows(id)).toBe(0);
});

test("made-up ids take the room of ten thousand counts and no more, until the next flush", async () => {
  const owner = await createOwner();
  for (let i = 0; i < 10_000; i += 1) noteRefusedCall(randomUUID(), "invalid_api_key");
  noteRefusedCall(owner.pointSystemId, "invalid_api_key");
  await flushRefusedCalls();
  expect(await listRefusedCalls(owner, "24h")).toEqual([]);
  noteRefusedCall(owner.pointSystemId, "invalid_api_key");
  await flushRefusedCalls();
  expect(await listRefusedCalls(owner, "24h")).toEqual([{ code: "invalid_api_key", calls: 1 }]);
});

test("each range has its own hours; after 31 days they are removed", async () => {
  const owner = await createOwner();
  for (const hoursAgo of [1, 25, 6 * 24, 8 * 24, 29 * 24, 40 * 24]) {
    await noteAt(hoursAgo, owner.pointSystemId);
  }
  const callsIn = async (range: "24h" | "7d" | "30d") =>
    (await listRefusedCalls(owner, range))[0]?.calls;
  expect(await callsIn("24h")).toBe(1);
  expect(await callsIn("7d")).toBe(3);
  expect(await callsIn("30d")).toBe(5);
  expect(await countRows(owner.pointSystemId)).toBe(6);
  while (await removeOldRefusedCalls());
  expect(await countRows(owner.pointSystemId)).toBe(5);
});

test("old counts go, however many an hour has", async () => {
  const { pointSystemId } = await createOwner();
  await withDatabase((db) =>
    db.execute(sql`
      insert into refused_calls (point_system_id, hour, code, calls)
      select ${pointSystemId}, date_trunc('hour', now()) - interval '32 days', 'code ' || n, 1
      from generate_series(1, 5001) n`),
  );
  expect(await removeOldRefusedCalls()).toBe(true);
  expect(await removeOldRefusedCalls()).toBe(false);
  expect(await countRows(pointSystemId)).toBe(0);
});

test("what could not be written is written by the next flush", async () => {
  const owner = await createOwner();
  noteRefusedCall(owner.pointSystemId, "trigger_inactive");
  await withDatabase((db) => db.execute(sql`alter table refused_calls rename to away`));
  await expect(flushRefusedCalls()).rejects.toThrow();
  await withDatabase((db) => db.execute(sql`alter table away rename to refused_calls`));
  noteRefusedCall(owner.pointSystemId, "trigger_inactive");
  await flushRefusedCalls();
  expect(await listRefusedCalls(owner, "24h")).toEqual([{ code: "trigger_inactive", calls: 2 }]);
});
