import { LRUCache } from "lru-cache";
import { toArrayLiteral } from "../../db/array-literal";
import { BATCH_STATEMENT } from "../../db/batch-statement";
import { pipelinedQuery } from "../../db/client";
import { hasPermission, type NeededPermission, type Permission } from "../../domain/access/api-key";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import { Failure, type FailureCode } from "../../domain/failure";
import { parseUuid } from "../../domain/uuid";
import { createBatcher } from "../runtime/batcher";
import { noteApiKeyUse } from "./api-key-usage";

/** The credential of a request: the hash of a well-formed key, which may or may not exist. */
export interface Credential {
  readonly tokenHash: Buffer;
}

/** A key that exists and may do what was asked. */
export interface AuthorizedKey {
  readonly id: string;
}

/** The failure of a key that lacks a permission. */
const PERMISSION_FAILURE: Record<NeededPermission, FailureCode> = {
  trigger: "trigger_permission_missing",
  read: "read_permission_missing",
  manage: "manage_permission_missing",
};

interface Question {
  readonly tokenHash: Buffer;
  /** Null for none in particular: whether the key reaches any. */
  readonly pointSystemId: string | null;
}

/** The database's answer for a key: the id is null when there is no such key, or it has expired. */
export interface KeyFinding {
  readonly id: string | null;
  readonly permission: Permission | null;
  readonly isInScope: boolean;
}

const UUID_MIN = "00000000-0000-0000-0000-000000000000";
const UUID_MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * The SQL that finds the key of each question `q`, with its columns `token_hash` and `point_system_id`: a row `k` of the
 * key and a row `s` of its scope, null without one. Each look-up stands behind a limit (docs/decisions/012).
 */
export const KEY_JOINS = `
  left join lateral (
    select id, permission from api_keys
    where token_hash = q.token_hash and (expires_at is null or expires_at > now()) limit 1
  ) k on true
  left join lateral (
    select api_key_id from api_key_point_systems
    where api_key_id = k.id
      and point_system_id between coalesce(q.point_system_id, '${UUID_MIN}') and coalesce(q.point_system_id, '${UUID_MAX}')
    limit 1
  ) s on true`;

/** The columns of a `KeyFinding`, from `KEY_JOINS`. */
export const KEY_COLUMNS = `k.id, k.permission, s.api_key_id is not null as "isInScope"`;

// The planner sees the length of an array that is a parameter, and then finds a plan for this length cheaper than one for
// any: it would plan each call anew, which takes five times as long as the look-up. It does not see that of a sub-query.
const lookUpKeys = pipelinedQuery("reads", (db) => ({
  execute: (questions: readonly Question[]) =>
    db.$client.unsafe<KeyFinding[]>(
      `select ${KEY_COLUMNS}
       from unnest((select $1::bytea[]), (select $2::uuid[])) with ordinality as q(token_hash, point_system_id, n)
       ${KEY_JOINS}
       order by q.n`,
      [
        toArrayLiteral(questions.map((q) => q.tokenHash)),
        toArrayLiteral(questions.map((q) => q.pointSystemId)),
      ],
      BATCH_STATEMENT,
    ),
}));

const askForKey = createBatcher<Question, KeyFinding>({
  name: "keys",
  run: (questions) => lookUpKeys(questions),
  callsMax: 256,
  waitingMax: 10_000,
  deadlineMs: DATABASE_DEADLINE_MS,
});

/**
 * Checks that a key exists, has not expired and has a permission. Nothing is cached: a revoked key
 * is refused from the moment it is deleted, by every instance.
 * @throws {Failure} `invalid_api_key`, or the permission's own failure
 */
export async function authorizeKey(
  credential: Credential,
  permission: NeededPermission,
): Promise<AuthorizedKey> {
  return checkKey(await askForKey({ ...credential, pointSystemId: null }), permission);
}

/**
 * Checks that a key exists, has a permission and reaches a point system.
 * @param pointSystemId as the client sent it; what is no UUID is in no key's scope
 * @throws {Failure} as `authorizeKey`, then `point_system_out_of_scope`
 */
export async function authorizeScope(
  credential: Credential,
  permission: NeededPermission,
  pointSystemId: string,
): Promise<AuthorizedKey> {
  const scope = nameScope(credential, permission, pointSystemId);
  try {
    const question = { ...credential, pointSystemId: toScope(pointSystemId) };
    const key = requireScope(await askForKey(question), permission);
    allowed.set(scope, true);
    return key;
  } catch (error) {
    allowed.delete(scope);
    throw error;
  }
}

/** Returns a point system's id as a key's scope has it: what is no UUID is in none. */
export const toScope = (pointSystemId: string) => parseUuid(pointSystemId) ?? UUID_MIN;

/**
 * Returns a key that was found, has a permission and reaches the point system.
 * @throws {Failure} as `authorizeScope`
 */
export function requireScope(finding: KeyFinding, permission: NeededPermission): AuthorizedKey {
  const key = checkKey(finding, permission);
  if (!finding.isInScope) throw new Failure("point_system_out_of_scope");
  return key;
}

/** The scopes that this process last found allowed. It saves a call time, and never the check. */
const allowed = new LRUCache<string, true>({ max: 10_000 });

const nameScope = (
  { tokenHash }: Credential,
  permission: NeededPermission,
  pointSystemId: string,
) => `${tokenHash.toString("latin1")} ${permission} ${pointSystemId}`;

/** Tells whether the last check of a key with this permission and point system allowed the call. */
export function wasAuthorized(
  credential: Credential,
  permission: NeededPermission,
  pointSystemId: string,
): boolean {
  return allowed.get(nameScope(credential, permission, pointSystemId)) ?? false;
}

/**
 * Checks that a key exists, has a permission and reaches some point system: for what is of none.
 * @throws {Failure} as `authorizeKey`, then `point_system_out_of_scope`
 */
export async function authorizeAnyScope(
  credential: Credential,
  permission: NeededPermission,
): Promise<AuthorizedKey> {
  return requireScope(await askForKey({ ...credential, pointSystemId: null }), permission);
}

function checkKey(
  { id, permission }: Pick<KeyFinding, "id" | "permission">,
  needed: NeededPermission,
): AuthorizedKey {
  if (id === null) throw new Failure("invalid_api_key");
  noteApiKeyUse(id);
  if (!hasPermission(permission, needed)) throw new Failure(PERMISSION_FAILURE[needed]);
  return { id };
}
