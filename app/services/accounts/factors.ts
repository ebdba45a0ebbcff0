import { eq, sql } from "drizzle-orm";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { authenticators, installation, passkeys, recoveryCodes } from "../../db/schema/factors";
import { Failure } from "../../domain/failure";
import { type Administrator, lockAdministrators } from "../access/administrators";
import { recordAudit } from "../access/audit-log";
import type { Actor } from "../access/members";
import { addNotice } from "./notices";
import { deleteRecoveryCodes, replaceRecoveryCodes } from "./recovery-codes";

/** The proofs that an operator has beside the password. */
export interface Factors {
  readonly passkeys: number;
  readonly hasAuthenticator: boolean;
  readonly recoveryCodes: number;
}

const CHANGES = {
  "factor.add": "added",
  "factor.rename": "renamed",
  "factor.remove": "removed",
  "factor.codes": "new",
} as const;

/** Reads the second factors of an operator. */
export async function readFactors(executor: Executor, operatorId: string): Promise<Factors> {
  const [row] = await executor.execute<{ p: number; a: boolean; r: number }>(sql`
    select
      (select count(*)::int from ${passkeys} where operator_id = ${operatorId}) as p,
      exists (
        select 1 from ${authenticators} where operator_id = ${operatorId} and confirmed_at is not null
      ) as a,
      (select count(*)::int from ${recoveryCodes} where operator_id = ${operatorId}) as r`);
  return { passkeys: row?.p ?? 0, hasAuthenticator: row?.a ?? false, recoveryCodes: row?.r ?? 0 };
}

/** Writes a change of an operator's second factors to the audit log, and tells the operator. */
export async function recordFactorChange(
  executor: Executor,
  actor: Actor,
  action: "factor.add" | "factor.rename" | "factor.remove" | "factor.codes",
  subject: string,
): Promise<void> {
  await recordAudit(executor, actor, { pointSystemId: null, action, subject });
  const detail = `${CHANGES[action]} ${subject}`;
  await addNotice(executor, actor.operatorId, { kind: "credential", detail, ip: actor.ip });
}

/** Checks whether the password alone does not sign in. */
export function hasSecondFactor({ passkeys, hasAuthenticator }: Factors): boolean {
  return passkeys > 0 || hasAuthenticator;
}

/** Makes recovery codes for an operator whose first factor this is; null when there are some. */
export async function addFirstRecoveryCodes(
  executor: Executor,
  operatorId: string,
): Promise<string[] | null> {
  const { recoveryCodes } = await readFactors(executor, operatorId);
  return recoveryCodes > 0 ? null : replaceRecoveryCodes(executor, operatorId);
}

/** Deletes the recovery codes of an operator who has no factor left. */
export async function dropIdleRecoveryCodes(executor: Executor, operatorId: string) {
  const factors = await readFactors(executor, operatorId);
  if (!hasSecondFactor(factors)) await deleteRecoveryCodes(executor, operatorId);
}

/** Deletes all second factors of an operator, within the caller's transaction. */
export async function deleteFactors(executor: Executor, operatorId: string): Promise<void> {
  await executor.delete(passkeys).where(eq(passkeys.operatorId, operatorId));
  await executor.delete(authenticators).where(eq(authenticators.operatorId, operatorId));
  await deleteRecoveryCodes(executor, operatorId);
}

/** Tells whether every operator needs a second factor. */
export async function isFactorRequired(): Promise<boolean> {
  const [row] = await withDatabase((db) => db.select().from(installation));
  return row?.isFactorRequired ?? false;
}

/**
 * Requires a second factor of every operator, or does so no longer. Operators without one reach
 * nothing of the dashboard but the page that adds one.
 * @throws {Failure} `not_found` when the actor is no longer an administrator
 */
export async function requireFactors(by: Administrator, isRequired: boolean): Promise<void> {
  await inTransaction(async (tx) => {
    await lockAdministrators(tx, by);
    await tx
      .insert(installation)
      .values({ isFactorRequired: isRequired })
      .onConflictDoUpdate({
        target: installation.isOnly,
        set: { isFactorRequired: isRequired },
      });
    await recordAudit(tx, by.actor, {
      pointSystemId: null,
      action: "installation.factors",
      subject: isRequired ? "required" : "not required",
    });
  });
}

/** Reads the actor's own second factors. */
export function readOwnFactors({ operatorId }: Actor): Promise<Factors> {
  return withDatabase((db) => readFactors(db, operatorId));
}

/**
 * Replaces the actor's recovery codes.
 * @throws {Failure} `not_found` without a second factor, which they stand in for
 */
export async function renewRecoveryCodes(actor: Actor): Promise<string[]> {
  const { operatorId } = actor;
  return inTransaction(async (tx) => {
    if (!hasSecondFactor(await readFactors(tx, operatorId))) throw new Failure("not_found");
    await recordFactorChange(tx, actor, "factor.codes", "recovery codes");
    return replaceRecoveryCodes(tx, operatorId);
  });
}
