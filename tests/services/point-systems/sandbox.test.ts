import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { boardDays } from "../../../app/db/schema/boards";
import { airdrops, rewards } from "../../../app/db/schema/rewards";
import { isApiKeyToken, SANDBOX_KEY_PREFIX } from "../../../app/domain/access/api-key";
import { getMember, type Member } from "../../../app/services/access/members";
import { listApiKeys } from "../../../app/services/api-keys/api-keys";
import { createBoard } from "../../../app/services/board/boards";
import { addWalletNote, listWalletNotes } from "../../../app/services/board/wallet-notes";
import { createDraft } from "../../../app/services/campaigns/steps";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { clearBatch, clearSandbox } from "../../../app/services/point-systems/clear";
import {
  createPointSystem,
  deletePointSystem,
  getPointSystem,
  updatePointSystem,
} from "../../../app/services/point-systems/point-systems";
import { getPublicPointSystem } from "../../../app/services/point-systems/public-point-system";
import { queueAbandonedRemovals } from "../../../app/services/point-systems/purge";
import { createTrigger } from "../../../app/services/point-systems/triggers";
import { createStreak } from "../../../app/services/progress/streaks";
import { runQueuedJob } from "../../../app/services/runtime/job-queue";
import { call } from "../../support/call";
import { dumpDatabase } from "../../support/fixture-file";
import { callManage, createKey } from "../../support/manage";
import { createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { changeUnguarded, other, waitForLocks } from "../../support/test-database";

/** Creates a sandbox with a trigger, beside the live point system of its owner. */
async function sandboxScene() {
  const live = await createOwner();
  const { id } = await createPointSystem(live.actor, { name: "Try", slug: null, isSandbox: true });
  const owner: Member<"owner"> = await getMember(live.actor, id, "owner");
  const trigger = { key: "login", name: "Login", points: 5, variable: null };
  await createTrigger(owner, trigger);
  await createTrigger(live, trigger);
  const keys = {
    sandbox: (await createKey(owner, "all", [id])).token,
    live: (await createKey(owner, "all", [live.pointSystemId])).token,
  };
  const fire = (token: string, pointSystemId: string, walletAddress: string, more = {}) =>
    call("/trigger", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        ...more,
      },
      body: JSON.stringify({ triggerKey: "login", walletAddress, pointSystemId }),
    });
  return { live, owner, id, keys, fire };
}

test("a key of a sandbox begins with its own prefix, within the form of all keys", async () => {
  const { owner, keys } = await sandboxScene();
  expect(keys.sandbox.startsWith(SANDBOX_KEY_PREFIX)).toBe(true);
  expect(keys.live.startsWith(SANDBOX_KEY_PREFIX)).toBe(false);
  for (const token of Object.values(keys)) expect(isApiKeyToken(token)).toBe(true);
  const kinds = (await listApiKeys(owner.actor.operatorId)).map(({ isSandbox }) => isSandbox);
  expect(kinds.toSorted()).toEqual([false, true]);
});

test("a key reaches sandboxes alone or none, for the service and for the database", async () => {
  const { live, owner, id, keys, fire } = await sandboxScene();
  const both = createKey(owner, "all", [id, live.pointSystemId]);
  await expect(both).rejects.toMatchObject({ code: "sandbox_mixed" });
  const wallet = createAddress();
  expect((await fire(keys.sandbox, id, wallet)).status).toBe(200);
  expect((await fire(keys.live, live.pointSystemId, wallet)).status).toBe(200);
  expect((await fire(keys.sandbox, live.pointSystemId, wallet)).status).toBe(403);
  expect((await fire(keys.live, id, wallet)).status).toBe(403);
  const [key] = (await listApiKeys(owner.actor.operatorId)).filter(({ isSandbox }) => !isSandbox);
  const mix = withDatabase((db) =>
    db.execute(sql`insert into api_key_point_systems values (${key?.id}, ${id})`),
  );
  await expect(mix).rejects.toMatchObject({ cause: { code: "23001" } });
});

