import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { generateApiKeyToken } from "../../app/domain/access/api-key";
import { parseCursor } from "../../app/domain/cursor";
import type { RequestFilter } from "../../app/domain/insights/logged-call";
import { parseUuid } from "../../app/domain/uuid";
import {
  flushRequestLog,
  listRequests,
  noteCall,
  removeOldRequests,
  setRequestLog,
} from "../../app/services/insights/request-log";
import { type Answer, call } from "../support/call";
import { createAddress, scene } from "../support/scene";

const ANY: RequestFilter = { requestId: null, endpoint: null, apiKeyId: null, code: null };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

// Calls of other tests take no room from this one's.
beforeEach(() => flushRequestLog());

/** Lists what a member of a point system sees, once all is written. */
async function readLog(pointSystemId: string, filter: Partial<RequestFilter> = {}) {
  await flushRequestLog();
  // Listing reads the point system of the member, and nothing else.
  const member = { pointSystemId } as Parameters<typeof listRequests>[0];
  return (await listRequests(member, { ...ANY, ...filter }, null)).rows;
}

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

test("a refused call is in the log of the point system that it names, with endpoint, code, key and time", async () => {
  const { pointSystemId, fire, get } = await scene();
  const address = createAddress();
  const startedAt = performance.now();
  await fire({ triggerKey: "none" });
  await get("/wallet", { address });
  const bothTookMs = Math.ceil(performance.now() - startedAt);
  const rows = await readLog(pointSystemId);
  expect(rows.map(({ endpoint, status, code }) => [endpoint, status, code]).toSorted()).toEqual([
    ["trigger", 404, "trigger_not_found"],
    ["wallet", 404, "wallet_not_found"],
  ]);
  for (const { keyName, tookMs, answeredAt } of rows) {
    expect(keyName).toBe("backend");
    expect(tookMs).toBeLessThanOrEqual(bothTookMs);
    expect(Math.abs(Date.now() - answeredAt.getTime())).toBeLessThan(600_000);
  }
});

test("a call that was refused before its input was read is in the log too, also by its key alone", async () => {
  const { pointSystemId, token, get } = await scene();
  await get("/wallet", {}, bearer(generateApiKeyToken()));
  await call("/points?address=0x1", { headers: bearer(token) });
  await call("/wallet", { headers: bearer(token) });
  const rows = await readLog(pointSystemId);
  expect(rows.map(({ endpoint, code, keyName }) => [endpoint, code, keyName]).toSorted()).toEqual([
    ["points", "invalid_address_or_ens", "backend"],
    ["wallet", "invalid_api_key", null],
    ["wallet", "missing_parameter", "backend"],
  ]);
});

test("a request id finds its call, in its own point system only", async () => {
  const { pointSystemId, get } = await scene();
  const other = await scene();
  for (let i = 0; i < 3; i += 1) await get("/wallet", { address: createAddress() });
  const [, wanted] = await readLog(pointSystemId);
  const requestId = wanted?.requestId ?? "";
  expect(await readLog(pointSystemId, { requestId })).toEqual([wanted]);
  expect(await readLog(other.pointSystemId, { requestId })).toEqual([]);
  expect(await readLog(pointSystemId, { requestId: randomUUID() })).toEqual([]);
});

test("filters by endpoint, code, key and refusal apply together", async () => {
  const { pointSystemId, fire, get, addKey } = await scene();
  const other = await addKey("all", [pointSystemId]);
  await fire();
  await fire({ triggerKey: "none" });
  await fire({ triggerKey: "none" }, bearer(other));
  await get("/wallet", { address: createAddress() });
  const all = await readLog(pointSystemId);
  expect(all).toHaveLength(4);
  const otherKeyId = all.find(({ keyName }) => keyName === "other")?.apiKeyId ?? "";
  const count = async (filter: Partial<RequestFilter>) =>
    (await readLog(pointSystemId, filter)).length;
  expect(await count({ endpoint: "trigger" })).toBe(3);
  expect(await count({ code: "trigger_not_found" })).toBe(2);
  expect(await count({ code: "refused" })).toBe(3);
  expect(await count({ apiKeyId: otherKeyId })).toBe(1);
  expect(await count({ apiKeyId: otherKeyId, endpoint: "wallet" })).toBe(0);
});

test("a rare answer among many calls is searched for in steps that each read a bounded number of them", async () => {
  const { pointSystemId } = await scene();
  const member = { pointSystemId } as Parameters<typeof listRequests>[0];
  await withDatabase((db) =>
    db.execute(sql`
      insert into request_log (point_system_id, id, request_id, answered_at, endpoint, status, code, took_ms)
      select ${pointSystemId}::uuid, gen_random_uuid(), 'r' || n, now() - n * interval '1 s', 'trigger', 403,
        case when n in (5, 25000) then 'blacklisted_wallet' else 'trigger_inactive' end, 1
      from generate_series(1, 30000) n`),
  );
  const list = (side: "older" | "newer", place: string | null) =>
    listRequests(
      member,
      { ...ANY, code: "blacklisted_wallet" },
      place === null ? null : parseCursor(place, side, parseUuid),
    );
  const first = await list("older", null);
  expect(first).toMatchObject({ rows: [{ requestId: "r5" }], newer: null, cutShortAt: "older" });
  const second = await list("older", first.older);
  expect(second).toMatchObject({ rows: [{ requestId: "r25000" }], older: null, cutShortAt: null });
  const back = await list("newer", second.newer);
  expect(back).toMatchObject({ rows: [], cutShortAt: "newer" });
  expect(await list("newer", back.newer)).toEqual(first);
  expect((await readLog(pointSystemId, { requestId: "r29999" })).length).toBe(1);
  expect((await listRequests(member, ANY, null)).cutShortAt).toBe(null);
});

