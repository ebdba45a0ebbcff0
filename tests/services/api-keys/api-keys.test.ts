import { createHash, randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { apiKeys } from "../../../app/db/schema/api-keys";
import { getApiKeyHint, hashApiKeyToken, isApiKeyToken } from "../../../app/domain/access/api-key";
import { flushApiKeyUses, noteApiKeyUse } from "../../../app/services/access/api-key-usage";
import { listAccountAudit, listPointSystemAudit } from "../../../app/services/access/audit-log";
import type { Actor, Member } from "../../../app/services/access/members";
import {
  API_KEYS_MAX,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  type NewApiKey,
} from "../../../app/services/api-keys/api-keys";
import {
  listColleagueKeys,
  removeColleagueKey,
} from "../../../app/services/api-keys/colleague-keys";
import { createTrigger } from "../../../app/services/point-systems/triggers";
import { call } from "../../support/call";
import { dumpDatabase } from "../../support/fixture-file";
import {
  codeOf,
  createMember,
  createOperator,
  createOwner,
  createPointSystem,
  failureOf,
  tally,
  toActor,
} from "../../support/operators";
import { createAddress } from "../../support/scene";

const NO_FILTER = { action: null, actor: null, beforeId: null };
const WALLET = createAddress();

function fieldsOf(member: Member, fields: Partial<NewApiKey> = {}): NewApiKey {
  return {
    id: randomUUID(),
    name: "backend",
    permission: "all",
    pointSystemIds: [member.pointSystemId],
    expiresAt: null,
    ...fields,
  };
}

/** Creates a point system with a trigger and a wallet, and a key with all permissions in it. */
async function createKeyed(fields: Partial<NewApiKey> = {}) {
  const owner = await createOwner();
  await createTrigger(owner, { key: "daily", name: "Daily", points: 10, variable: null });
  const wanted = fieldsOf(owner, fields);
  const { token } = await createApiKey(owner.actor, wanted);
  return { owner, token, id: wanted.id };
}

/** Calls each keyed endpoint once and returns the statuses. */
async function callAll(pointSystemId: string, token: string): Promise<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ triggerKey: "daily", walletAddress: WALLET, pointSystemId });
  const query = `pointSystemId=${pointSystemId}&address=${WALLET}`;
  const answers = {
    trigger: await call("/trigger", { method: "POST", headers, body }),
    wallet: await call(`/wallet?${query}`, { headers }),
    leaderboard: await call(`/leaderboard?${query}`, { headers }),
    activity: await call(`/activity?${query}`, { headers }),
  };
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, answer.body.error ?? answer.status]),
  );
}

const onAll = (answer: unknown) => ({
  trigger: answer,
  wallet: answer,
  leaderboard: answer,
  activity: answer,
});

const readLastUse = async (id: string) =>
  (
    await withDatabase((db) =>
      db.select({ lastUsedAt: apiKeys.lastUsedAt }).from(apiKeys).where(eq(apiKeys.id, id)),
    )
  )[0]?.lastUsedAt;

test("a new key works at once, within its scope; the list shows what it is but not the key", async () => {
  const { owner, token, id } = await createKeyed();
  expect(isApiKeyToken(token)).toBe(true);
  expect(await callAll(owner.pointSystemId, token)).toEqual(onAll(200));
  const other = await createOwner();
  expect(await callAll(other.pointSystemId, token)).toEqual(
    onAll("This API key does not have access to the specified point system"),
  );
  const keys = await listApiKeys(owner.actor.operatorId);
  expect(keys).toMatchObject([
    {
      id,
      name: "backend",
      permission: "all",
      hint: getApiKeyHint(hashApiKeyToken(token)),
      lastUsedAt: null,
      expiresAt: null,
      pointSystems: [{ id: owner.pointSystemId, name: "Alpha" }],
    },
  ]);
  expect(JSON.stringify(keys)).not.toContain(token);
});

test("a key is kept only as a SHA-256 hash: nothing of it can be found, and its hint is the hash's", async () => {
  const { owner, token, id } = await createKeyed();
  const [key] = await listApiKeys(owner.actor.operatorId);
  const hash = createHash("sha256").update(token).digest("hex");
  expect(key?.hint).toBe(hash.slice(0, 6));
  await deleteApiKey(owner.actor, id);
  const { entries } = await listAccountAudit(owner.actor.operatorId, NO_FILTER);
  const kept = [key, ...entries].map((entry) => Object.values({ ...entry, id: "" }));
  const texts = JSON.stringify(kept).match(/[0-9a-f]{4,}/g) ?? [];
  // Only whole words count: a UUID may hold any four characters.
  expect(texts).not.toContain(token.slice(-4));
  const columns = await withDatabase((db) =>
    db.execute<{ column_name: string }>(
      sql`select column_name from information_schema.columns where table_name = 'api_keys'`,
    ),
  );
  expect(columns.map(({ column_name: name }) => name)).not.toContain("last_four");
});

