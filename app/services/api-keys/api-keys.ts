import { and, asc, count, desc, eq, isNull, type SQL } from "drizzle-orm";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { apiKeyPointSystems, apiKeys } from "../../db/schema/api-keys";
import { operators } from "../../db/schema/operators";
import { pointSystems } from "../../db/schema/point-systems";
import {
  generateApiKeyToken,
  getApiKeyHint,
  hashApiKeyToken,
  type Permission,
} from "../../domain/access/api-key";
import type { AuditAction } from "../../domain/access/audit";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { recordAudit } from "../access/audit-log";
import type { Actor, Member } from "../access/members";
import { requireOwnScope, requireScope } from "./scope";

/** An API key as the dashboard shows it: its scope and permission, not the raw key. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  /** Whether it reaches sandboxes, and only these. */
  readonly isSandbox: boolean;
  /** The first characters of the key's hash, by which people tell their keys apart. */
  readonly hint: string;
  readonly createdAt: Date;
  /** The time of the last use, written a few seconds after it. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  /** The point systems in its scope, by name. */
  readonly pointSystems: readonly { readonly id: string; readonly name: string }[];
}

export interface NewApiKey {
  /** A UUID that came with the form, so that a form that is sent twice makes one key. */
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  /** The ids of at least one point system, as the browser sent them. */
  readonly pointSystemIds: readonly string[];
  readonly expiresAt: Date | null;
}

/** The most keys of an operator: as many as the list shows at once. */
export const API_KEYS_MAX = 200;

/** Lists an operator's keys, newest first. */
export async function listApiKeys(operatorId: string): Promise<ApiKey[]> {
  return withDatabase(async (db) => {
    const keys = await db
      .select({
        id: apiKeys.id,
        name: apiKeys.name,
        permission: apiKeys.permission,
        isSandbox: apiKeys.isSandbox,
        tokenHash: apiKeys.tokenHash,
        createdAt: apiKeys.createdAt,
        lastUsedAt: apiKeys.lastUsedAt,
        expiresAt: apiKeys.expiresAt,
      })
      .from(apiKeys)
      .where(eq(apiKeys.operatorId, operatorId))
      .orderBy(desc(apiKeys.createdAt), asc(apiKeys.id));
    const scopes = await db
      .select({ keyId: apiKeyPointSystems.apiKeyId, id: pointSystems.id, name: pointSystems.name })
      .from(apiKeys)
      .innerJoin(apiKeyPointSystems, eq(apiKeyPointSystems.apiKeyId, apiKeys.id))
      .innerJoin(pointSystems, eq(pointSystems.id, apiKeyPointSystems.pointSystemId))
      .where(and(eq(apiKeys.operatorId, operatorId), isNull(pointSystems.deletedAt)))
      .orderBy(asc(pointSystems.name), asc(pointSystems.id));
    const systemsOf = new Map<string, { id: string; name: string }[]>();
    for (const { keyId, id, name } of scopes) {
      const systems = systemsOf.get(keyId);
      if (systems) systems.push({ id, name });
      else systemsOf.set(keyId, [{ id, name }]);
    }
    return keys.map(({ tokenHash, ...key }) => ({
      ...key,
      hint: getApiKeyHint(tokenHash),
      pointSystems: systemsOf.get(key.id) ?? [],
    }));
  });
}

/** Lists the operator's keys that reach a point system, newest first. */
export async function listApiKeysOfSystem({ actor, pointSystemId }: Member): Promise<ApiKey[]> {
  const keys = await listApiKeys(actor.operatorId);
  return keys.filter(({ pointSystems }) => pointSystems.some(({ id }) => id === pointSystemId));
}

/**
 * Creates an API key.
 * @returns the raw key, which is stored nowhere and is only shown this once
 * @throws {Failure} `not_found` when the operator is not in a point system, `role_missing` when the
 *   operator may only view it, `manage_key_needs_owner`, `sandbox_mixed`, `api_key_exists` when the
 *   form was sent before, `too_many_api_keys`; for a key that acts, `manage_key_refused` and
 *   `point_system_out_of_scope` beyond its own scope
 */
