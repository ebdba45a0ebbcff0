import { and, count, eq, isNull, or, sql } from "drizzle-orm";
import { forgetDevices } from "../../auth/devices";
import { endOperatorSessions } from "../../auth/sessions";
import { inTransaction, type Transaction } from "../../db/client";
import { accountLinks, operators } from "../../db/schema/operators";
import { pointSystemMembers, pointSystems } from "../../db/schema/point-systems";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { type Administrator, lockAdministrators } from "../access/administrators";
import { recordAudit } from "../access/audit-log";
import { deleteApiKeysOf } from "../api-keys/api-keys";
import { deleteFactors } from "./factors";
import { addNotice } from "./notices";

/** An operator whose row the transaction has locked. */
interface LockedOperator {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly disabledAt: Date | null;
}

/**
 * Disables an operator: they cannot sign in, their sessions and the links that they made end at
 * once. Their point systems and their API keys go on, since shops depend on them.
 * @param deletesApiKeys whether their API keys end, too
 * @throws {Failure} `not_found`, `own_account`
 */
export function disableOperator(
  by: Administrator,
  operatorId: string,
  deletesApiKeys: boolean,
): Promise<{ name: string }> {
  return changeOther(by, operatorId, async (tx, target) => {
    await tx
      .update(operators)
      .set({ disabledAt: sql`now()` })
      .where(and(eq(operators.id, target.id), isNull(operators.disabledAt)));
    await endOperatorSessions(tx, target.id);
    await forgetDevices(tx, target.id);
    await tx
      .delete(accountLinks)
      .where(or(eq(accountLinks.createdBy, target.id), eq(accountLinks.operatorId, target.id)));
    const apiKeysDeleted = deletesApiKeys ? await deleteApiKeysOf(tx, by.actor, target.id) : 0;
    await recordAudit(tx, by.actor, {
      pointSystemId: null,
      action: "operator.disable",
      subject: target.email,
      after: { apiKeysDeleted },
    });
    return { name: target.name };
  });
}

/**
 * Lets a disabled operator sign in again.
 * @param by null for the command line
 * @throws {Failure} `not_found`
 */
export function enableOperator(
  by: Administrator | null,
  operatorId: string,
): Promise<{ name: string }> {
  return changeOther(by, operatorId, async (tx, { id, name, email, disabledAt }) => {
    if (disabledAt === null) return { name };
    await tx.update(operators).set({ disabledAt: null }).where(eq(operators.id, id));
    await recordAudit(tx, by?.actor ?? null, {
      pointSystemId: null,
      action: "operator.enable",
      subject: email,
    });
    return { name };
  });
}

/**
 * Signs an operator out everywhere.
 * @throws {Failure} `not_found`, `own_account`
 */
export function endSessionsOf(by: Administrator, operatorId: string): Promise<{ name: string }> {
  return changeOther(by, operatorId, async (tx, { id, name, email }) => {
    await endOperatorSessions(tx, id);
    await forgetDevices(tx, id);
    await recordAudit(tx, by.actor, {
      pointSystemId: null,
      action: "session.end",
      subject: `all of ${email}`,
    });
    return { name };
  });
}

/**
 * Deletes an operator with their sessions, links, memberships and API keys. The audit log keeps
 * their entries, under their e-mail address.
 * @param heirEmail the operator who gets their point systems; empty when they own none
 * @throws {Failure} `not_found`, `own_account`, `heir_needed`, `heir_unknown`
 */
export function deleteOperator(
  by: Administrator,
  operatorId: string,
  heirEmail: string,
): Promise<{ name: string }> {
  return changeOther(by, operatorId, async (tx, target) => {
    const pointSystemsHandedOver = await handOver(tx, by, target, heirEmail);
    const apiKeysDeleted = await deleteApiKeysOf(tx, by.actor, target.id);
    await tx.delete(operators).where(eq(operators.id, target.id));
    await recordAudit(tx, by.actor, {
      pointSystemId: null,
      action: "operator.delete",
      subject: target.email,
      before: { name: target.name, apiKeysDeleted, pointSystemsHandedOver },
    });
    return { name: target.name };
  });
}