test.each(["point_systems", "api_keys"])(
  "what is a sandbox stays one, and nothing becomes one: %s",
  async (table) => {
    await sandboxScene();
    for (const kind of [true, false]) {
      const change = withDatabase((db) =>
        db.execute(sql`
          update ${sql.identifier(table)} set is_sandbox = not is_sandbox
          where id = (select id from ${sql.identifier(table)} where is_sandbox = ${kind} limit 1)`),
      );
      await expect(change).rejects.toMatchObject({ cause: { code: "23001" } });
    }
  },
);

test("a sandbox has no public pages: neither by its id nor by a slug, which it cannot have", async () => {
  const { live, owner, id } = await sandboxScene();
  await expect(getPublicPointSystem(id)).rejects.toMatchObject({ code: "not_found" });
  expect(await getPublicPointSystem(live.pointSystemId)).toMatchObject({ slug: null });
  const slug = `try-${randomUUID().slice(0, 8)}`;
  const refusal = { code: "sandbox_not_public" };
  await expect(updatePointSystem(owner, { name: "Try", slug })).rejects.toMatchObject(refusal);
  const fields = { name: "Other", slug, isSandbox: true };
  await expect(createPointSystem(owner.actor, fields)).rejects.toMatchObject(refusal);
});

const draft = (chainId: 8453 | 84532) => ({
  campaignName: "Season",
  tokenType: "ethereum" as const,
  chainId,
  tokenAddress: null,
  typedSymbol: "",
  typedDecimals: null,
  totalAmount: "1",
  minPoints: 1,
  maxPoints: null,
  claimDeadline: null,
  deadlineTimeZone: null,
});

test("a campaign of a sandbox is on a test network only", async () => {
  const { live, owner } = await sandboxScene();
  await expect(createDraft(owner, draft(8453))).rejects.toMatchObject({
    code: "sandbox_needs_testnet",
    details: { field: "chainId" },
  });
  await createDraft(owner, draft(84532));
  await createDraft(live, draft(8453));
});

test("a key that manages makes point systems of its own kind, and clears a sandbox", async () => {
  const { live, owner, id } = await sandboxScene();
  const sandboxKey = (await createKey(owner, "manage", [id])).token;
  const liveKey = (await createKey(live, "manage", [live.pointSystemId])).token;
  const make = (token: string, isSandbox?: boolean) =>
    callManage(token, "point-systems/create", { name: "Made", isSandbox });
  const made = await make(sandboxKey);
  const read = (token: string, pointSystemId: string) =>
    callManage(token, "point-system", { pointSystemId });
  expect(await read(sandboxKey, made.body.id)).toMatchObject({
    body: { isSandbox: true, isClearing: false },
  });
  expect((await make(sandboxKey, true)).status).toBe(200);
  expect(await read(liveKey, (await make(liveKey)).body.id)).toMatchObject({
    body: { isSandbox: false },
  });
  for (const refused of [await make(sandboxKey, false), await make(liveKey, true)]) {
    expect(refused).toMatchObject({ status: 409, body: { code: "sandbox_mixed" } });
  }
  const clear = (token: string, pointSystemId: string, name = "Try") =>
    callManage(token, "point-systems/clear", { pointSystemId, name });
  expect(await clear(sandboxKey, id, "Another")).toMatchObject({
    status: 400,
    body: { code: "confirmation_wrong" },
  });
  expect(await clear(sandboxKey, id)).toMatchObject({ status: 200, body: { isDone: true } });
  expect(await clear(liveKey, live.pointSystemId)).toMatchObject({
    status: 409,
    body: { code: "sandbox_needed" },
  });
  expect((await clear(liveKey, id)).status).toBe(403);
});