test("a point system sees no key of others: a call out of scope has none", async () => {
  const { pointSystemId } = await scene();
  const stranger = await scene();
  const answer = await call(`/leaderboard?pointSystemId=${pointSystemId}`, {
    headers: bearer(stranger.token),
  });
  expect(answer.status).toBe(403);
  expect(await readLog(pointSystemId)).toMatchObject([
    { code: "point_system_out_of_scope", apiKeyId: null, keyName: null },
  ]);
  expect(await readLog(stranger.pointSystemId)).toEqual([]);
});

test("of calls that succeed, a sample of five is kept between two writes", async () => {
  const { pointSystemId, get } = await scene();
  const answers = await Promise.all(Array.from({ length: 20 }, () => get("/leaderboard")));
  expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
  expect(await readLog(pointSystemId)).toHaveLength(5);
});

/** Notes calls as the endpoints do. */
const note = (count: number, changes: Partial<Parameters<typeof noteCall>[0]>) => {
  for (let i = 0; i < count; i += 1) {
    noteCall({
      ...{ requestId: randomUUID(), endpoint: "wallet", status: 401, code: "missing_api_key" },
      ...{ pointSystemId: null, tokenHash: null, tookMs: 1, ...changes },
    });
  }
};
const countRows = async (pointSystemId: string) => {
  await flushRequestLog();
  const [row] = await withDatabase((db) =>
    db.execute<{ rows: number }>(
      sql`select count(*)::int as rows from request_log where point_system_id = ${pointSystemId}`,
    ),
  );
  return row?.rows;
};

test("a flood of refused calls is bounded for each point system, and strangers displace no caller with a key", async () => {
  const { pointSystemId } = await scene();
  const tokenHash = Buffer.alloc(32, 7);
  note(1_000, { pointSystemId });
  note(1_000, { pointSystemId, tokenHash, code: "invalid_api_key" });
  for (let i = 0; i < 5_000; i += 1) note(1, { pointSystemId: randomUUID() });
  note(1_000, { pointSystemId, tokenHash, status: 404, code: "wallet_not_found" });
  expect(await countRows(pointSystemId)).toBe(25 + 250);
});

test("a call of a point system that does not exist is not written", async () => {
  const { pointSystemId } = await scene();
  note(1, { pointSystemId: randomUUID() });
  note(1, { pointSystemId });
  expect(await countRows(pointSystemId)).toBe(1);
});

test("calls to which their caller gave one request id are all found by it", async () => {
  const { pointSystemId } = await scene();
  note(2, { pointSystemId, requestId: "job-7/credit" });
  note(1, { pointSystemId });
  expect(await readLog(pointSystemId, { requestId: "job-7/credit" })).toMatchObject([
    { requestId: "job-7/credit" },
    { requestId: "job-7/credit" },
  ]);
});

test("switched off, nothing is kept", async () => {
  const { pointSystemId } = await scene();
  setRequestLog(false);
  try {
    note(3, { pointSystemId });
  } finally {
    setRequestLog(true);
  }
  expect(await countRows(pointSystemId)).toBe(0);
});

test("calls are removed once they are a week old, and not before", async () => {
  const { pointSystemId } = await scene();
  note(3, { pointSystemId });
  expect(await countRows(pointSystemId)).toBe(3);
  await withDatabase((db) =>
    db.execute(sql`
      update request_log set answered_at = clock_timestamp() - interval '7 days 1 minute'
      where ctid = (select ctid from request_log where point_system_id = ${pointSystemId} limit 1)`),
  );
  await withDatabase((db) =>
    db.execute(sql`
      update request_log set answered_at = clock_timestamp() - interval '6 days 23 hours'
      where ctid = (
        select ctid from request_log where point_system_id = ${pointSystemId}
          and answered_at > clock_timestamp() - interval '1 day' limit 1)`),
  );
  while (await removeOldRequests());
  expect(await countRows(pointSystemId)).toBe(2);
});

test("the log holds no address, body or token", async () => {
  const { pointSystemId, token, wallet, fire } = await scene();
  await fire({ triggerKey: "none", note: "private" });
  await readLog(pointSystemId);
  const rows = await withDatabase((db) =>
    db.execute(
      sql`select l::text as row from request_log l where point_system_id = ${pointSystemId}`,
    ),
  );
  const text = JSON.stringify(rows);
  for (const secret of [token, wallet, wallet.slice(2), "private"])
    expect(text).not.toContain(secret);
});
