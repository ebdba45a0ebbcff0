import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import { hashPassword, verifyPassword } from "../../auth/passwords";
import { withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { sessions } from "../../db/schema/sessions";
import { describeUserAgent } from "../../domain/access/user-agent";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { Actor } from "../access/members";
import { beginSignInAttempt, forgetAttempt } from "../runtime/attempt-limit";
import { setPassword } from "./password-reset";

/** A browser that is signed in. */
export interface SessionEntry {
  /** As the database has it: nobody can sign in with it. */
  readonly id: string;
  /** Such as `Firefox on Linux`. */
  readonly agent: string;
  readonly ip: string;
  readonly since: Date;
  readonly isCurrent: boolean;
}

/** Older ones go with "end all others". */
const SESSIONS_SHOWN_MAX = 50;

/** Changes an operator's own name. */
export async function renameOperator(actor: Actor, name: string): Promise<void> {
  const { operatorId, email } = actor;
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const [before] = await tx
        .select({ name: operators.name })
        .from(operators)
        .where(eq(operators.id, operatorId))
        .for("no key update");
      if (!before) throw new Failure("not_found");
      await tx.update(operators).set({ name }).where(eq(operators.id, operatorId));
      await recordAudit(tx, actor, {
        pointSystemId: null,
        action: "operator.update",
        subject: email,
        before,
        after: { name },
      });
    }),
  );
}

/**
 * Changes an operator's own password and signs the operator out everywhere, this browser included.
 * A wrong one counts as an attempt to sign in: who finds a browser open cannot guess more.
 * @throws {Failure} `too_many_sign_ins`, `password_wrong`
 */
export async function changePassword(
  actor: Actor,
  passwords: { current: string; next: string },
): Promise<void> {
  const { operatorId, email, ip } = actor;
  const attempt = await beginSignInAttempt(email, ip);
  const [account] = await withDatabase((db) =>
    db
      .select({ passwordHash: operators.passwordHash })
      .from(operators)
      .where(eq(operators.id, operatorId)),
  );
  const isRight = account && (await verifyPassword(account.passwordHash, passwords.current));
  if (!isRight) throw new Failure("password_wrong", { field: "currentPassword" });
  const passwordHash = await hashPassword(passwords.next);
  await forgetAttempt(attempt, async (tx) => {
    const [now] = await tx
      .select({ passwordHash: operators.passwordHash })
      .from(operators)
      .where(eq(operators.id, operatorId))
      .for("no key update");
    // Somebody changed it meanwhile: what was typed is the current one no more.
    if (now?.passwordHash !== account.passwordHash) {
      throw new Failure("password_wrong", { field: "currentPassword" });
    }
    await setPassword(tx, operatorId, passwordHash);
    await recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.password",
      subject: email,
    });
  });
}

/**
 * The browsers in which an operator is signed in, the newest first.
 * @param currentId the session of the browser that asks
 */
export async function listSessions(
  { operatorId }: Actor,
  currentId: string | null,
): Promise<SessionEntry[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: sessions.id,
        userAgent: sessions.userAgent,
        ip: sessions.ip,
        since: sessions.createdAt,
      })
      .from(sessions)
      .where(and(eq(sessions.operatorId, operatorId), gt(sessions.expiresAt, sql`now()`)))
      .orderBy(desc(sql`${sessions.id} = ${currentId ?? ""}`), desc(sessions.createdAt))
      .limit(SESSIONS_SHOWN_MAX),
  );
  return rows.map(({ userAgent, ...row }) => ({
    ...row,
    agent: describeUserAgent(userAgent),
    isCurrent: row.id === currentId,
  }));
}

/**
 * Signs one of an operator's own browsers out.
 * @throws {Failure} `not_found` when it is no session of the operator
 */
export async function endOwnSession(actor: Actor, sessionId: string): Promise<void> {
  const { operatorId } = actor;
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const [ended] = await tx
        .delete(sessions)
        .where(and(eq(sessions.id, sessionId), eq(sessions.operatorId, operatorId)))
        .returning({ ip: sessions.ip, userAgent: sessions.userAgent });
      if (!ended) throw new Failure("not_found");
      await recordAudit(tx, actor, {
        pointSystemId: null,
        action: "session.end",
        subject: describeUserAgent(ended.userAgent),
        before: { ip: ended.ip },
      });
    }),
  );
}

/**
 * Signs an operator out in every browser but one.
 * @returns in how many
 */
export async function endOtherSessions(actor: Actor, currentId: string): Promise<number> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const ended = await tx
        .delete(sessions)
        .where(and(eq(sessions.operatorId, actor.operatorId), ne(sessions.id, currentId)))
        .returning({ id: sessions.id });
      if (ended.length > 0) {
        await recordAudit(tx, actor, {
          pointSystemId: null,
          action: "session.end",
          subject: "all others",
          before: { sessions: ended.length },
        });
      }
      return ended.length;
    }),
  );
}