test("clearing wants the name, and is refused for what is no sandbox", async () => {
  const { live, owner, id, keys, fire } = await sandboxScene();
  await fire(keys.sandbox, id, createAddress());
  await expect(clearSandbox(owner, "Another")).rejects.toMatchObject({
    code: "confirmation_wrong",
  });
  expect(await getPointSystem(owner)).toMatchObject({ wallets: 1, isClearing: false });
  await expect(clearSandbox(live, "Alpha")).rejects.toMatchObject({ code: "sandbox_needed" });
});

test("a cleared sandbox is as new, and no other point system has changed", async () => {
  const { live, owner, id, keys, fire } = await sandboxScene();
  const wallet = createAddress();
  const idempotency = { "Idempotency-Key": randomUUID() };
  await fire(keys.sandbox, id, wallet, idempotency);
  await fire(keys.sandbox, id, createAddress());
  await fire(keys.live, live.pointSystemId, wallet);
  await addToBlacklist(owner, [{ address: createAddress(), reason: null }]);
  await createBoard(owner, {
    kind: "weekly",
    name: "Week",
    timeZone: "UTC",
    isPublic: false,
    slug: null,
    season: null,
  });
  await fire(keys.sandbox, id, wallet);
  await withDatabase((db) =>
    db.insert(boardDays).values({
      pointSystemId: id,
      day: "2026-01-01",
      addresses: Buffer.from(wallet.slice(2), "hex"),
    }),
  );
  await addWalletNote(owner, { address: wallet, note: "Asked for help", id: randomUUID() });
  const gone = await createDraft(owner, draft(84532));
  const onChain = await createDraft(owner, draft(84532));
  await withDatabase(async (db) => {
    await db.update(rewards).set({ status: "distributed" }).where(eq(rewards.id, onChain.id));
    await db.insert(airdrops).values({
      pointSystemId: id,
      rewardId: onChain.id,
      chainId: 84532,
      status: "active",
      contractAddress: createAddress(),
      onchainId: 1n,
    });
  });
  const others = async () =>
    Object.entries(await dumpDatabase())
      .filter(([name]) => name !== "jobs")
      .map(([name, rows]) => [
        name,
        (rows as unknown[]).filter((row) => JSON.stringify(row).includes(live.pointSystemId)),
      ]);
  const before = await others();

  expect(await clearSandbox(owner, " Try ")).toEqual({ name: "Try", isDone: true });

  expect(await others()).toEqual(before);
  expect(await getPointSystem(owner)).toMatchObject({
    wallets: 0,
    events: 0,
    blacklistedWallets: 0,
    isClearing: false,
  });
  const left = await withDatabase((db) =>
    db.select({ id: rewards.id }).from(rewards).where(eq(rewards.pointSystemId, id)),
  );
  expect(left).toEqual([{ id: onChain.id }]);
  expect(left).not.toContainEqual({ id: gone.id });
  const days = await withDatabase((db) => db.$count(boardDays, eq(boardDays.pointSystemId, id)));
  expect(days).toBe(0);
  expect(await listWalletNotes(owner, wallet)).toEqual([]);
  const { differences } = await verifyLedger();
  expect(differences.filter(({ pointSystemId }) => pointSystemId === id)).toEqual([]);

  // The setup is there, and no repeated call is one of before.
  const again = await fire(keys.sandbox, id, wallet, idempotency);
  expect(again).toMatchObject({ status: 200, body: { pointsAdded: 5 } });
  const query = new URLSearchParams({ pointSystemId: id, address: wallet });
  const standing = await call(`/wallet?${query}`, {
    headers: { Authorization: `Bearer ${keys.sandbox}` },
  });
  expect(standing.body).toMatchObject({ points: 5, rank: 1 });
  const after = await verifyLedger();
  expect(after.differences.filter(({ pointSystemId }) => pointSystemId === id)).toEqual([]);
});

