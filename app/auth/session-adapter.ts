import { createHash } from "node:crypto";
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { Adapter, DatabaseSession } from "lucia";
import { hotQuery, inTransaction, withDatabase } from "../db/client";
import { authenticators, installation, passkeys } from "../db/schema/factors";
import { operators } from "../db/schema/operators";
import { sessions } from "../db/schema/sessions";
import { Failure } from "../domain/failure";

/** The absolute lifetime of a session, however much it is used. */
const ABSOLUTE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;

/** Returns the database's moment that is this far ahead. */
const momentIn = (ms: number) => sql`now() + make_interval(secs => ${ms / 1_000}::float8)`;

/** The first part of a user agent is enough to identify it. */
const USER_AGENT_LENGTH_MAX = 300;

/** Hashes a cookie's session id for storage: a reader of the table cannot sign in with the hash. */
export function hashSessionId(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex");
}

const findSessionRow = hotQuery((db) =>
  db
    .select({
      operatorId: operators.id,
      email: operators.email,
      name: operators.name,
      isAdministrator: operators.isAdministrator,
      needsFactor: sql<boolean>`exists (select from ${installation} where is_factor_required)
        and not exists (select from ${passkeys} p where p.operator_id = ${operators.id})
        and not exists (
          select from ${authenticators} a
          where a.operator_id = ${operators.id} and a.confirmed_at is not null
        )`,
      remainingMs: sql<number>`(extract(epoch from ${sessions.expiresAt} - now()) * 1000)::float8`,
      ip: sessions.ip,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .innerJoin(operators, eq(operators.id, sessions.operatorId))
    .where(and(eq(sessions.id, sql.placeholder("id")), isNull(operators.disabledAt)))
    .prepare("find_session"),
);

/**
 * Stores Lucia's sessions in PostgreSQL. Ids are hashed before they are stored. Each call asks for
 * the current pool, since a pool that hangs is replaced.
 *
 * Lucia compares with this process's clock, and the clocks of instances differ. Stored moments are
 * the database's; what is read and written is the time until them.
 */
export const sessionAdapter: Adapter = {
  async getSessionAndUser(sessionId) {
    const [row] = await findSessionRow({ id: hashSessionId(sessionId) });
    if (!row) return [null, null];
    const { operatorId, email, name, isAdministrator, needsFactor, remainingMs, ip, userAgent } =
      row;
    const expiresAt = new Date(Date.now() + remainingMs);
    return [
      { id: sessionId, userId: operatorId, expiresAt, attributes: { ip, userAgent } },
      { id: operatorId, attributes: { email, name, isAdministrator, needsFactor } },
    ];
  },

  /** Returns the stored ids, which are hashes: the cookies' ids are not known. */
  async getUserSessions(operatorId) {
    const rows = await withDatabase((db) =>
      db.select().from(sessions).where(eq(sessions.operatorId, operatorId)),
    );
    return rows.map(
      ({ id, expiresAt, ip, userAgent }): DatabaseSession => ({
        id,
        userId: operatorId,
        expiresAt,
        attributes: { ip, userAgent },
      }),
    );
  },

  /**
   * Stores a session, unless the password that signed in was changed meanwhile or the account was disabled: the sessions
   * that ended then must not be followed by one more.
   * @throws {Failure} `sign_in_refused`
   */
  async setSession({ id, userId, expiresAt, attributes: { ip, userAgent, passwordHash } }) {
    await inTransaction(async (tx) => {
      const [account] = await tx
        .select({ passwordHash: operators.passwordHash })
        .from(operators)
        .where(and(eq(operators.id, userId), isNull(operators.disabledAt)))
        .for("share");
      const isProven = passwordHash === undefined || passwordHash === account?.passwordHash;
      if (!account || !isProven) throw new Failure("sign_in_refused");
      await tx.insert(sessions).values({
        id: hashSessionId(id),
        operatorId: userId,
        expiresAt: momentIn(expiresAt.getTime() - Date.now()),
        absoluteExpiresAt: momentIn(ABSOLUTE_LIFE_MS),
        ip,
        userAgent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
      });
    });
  },

  /** Moves the expiry. Lucia only ever moves it later; the absolute expiry limits it. */
  async updateSessionExpiration(sessionId, expiresAt) {
    await withDatabase((db) =>
      db
        .update(sessions)
        .set({
          expiresAt: sql`least(${momentIn(expiresAt.getTime() - Date.now())}, ${sessions.absoluteExpiresAt})`,
        })
        .where(eq(sessions.id, hashSessionId(sessionId))),
    );
  },

  async deleteSession(sessionId) {
    await withDatabase((db) =>
      db.delete(sessions).where(eq(sessions.id, hashSessionId(sessionId))),
    );
  },

  async deleteUserSessions(operatorId) {
    await withDatabase((db) => db.delete(sessions).where(eq(sessions.operatorId, operatorId)));
  },

  async deleteExpiredSessions() {
    await withDatabase((db) => db.delete(sessions).where(lte(sessions.expiresAt, sql`now()`)));
  },
};