test("the raw key is in no table, and neither it nor its hash is in the audit log", async () => {
  const { owner, token, id } = await createKeyed();
  await callAll(owner.pointSystemId, token);
  await deleteApiKey(owner.actor, id);
  const { audit_log: log, ...tables } = await dumpDatabase();
  const hash = hashApiKeyToken(token).toString("hex");
  const secret = token.slice(3);
  expect(JSON.stringify(tables)).not.toContain(secret);
  expect(JSON.stringify(log)).not.toContain(secret);
  expect(JSON.stringify(log)).not.toContain(hash);
});

test("a revoked key is refused by all four endpoints from then on", async () => {
  const { owner, token, id } = await createKeyed();
  expect(await callAll(owner.pointSystemId, token)).toEqual(onAll(200));
  expect(await deleteApiKey(owner.actor, id.toUpperCase())).toEqual({ name: "backend" });
  expect(await callAll(owner.pointSystemId, token)).toEqual(onAll("Invalid API key"));
  expect(await listApiKeys(owner.actor.operatorId)).toEqual([]);
});

test("a key that has expired is refused by all four endpoints, and one that will is not", async () => {
  const expired = await createKeyed({ expiresAt: new Date(Date.now() - 1_000) });
  const { pointSystemId } = expired.owner;
  expect(await callAll(pointSystemId, expired.token)).toEqual(onAll("Invalid API key"));
  const lasting = await createKeyed({ expiresAt: new Date(Date.now() + 3_600_000) });
  expect(await callAll(lasting.owner.pointSystemId, lasting.token)).toEqual(onAll(200));
});

test("a form that is sent again, or many times at once, makes one key", async () => {
  const owner = await createOwner();
  const fields = fieldsOf(owner);
  const senders = Array.from({ length: 8 }, () => createApiKey(owner.actor, fields));
  expect(await tally(senders)).toEqual({ succeeded: 1, api_key_exists: 7 });
  expect((await failureOf(createApiKey(owner.actor, fields))).code).toBe("api_key_exists");
  expect(await listApiKeys(owner.actor.operatorId)).toHaveLength(1);
});

test("an operator has as many keys as the list shows, and no more", async () => {
  const owner = await createOwner();
  const { operatorId } = owner.actor;
  const rows = Array.from({ length: API_KEYS_MAX - 1 }, () => ({
    operatorId,
    name: "filler",
    tokenHash: hashApiKeyToken(randomUUID()),
    permission: "read" as const,
  }));
  await withDatabase((db) => db.insert(apiKeys).values(rows));
  const makers = [1, 2, 3].map(() => createApiKey(owner.actor, fieldsOf(owner)));
  expect(await tally(makers)).toEqual({ succeeded: 1, too_many_api_keys: 2 });
});

test("a point system that is none of the operator's makes no key, nor one that they only see", async () => {
  const owner = await createOwner();
  const stranger = await createOwner();
  const viewer = await createMember(stranger, "viewer");
  const attempt = (actor: Actor, pointSystemIds: string[]) =>
    failureOf(createApiKey(actor, fieldsOf(owner, { pointSystemIds })));
  for (const foreign of [stranger.pointSystemId, randomUUID(), "nonsense", "\u0000"]) {
    const failure = await attempt(owner.actor, [owner.pointSystemId, foreign]);
    expect(failure.code).toBe("not_found");
  }
  expect((await attempt(viewer.actor, [stranger.pointSystemId])).code).toBe("role_missing");
  for (const { actor } of [owner, viewer]) {
    expect(await listApiKeys(actor.operatorId)).toEqual([]);
  }
});

test("an editor's key reaches the point systems that they own and those that they edit", async () => {
  const owner = await createOwner();
  const editor = await createMember(owner, "editor");
  await createTrigger(owner, { key: "daily", name: "Daily", points: 10, variable: null });
  const { token } = await createApiKey(editor.actor, fieldsOf(owner));
  expect(await callAll(owner.pointSystemId, token)).toEqual(onAll(200));
  expect(await listApiKeys(owner.actor.operatorId)).toEqual([]);
});

test("another operator's key is not found, and stays", async () => {
  const { owner, id, token } = await createKeyed();
  const stranger = toActor(await createOperator());
  for (const key of [id, randomUUID(), "nonsense"]) {
    expect((await failureOf(deleteApiKey(stranger, key))).code).toBe("not_found");
  }
  expect(await callAll(owner.pointSystemId, token)).toEqual(onAll(200));
});

test("each point system in scope learns of a key, and only its maker of the others", async () => {
  const owner = await createOwner();
  const second = await createOwner();
  const editor = await createMember(owner, "editor");
  const own = { ...second, actor: second.actor };
  const actor = own.actor;
  await withDatabase((db) =>
    db.execute(
      `insert into point_system_members (point_system_id, operator_id, role)
       values ('${owner.pointSystemId}', '${actor.operatorId}', 'editor')`,
    ),
  );
  const pointSystemIds = [owner.pointSystemId, own.pointSystemId].sort();
  const fields = fieldsOf(owner, { pointSystemIds });
  const { token } = await createApiKey(actor, fields);
  await deleteApiKey(actor, fields.id);
  const shown = { permission: "all", hint: getApiKeyHint(hashApiKeyToken(token)), expiresAt: null };
  for (const member of [editor, own]) {
    const { entries } = await listPointSystemAudit(member, NO_FILTER);
    expect(entries).toMatchObject([
      { action: "api_key.delete", subject: "backend", before: shown, after: null },
      { action: "api_key.create", subject: "backend", before: null, after: shown },
    ]);
    expect(entries[0]?.before).toEqual(shown);
  }
  const { entries } = await listAccountAudit(actor.operatorId, NO_FILTER);
  expect(entries).toMatchObject([
    { action: "api_key.delete", before: { ...shown, pointSystems: pointSystemIds } },
    { action: "api_key.create", after: { ...shown, pointSystems: pointSystemIds } },
  ]);
});

