import { and, eq, gt, sql } from "drizzle-orm";
import type { Operator } from "../../auth/sessions";
import { inTransaction, withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { setUpTokens } from "../../db/schema/sessions";
import { generateLinkToken, hashLinkToken } from "../../domain/access/account-link";
import { Failure } from "../../domain/failure";
import type { RequestOrigin } from "../access/members";
import { hashNewPassword } from "./passwords";
import { holdSetUp, insertOperator, type NewOperator } from "./sign-up";

/**
 * The lifetime of a token, in hours. A link in an old log opens nothing; a restart prints a new
 * one.
 */
const TOKEN_LIFE_HOURS = 24;

/** Checks whether any operator exists. */
export async function hasOperators(): Promise<boolean> {
  const rows = await withDatabase((db) => db.select({ id: operators.id }).from(operators).limit(1));
  return rows.length > 0;
}

/**
 * Makes a token that opens the set-up page once, on any instance. The database keeps its hash.
 * @returns null when there is an operator already
 */
export async function createSetUpToken(): Promise<string | null> {
  const token = generateLinkToken();
  const created = await withDatabase(async (db) => {
    await db.execute(sql`delete from set_up_tokens where expires_at <= now()`);
    return db.execute(sql`
      insert into set_up_tokens (token_hash, expires_at)
      select ${hashLinkToken(token)}, now() + make_interval(hours => ${TOKEN_LIFE_HOURS})
      where not exists (select 1 from operators)
      returning 1`);
  });
  return created.length > 0 ? token : null;
}

/** Checks whether this token opens the set-up page now. */
export async function isSetUpTokenValid(token: string): Promise<boolean> {
  const rows = await withDatabase((db) =>
    db.select({ hash: setUpTokens.tokenHash }).from(setUpTokens).where(isToken(token)),
  );
  return rows.length > 0 && !(await hasOperators());
}

/**
 * Creates the first operator. When several calls run at once, with any tokens, exactly one
 * succeeds.
 * @throws {Failure} `set_up_closed` when there is an operator, `set_up_link_invalid`
 */
export async function createFirstOperator(
  token: string,
  { password, ...account }: NewOperator,
  origin: RequestOrigin,
): Promise<Operator> {
  // A hash is costly, so it is only made for a caller with a valid link.
  if (!(await isSetUpTokenValid(token))) {
    throw new Failure((await hasOperators()) ? "set_up_closed" : "set_up_link_invalid");
  }
  const passwordHash = await hashNewPassword(password, account);
  return inTransaction(async (tx) => {
    const { isSetUp } = await holdSetUp(tx);
    if (isSetUp) throw new Failure("set_up_closed");
    const used = await tx.delete(setUpTokens).where(isToken(token)).returning();
    if (used.length === 0) throw new Failure("set_up_link_invalid");
    await tx.delete(setUpTokens);
    return insertOperator(tx, { ...account, passwordHash, isAdministrator: true }, origin);
  });
}

function isToken(token: string) {
  return and(
    eq(setUpTokens.tokenHash, hashLinkToken(token)),
    gt(setUpTokens.expiresAt, sql`now()`),
  );
}
