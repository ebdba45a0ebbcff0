import { randomUUID } from "node:crypto";
import type { ManagePath } from "../../app/api/endpoints";
import { API_ENDPOINTS } from "../../app/api/endpoints";
import type { Permission } from "../../app/domain/access/api-key";
import { listPointSystemAudit } from "../../app/services/access/audit-log";
import type { Member } from "../../app/services/access/members";
import { createApiKey } from "../../app/services/api-keys/api-keys";
import { type Answer, call } from "./call";
import { createOwner } from "./operators";

/** Makes a key of an operator. */
export async function createKey(
  { actor }: Pick<Member, "actor">,
  permission: Permission,
  pointSystemIds: readonly string[],
  name = "deploy",
): Promise<{ id: string; token: string }> {
  const id = randomUUID();
  const { token } = await createApiKey(actor, {
    id,
    name,
    permission,
    pointSystemIds,
    expiresAt: null,
  });
  return { id, token };
}

/** Calls an operation by its path after `manage/v1/`. */
export function callManage(
  token: string,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  moreHeaders: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const path = `manage/v1/${operation}` as ManagePath;
  const headers = {
    ...{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...moreHeaders,
  };
  if (API_ENDPOINTS[path].method === "GET") {
    return call(`/api/${path}?${new URLSearchParams(input as Record<string, string>)}`, {
      headers,
    });
  }
  return call(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(input) });
}

/** Creates an owner with a point system and a key that manages it, and functions that call. */
export async function manageScene() {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const key = await createKey(owner, "manage", [pointSystemId]);
  const send = (operation: string, input: Readonly<Record<string, unknown>> = {}) =>
    callManage(key.token, operation, { pointSystemId, ...input });
  /** Reads the newest entry of the point system's audit log. */
  async function newestAudit(id = pointSystemId) {
    const { entries } = await listPointSystemAudit(
      { ...owner, pointSystemId: id },
      { action: null, actor: null, beforeId: null },
    );
    const { actor, ip, action, subject, before, after } = entries[0] ?? {};
    return { actor, ip, action, subject, before, after };
  }
  return { owner, pointSystemId, key, send, newestAudit };
}