export async function createApiKey(
  actor: Actor,
  { name, permission, expiresAt, ...posted }: NewApiKey,
): Promise<{ token: string }> {
  const id = requireUuid(posted.id, "invalid_form");
  const scope = [...new Set(posted.pointSystemIds.map((named) => requireUuid(named)))].sort();
  return inTransaction(async (tx) => {
    await requireRoomForKeys(tx, actor.operatorId, 1);
    const { isSandbox } = await requireScope(tx, actor, scope, permission);
    const token = generateApiKeyToken(isSandbox);
    const tokenHash = hashApiKeyToken(token);
    const [created] = await tx
      .insert(apiKeys)
      .values({
        id,
        operatorId: actor.operatorId,
        name,
        tokenHash,
        permission,
        isSandbox,
        expiresAt,
      })
      .onConflictDoNothing({ target: apiKeys.id })
      .returning({ id: apiKeys.id });
    if (!created) throw new Failure("api_key_exists");
    await tx
      .insert(apiKeyPointSystems)
      .values(scope.map((pointSystemId) => ({ apiKeyId: id, pointSystemId })));
    const fields = { permission, hint: getApiKeyHint(tokenHash), expiresAt };
    await recordKeyAudit(tx, actor, "api_key.create", name, scope, "after", fields);
    return { token };
  });
}

/**
 * Revokes a key. Every instance refuses it as soon as this returns.
 * @param apiKeyId the id as the browser sent it
 * @returns the key's name
 * @throws {Failure} `not_found` when the key is not the operator's; for a key that acts,
 *   `manage_key_refused` and `point_system_out_of_scope` when the other one reaches beyond its scope
 */
export async function deleteApiKey(actor: Actor, apiKeyId: string): Promise<{ name: string }> {
  const id = requireUuid(apiKeyId);
  return inTransaction(async (tx) => {
    const own = and(eq(apiKeys.id, id), eq(apiKeys.operatorId, actor.operatorId));
    const [deleted] = await deleteKeys(tx, actor, own);
    if (!deleted) throw new Failure("not_found");
    return { name: deleted.name };
  });
}

/**
 * Revokes all keys of an operator, within the caller's transaction.
 * @param actor the administrator who does it
 * @returns the number of keys
 */
export async function deleteApiKeysOf(
  tx: Transaction,
  actor: Actor,
  operatorId: string,
): Promise<number> {
  return (await deleteKeys(tx, actor, eq(apiKeys.operatorId, operatorId))).length;
}

async function deleteKeys(
  tx: Transaction,
  actor: Actor,
  which: SQL | undefined,
): Promise<{ name: string }[]> {
  const keys = await tx
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      permission: apiKeys.permission,
      tokenHash: apiKeys.tokenHash,
      expiresAt: apiKeys.expiresAt,
    })
    .from(apiKeys)
    .where(which)
    .orderBy(asc(apiKeys.id))
    .for("update");
  for (const { id, name, permission, tokenHash, expiresAt } of keys) {
    const scope = await tx
      .delete(apiKeyPointSystems)
      .where(eq(apiKeyPointSystems.apiKeyId, id))
      .returning({ id: apiKeyPointSystems.pointSystemId });
    await tx.delete(apiKeys).where(eq(apiKeys.id, id));
    const fields = { permission, hint: getApiKeyHint(tokenHash), expiresAt };
    const ids = scope.map((pointSystem) => pointSystem.id);
    if (actor.apiKey) await requireOwnScope(tx, actor.apiKey.id, ids, permission);
    await recordKeyAudit(tx, actor, "api_key.delete", name, ids, "before", fields);
  }
  return keys;
}

/**
 * Checks the limit of keys. It serializes an operator's creations, so that the limit holds.
 * @param added the number of keys that the operator gets
 * @throws {Failure} `too_many_api_keys`
 */
export async function requireRoomForKeys(
  tx: Transaction,
  operatorId: string,
  added: number,
): Promise<void> {
  await tx
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.id, operatorId))
    .for("no key update");
  const [existing] = await tx
    .select({ total: count() })
    .from(apiKeys)
    .where(eq(apiKeys.operatorId, operatorId));
  if ((existing?.total ?? 0) + added > API_KEYS_MAX) throw new Failure("too_many_api_keys");
}

/**
 * Records a key in the audit log of each point system in its scope, and in the operator's own. Only
 * the operator's own entry names the point systems, so that members of one do not learn of the
 * others.
 */
async function recordKeyAudit(
  tx: Transaction,
  actor: Actor,
  action: AuditAction,
  name: string,
  pointSystemIds: readonly string[],
  side: "before" | "after",
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const own = { pointSystemId: null, [side]: { ...fields, pointSystems: pointSystemIds } };
  const others = pointSystemIds.map((pointSystemId) => ({ pointSystemId, [side]: fields }));
  for (const record of [own, ...others]) {
    await recordAudit(tx, actor, { action, subject: name, ...record });
  }
}
