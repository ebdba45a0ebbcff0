import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { type Executor, withDatabase } from "../../db/client";
import { accountLinks, operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { parseUuid } from "../../domain/uuid";
import { recordAudit } from "./audit-log";
import type { Actor } from "./members";

/** An actor who runs this installation. Only `getAdministrator` makes one. */
export interface Administrator {
  readonly actor: Actor;
  /** An administrator's doings are of no point system. */
  readonly pointSystemId: null;
}

/** An operator as administrators see one. */
export interface OperatorEntry {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdministrator: boolean;
  readonly createdAt: Date;
}

const OPERATORS_PAGE_SIZE = 50;

/**
 * The actor as an administrator.
 * @throws {Failure} `not_found` for anybody else: they need not know that there is such a page
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
};

/**
 * A page of the operators, by e-mail address, and whether there is more.
 * @param _by null for the command line
 * @param afterId the last one of the page before
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
 * The operator with an e-mail address.
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
 * Makes an operator an administrator, or no longer one.
 * @param by null for the command line
 * @throws {Failure} `not_found`, `administrator_needed` when nobody else would be one
 */
export async function setAdministrator(
  by: Administrator | null,
  operatorId: string,
  isAdministrator: boolean,
): Promise<OperatorEntry> {
  const id = parseUuid(operatorId);
  if (!id) throw new Failure("not_found");
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const administratorIds = await lockAdministrators(tx, by);
      const [before] = await tx.select(ENTRY).from(operators).where(eq(operators.id, id));
      if (!before) throw new Failure("not_found");
      if (before.isAdministrator === isAdministrator) return before;
      if (!isAdministrator) {
        if (administratorIds.length === 1) throw new Failure("administrator_needed");
        // What they handed out was theirs to hand out only as an administrator.
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
    }),
  );
}

/**
 * Lets changes that administrators make take turns: in one order, two who dismiss each other do.
 * @returns their ids
 * @throws {Failure} `not_found` when the one who acts is none any more
 */
export async function lockAdministrators(
  executor: Executor,
  by: Administrator | null,
): Promise<string[]> {
  const rows = await executor
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.isAdministrator, true))
    .orderBy(asc(operators.id))
    .for("no key update");
  const ids = rows.map(({ id }) => id);
  if (by !== null && !ids.includes(by.actor.operatorId)) throw new Failure("not_found");
  return ids;
}