test("a credit and a read each write when the key was last used, newest wins", async () => {
  const credited = await createKeyed();
  const read = await createKeyed();
  const before = Date.now();
  const headers = { Authorization: `Bearer ${credited.token}`, "Content-Type": "application/json" };
  const { pointSystemId } = credited.owner;
  const body = JSON.stringify({ triggerKey: "daily", walletAddress: WALLET, pointSystemId });
  await call("/trigger", { method: "POST", headers, body });
  await call(`/leaderboard?pointSystemId=${read.owner.pointSystemId}`, {
    headers: { Authorization: `Bearer ${read.token}` },
  });
  expect(await readLastUse(credited.id)).toBeNull();
  await flushApiKeyUses();
  for (const { id } of [credited, read]) {
    const lastUsedAt = await readLastUse(id);
    expect(lastUsedAt?.getTime()).toBeGreaterThanOrEqual(before);
    noteApiKeyUse(id, before - 60_000);
    await flushApiKeyUses();
    expect(await readLastUse(id)).toEqual(lastUsedAt);
  }
});

test("a key that was deleted since its last use is no obstacle to the others", async () => {
  const gone = await createKeyed();
  const kept = await createKeyed();
  for (const { id } of [gone, kept]) noteApiKeyUse(id);
  await deleteApiKey(gone.owner.actor, gone.id);
  expect(await flushApiKeyUses()).toBe(false);
  expect(await readLastUse(kept.id)).toBeInstanceOf(Date);
});

test("members see the keys that others made for a shared point system, without the rest of their scope", async () => {
  const owner = await createOwner("Shared");
  const privateId = await createPointSystem(owner.actor.operatorId, "Private");
  const shared = fieldsOf(owner, {
    name: "shop backend",
    pointSystemIds: [owner.pointSystemId, privateId],
  });
  await createApiKey(owner.actor, shared);
  const privateOnly = fieldsOf(owner, { name: "hidden", pointSystemIds: [privateId] });
  await createApiKey(owner.actor, privateOnly);
  const editor = await createMember(owner, "editor");
  const own = fieldsOf(editor, { name: "the editor's" });
  await createApiKey(editor.actor, own);

  const seen = await listColleagueKeys(editor.actor.operatorId);
  expect(seen).toMatchObject([
    { id: shared.id, name: "shop backend", permission: "all", pointSystems: ["Shared"] },
  ]);
  expect(JSON.stringify(seen)).not.toMatch(/Private|hidden|rw_/);
  const ofOwner = await listColleagueKeys(owner.actor.operatorId);
  expect(ofOwner.map(({ id }) => id)).toEqual([own.id]);
  expect(await listColleagueKeys((await createOwner()).actor.operatorId)).toEqual([]);
});

test("an owner takes a colleague's key off the own point systems alone, and nobody else's", async () => {
  const owner = await createOwner("Shared");
  const editor = await createMember(owner, "editor");
  const viewer = await createMember(owner, "viewer");
  const otherId = await createPointSystem(editor.actor.operatorId, "Other");
  const key = fieldsOf(editor, { name: "shop", pointSystemIds: [owner.pointSystemId, otherId] });
  const { token } = await createApiKey(editor.actor, key);
  expect(await listColleagueKeys(owner.actor.operatorId)).toMatchObject([
    { id: key.id, ownedSystems: ["Shared"] },
  ]);
  expect(await listColleagueKeys(viewer.actor.operatorId)).toMatchObject([
    { id: key.id, ownedSystems: [] },
  ]);
  const stranger = await createOwner();
  for (const actor of [viewer.actor, stranger.actor]) {
    expect(await codeOf(removeColleagueKey(actor, key.id))).toBe("not_found");
  }
  expect(await codeOf(removeColleagueKey(owner.actor, "no id"))).toBe("not_found");
  expect(await removeColleagueKey(owner.actor, key.id)).toEqual({ name: "shop" });
  expect(await codeOf(removeColleagueKey(owner.actor, key.id))).toBe("not_found");
  const [left] = await listApiKeys(editor.actor.operatorId);
  expect(left?.pointSystems).toEqual([{ id: otherId, name: "Other" }]);
  const { entries } = await listPointSystemAudit(owner, NO_FILTER);
  expect(entries[0]).toMatchObject({ action: "api_key.remove", subject: "shop" });
  expect(JSON.stringify(entries)).not.toContain(token);
});