test("a clearing waits for days of a streak that are being counted, which would come back behind it", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  await createStreak(owner, {
    ...{ key: "daily", name: "Daily", triggerKeys: null, timeZone: "UTC", bonuses: [] },
  });
  const wallet = createAddress();
  await fire(keys.sandbox, id, wallet);
  let clearing: Promise<unknown> | undefined;
  await other.begin(async (tx) => {
    expect(
      await tx`select fold_streak(point_system_id, id, 100) from streaks where point_system_id = ${id}`,
    ).toMatchObject([{ fold_streak: 1 }]);
    clearing = clearSandbox(owner, "Try");
    await waitForLocks();
  });
  expect(await clearing).toEqual({ name: "Try", isDone: true });
  expect(await other`select day from streak_days where point_system_id = ${id}`).toEqual([]);
});

test("a clearing beyond one batch is carried on where it was left, and repeats nothing", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  await withDatabase((db) =>
    db.execute(sql`
      insert into blacklist (point_system_id, address)
      select ${id}, decode(lpad(to_hex(n), 40, '0'), 'hex') from generate_series(1, 4500) n`),
  );
  await withDatabase((db) =>
    db.execute(sql`update point_systems set clearing_since = now() where id = ${id}`),
  );
  expect(await getPointSystem(owner)).toMatchObject({ isClearing: true });
  while (await clearBatch(id));
  const [rows] = await withDatabase((db) =>
    db.execute(sql`select count(*)::int as n from blacklist where point_system_id = ${id}`),
  );
  expect(rows).toEqual({ n: 0 });
  await fire(keys.sandbox, id, createAddress());
  while (await clearBatch(id));
  expect(await getPointSystem(owner)).toMatchObject({ wallets: 1, isClearing: false });
});

test("a clearing waits for no idempotency record, whosever it is", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  await fire(keys.sandbox, id, createAddress(), { "Idempotency-Key": randomUUID() });
  await other.begin(async (tx) => {
    await tx`lock table idempotency_records, idempotency_records_before in access exclusive mode`;
    expect(await clearSandbox(owner, "Try")).toMatchObject({ isDone: true });
  });
  expect(await getPointSystem(owner)).toMatchObject({ events: 0, isClearing: false });
});

test("a clearing also removes rows of a board's window that came before the place where it goes on", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  await createBoard(owner, {
    ...{ kind: "weekly", slug: null, name: "Week", timeZone: "UTC", isPublic: true, season: null },
  });
  await fire(keys.sandbox, id, createAddress());
  const windows = await other`select id from board_windows where point_system_id = ${id}`;
  const ids = [id, ...windows.map((window) => window.id)];
  expect(ids.length).toBe(2);
  await other`update point_systems set clearing_since = now() where id = ${id}`;
  const last = JSON.stringify(["ffffffff-ffff-ffff-ffff-ffffffffffff", "\\xff"]);
  let rest = await clearBatch(id, { table: "wallets", after: last });
  while (rest) rest = await clearBatch(id, rest);
  const left = await other`
    select point_system_id from wallets where point_system_id = any(${ids})
    union all select point_system_id from board_windows where point_system_id = ${id}`;
  expect(left).toEqual([]);
});

test("a clearing waits but shortly for a board that is being filled, and ends once it can", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  await createBoard(owner, {
    ...{ kind: "weekly", slug: null, name: "Week", timeZone: "UTC", isPublic: true, season: null },
  });
  await fire(keys.sandbox, id, createAddress());
  await other`update board_windows set is_ready = false where point_system_id = ${id}`;
  await other.begin(async (filling) => {
    await filling`select from board_windows where point_system_id = ${id} for update`;
    const startedAt = performance.now();
    expect(await clearSandbox(owner, "Try")).toMatchObject({ isDone: false });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
  for (let rest = await clearBatch(id); rest; rest = await clearBatch(id, rest));
  expect(await getPointSystem(owner)).toMatchObject({ events: 0, isClearing: false });
});

test("a clearing whose job was given up is taken up again, unless its sandbox was deleted", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  const gone = await sandboxScene();
  await fire(keys.sandbox, id, createAddress());
  await other`update point_systems set clearing_since = now() where id in (${id}, ${gone.id})`;
  await deletePointSystem(gone.owner, "Try");
  expect(await clearBatch(gone.id)).toBeNull();
  await queueAbandonedRemovals();
  await queueAbandonedRemovals();
  const taken: unknown[] = [];
  const run = async (data: unknown) => {
    taken.push(data);
    while (await clearBatch((data as { pointSystemId: string }).pointSystemId));
  };
  const context = { signal: new AbortController().signal, report: () => {} };
  while (await runQueuedJob("clear-sandbox", run, context));
  expect(taken).toContainEqual({ pointSystemId: id });
  expect(taken).not.toContainEqual({ pointSystemId: gone.id });
  expect(await getPointSystem(owner)).toMatchObject({ events: 0, isClearing: false });
});