/**
 * Removes all second factors of an operator who lost them, and signs the operator out: the password
 * alone signs in again.
 * @param by null for the command line
 * @throws {Failure} `not_found`, `own_account`
 */
export function resetFactors(
  by: Administrator | null,
  operatorId: string,
): Promise<{ name: string }> {
  return changeOther(by, operatorId, async (tx, { id, name, email }) => {
    await deleteFactors(tx, id);
    const ip = by?.actor.ip ?? "";
    await addNotice(tx, id, { kind: "credential", detail: "all second factors removed", ip });
    await endOperatorSessions(tx, id);
    await recordAudit(tx, by?.actor ?? null, {
      pointSystemId: null,
      action: "operator.factors",
      subject: email,
    });
    return { name };
  });
}

/** Runs a change of another operator's account, as an administrator who still is one. */
async function changeOther<Result>(
  by: Administrator | null,
  operatorId: string,
  change: (tx: Transaction, target: LockedOperator) => Promise<Result>,
): Promise<Result> {
  return inTransaction(async (tx) => {
    const target = await lockOperator(tx, by, operatorId);
    if (target.id === by?.actor.operatorId) throw new Failure("own_account");
    return change(tx, target);
  });
}

/**
 * Locks an operator's row, and the administrators before it.
 * @param by null for the command line
 * @throws {Failure} `not_found`, and the failures of `lockAdministrators`
 */
export async function lockOperator(
  tx: Transaction,
  by: Administrator | null,
  operatorId: string,
): Promise<LockedOperator> {
  const id = requireUuid(operatorId);
  await lockAdministrators(tx, by);
  const [operator] = await tx
    .select({
      id: operators.id,
      name: operators.name,
      email: operators.email,
      disabledAt: operators.disabledAt,
    })
    .from(operators)
    .where(eq(operators.id, id))
    .for("no key update");
  if (!operator) throw new Failure("not_found");
  return operator;
}

/** Gives an operator's point systems to another one, and tells the log of each. */
async function handOver(
  tx: Transaction,
  by: Administrator,
  { id, email }: LockedOperator,
  heirEmail: string,
): Promise<number> {
  const isOwn = and(eq(pointSystems.operatorId, id), isNull(pointSystems.deletedAt));
  const [owned] = await tx.select({ all: count() }).from(pointSystems).where(isOwn);
  if (owned?.all && heirEmail === "") throw new Failure("heir_needed", { field: "heir" });
  const heir = owned?.all ? await getHeir(tx, id, heirEmail) : null;
  const handed = heir
    ? await tx
        .update(pointSystems)
        .set({ operatorId: heir.id })
        .where(isOwn)
        .returning({ id: pointSystems.id })
    : [];
  for (const { id: pointSystemId } of handed) {
    if (!heir) break;
    await tx
      .delete(pointSystemMembers)
      .where(
        and(
          eq(pointSystemMembers.pointSystemId, pointSystemId),
          eq(pointSystemMembers.operatorId, heir.id),
        ),
      );
    await recordAudit(tx, by.actor, {
      pointSystemId,
      action: "member.transfer",
      subject: heir.email,
      before: { owner: email },
      after: { owner: heir.email },
    });
  }
  // Deleted ones wait for their purge, and nobody sees them.
  await tx
    .update(pointSystems)
    .set({ operatorId: by.actor.operatorId })
    .where(eq(pointSystems.operatorId, id));
  return handed.length;
}

async function getHeir(tx: Transaction, formerId: string, email: string) {
  const [heir] = await tx
    .select({ id: operators.id, email: operators.email })
    .from(operators)
    .where(and(eq(operators.email, email), isNull(operators.disabledAt)));
  if (!heir || heir.id === formerId) throw new Failure("heir_unknown", { field: "heir" });
  return heir;
}
