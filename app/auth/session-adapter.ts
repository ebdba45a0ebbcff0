import { createHash } from "node:crypto";
import { eq, lte, sql } from "drizzle-orm";
import type { Adapter, DatabaseSession } from "lucia";
import { hotQuery, withDatabase } from "../db/client";
import { operators } from "../db/schema/operators";
import { sessions } from "../db/schema/sessions";

/** A session ends this long after it began, however much it is used. */
const ABSOLUTE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;

/** An agent says what it is at its beginning. */
const USER_AGENT_LENGTH_MAX = 300;

/** The form in which a cookie's session id is stored: who reads the table cannot sign in. */
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
      expiresAt: sessions.expiresAt,
      ip: sessions.ip,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .innerJoin(operators, eq(operators.id, sessions.operatorId))
    .where(eq(sessions.id, sql.placeholder("id")))
    .prepare("find_session"),
);

/**
 * Lucia's sessions in PostgreSQL. Ids are hashed on their way in, and every call asks for the pool
 * anew, since a stuck one is replaced.
 */
export const sessionAdapter: Adapter = {
  async getSessionAndUser(sessionId) {
    const [row] = await findSessionRow({ id: hashSessionId(sessionId) });
    if (!row) return [null, null];
    const { operatorId, email, name, isAdministrator, expiresAt, ip, userAgent } = row;
    return [
      { id: sessionId, userId: operatorId, expiresAt, attributes: { ip, userAgent } },
      { id: operatorId, attributes: { email, name, isAdministrator } },
    ];
  },

  /** The ids are the stored ones: the cookies' are not known. */
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

  async setSession({ id, userId, expiresAt, attributes }) {
    const absoluteExpiresAt = new Date(Date.now() + ABSOLUTE_LIFE_MS);
    await withDatabase((db) =>
      db.insert(sessions).values({
        id: hashSessionId(id),
        operatorId: userId,
        expiresAt,
        absoluteExpiresAt,
        ip: attributes.ip,
        userAgent: attributes.userAgent.slice(0, USER_AGENT_LENGTH_MAX),
      }),
    );
  },

  /** Lucia only ever moves the expiry on; the absolute one bounds it. */
  async updateSessionExpiration(sessionId, expiresAt) {
    await withDatabase((db) =>
      db
        .update(sessions)
        .set({ expiresAt: sql`least(${expiresAt.toISOString()}, ${sessions.absoluteExpiresAt})` })
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
    await withDatabase((db) => db.delete(sessions).where(lte(sessions.expiresAt, new Date())));
  },
};
