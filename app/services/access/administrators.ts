import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { authenticators, passkeys } from "../../db/schema/factors";
import { accountLinks, operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { recordAudit } from "./audit-log";
import type { Actor } from "./members";

/** An actor who runs this installation. Only `getAdministrator` creates this type. */
export interface Administrator {
  readonly actor: Actor;
  /** Always null: an administrator's actions belong to no point system. */
  readonly pointSystemId: null;
}

/** An operator as the list for administrators shows it. */
export interface OperatorEntry {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdministrator: boolean;
  readonly createdAt: Date;
  /** The time from which they cannot sign in; null for those who can. */
  readonly disabledAt: Date | null;
  readonly hasFactors: boolean;
}

const OPERATORS_PAGE_SIZE = 50;

/**
 * Requires that the actor is an administrator.
 * @throws {Failure} `not_found` for any other operator, so that the page's existence is not
 *   disclosed
 */
export async function getAdministrator(actor: Actor): Promise<Administrator> {
  const [row] = await withDatabase((db) =>
    db
      .select({ isAdministrator: operators.isAdministrator })
      .from(operators)
      .where(eq(operators.id, actor.operatorId)),
  );
  if (!row?.isAdministrator) throw new Failure("not_found");
  return { actor, pointSystemId: null };
}

const ENTRY = {
  id: operators.id,
  email: operators.email,
  name: operators.name,
  isAdministrator: operators.isAdministrator,
  createdAt: operators.createdAt,
  disabledAt: operators.disabledAt,
  hasFactors: sql<boolean>`(
    exists (select 1 from ${passkeys} k where k.operator_id = operators.id)
    or exists (select 1 from ${authenticators} a where a.operator_id = operators.id and a.confirmed_at is not null)
  )`,
};

/**
 * Lists a page of the operators, ordered by e-mail address, and tells whether there are more.
 * @param _by null for the command line
 * @param afterId the last operator of the previous page
 */
export async function listOperators(
  _by: Administrator | null,
  afterId: string | null,
): Promise<{ operators: OperatorEntry[]; hasMore: boolean }> {
  const rows = await withDatabase((db) =>
    db
      .select(ENTRY)
      .from(operators)
      .where(
        afterId === null
          ? undefined
          : gt(operators.email, sql`(select o.email from ${operators} o where o.id = ${afterId})`),
      )
      .orderBy(asc(operators.email))
      .limit(OPERATORS_PAGE_SIZE + 1),
  );
  return {
    operators: rows.slice(0, OPERATORS_PAGE_SIZE),
    hasMore: rows.length > OPERATORS_PAGE_SIZE,
  };
}

/**
 * Finds the operator with an e-mail address.
 * @throws {Failure} `not_found`
 */
export async function getOperatorByEmail(
  _by: Administrator | null,
  email: string,
): Promise<OperatorEntry> {
  const [row] = await withDatabase((db) =>
    db.select(ENTRY).from(operators).where(eq(operators.email, email)),
  );
  if (!row) throw new Failure("not_found");
  return row;
}

/**
 * Grants or revokes the administrator status of an operator.
 * @param by null for the command line
 * @throws {Failure} `not_found`, `administrator_needed` when no administrator would be left
 */
export async function setAdministrator(
  by: Administrator | null,
  operatorId: string,
  isAdministrator: boolean,
): Promise<OperatorEntry> {
  const id = requireUuid(operatorId);
  return inTransaction(async (tx) => {
    const administratorIds = await lockAdministrators(tx, by);
    const [before] = await tx.select(ENTRY).from(operators).where(eq(operators.id, id));
    if (!before) throw new Failure("not_found");
    if (before.isAdministrator === isAdministrator) return before;
    if (!isAdministrator) {
      if (administratorIds.every((other) => other === id))
        throw new Failure("administrator_needed");
      // Their open links were made with an administrator's rights, so they end with the status.
      await tx
        .delete(accountLinks)
        .where(and(eq(accountLinks.createdBy, id), isNull(accountLinks.pointSystemId)));
    }
    await tx.update(operators).set({ isAdministrator }).where(eq(operators.id, id));
    await recordAudit(tx, by?.actor ?? null, {
      pointSystemId: null,
      action: "operator.administrator",
      subject: before.email,
      before: { isAdministrator: before.isAdministrator },
      after: { isAdministrator },
    });
    return { ...before, isAdministrator };
  });
}

/**
 * Serializes changes by administrators. The rows are locked in the order of their ids, so that two
 * administrators who dismiss each other cannot deadlock.
 * @returns the ids of all administrators who can sign in
 * @throws {Failure} `not_found` when the actor is no longer an administrator
 */
export async function lockAdministrators(
  executor: Executor,
  by: Administrator | null,
): Promise<string[]> {
  const rows = await executor
    .select({ id: operators.id })
    .from(operators)
    .where(and(eq(operators.isAdministrator, true), isNull(operators.disabledAt)))
    .orderBy(asc(operators.id))
    .for("no key update");
  const ids = rows.map(({ id }) => id);
  if (by !== null && !ids.includes(by.actor.operatorId)) throw new Failure("not_found");
  return ids;
}