test("a key that was used before or during a clearing credits once more after it, and then repeats", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  const wallet = createAddress();
  const [before, during] = [{ "Idempotency-Key": "before" }, { "Idempotency-Key": "during" }];
  const replays = async (key: object) => {
    const answer = await fire(keys.sandbox, id, wallet, key);
    expect(answer).toMatchObject({ status: 200, body: { pointsAdded: 5 } });
    return answer.headers.get("Idempotent-Replayed");
  };
  expect(await replays(before)).toBeNull();
  await other`update point_systems set clearing_since = now() where id = ${id}`;
  expect(await replays(during)).toBeNull();
  while (await clearBatch(id));
  for (const key of [before, during]) {
    expect([await replays(key), await replays(key)]).toEqual([null, "true"]);
  }
  expect(await getPointSystem(owner)).toMatchObject({ wallets: 1, events: 2 });
});

test("a call of a live point system repeats though its event is in an archive alone", async () => {
  const { live, keys, fire } = await sandboxScene();
  const { pointSystemId } = live;
  const credit = () => fire(keys.live, pointSystemId, wallet, { "Idempotency-Key": "archived" });
  const wallet = createAddress();
  await credit();
  await changeUnguarded(async (tx) => {
    await tx`delete from point_events where point_system_id = ${pointSystemId}`;
    await tx`
      update point_system_totals set archived_before = now() + interval '1 minute'
      where point_system_id = ${pointSystemId}`;
  });
  expect((await credit()).headers.get("Idempotent-Replayed")).toBe("true");
});

test("credits during a clearing stay whole or are removed whole, and those after its end are there", async () => {
  const { owner, id, keys, fire } = await sandboxScene();
  await withDatabase((db) =>
    db.execute(sql`
      insert into blacklist (point_system_id, address)
      select ${id}, decode(lpad(to_hex(n), 40, '0'), 'hex') from generate_series(1, 9000) n`),
  );
  let isCleared = false;
  const late: string[] = [];
  const credit = async () => {
    for (let i = 0; i < 15 || late.length < 20; i += 1) {
      const wallet = createAddress();
      const isLate = isCleared;
      expect(await fire(keys.sandbox, id, wallet)).toMatchObject({ status: 200 });
      if (isLate) late.push(wallet);
    }
  };
  const clear = async () => {
    expect(await clearSandbox(owner, "Try")).toMatchObject({ isDone: true });
    isCleared = true;
  };
  await Promise.all([credit(), credit(), credit(), clear()]);

  const { differences } = await verifyLedger();
  expect(differences.filter(({ pointSystemId }) => pointSystemId === id)).toEqual([]);
  expect(await getPointSystem(owner)).toMatchObject({ blacklistedWallets: 0, isClearing: false });
  for (const wallet of late) {
    const query = new URLSearchParams({ pointSystemId: id, address: wallet });
    const headers = { Authorization: `Bearer ${keys.sandbox}` };
    expect((await call(`/wallet?${query}`, { headers })).body).toMatchObject({ points: 5 });
  }
});
