import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import { inTransaction, withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { sessions } from "../../db/schema/sessions";
import { describeUserAgent } from "../../domain/access/user-agent";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { Actor } from "../access/members";
import { forgetAttempt } from "../runtime/attempt-limit";
import { addNotice } from "./notices";
import { checkOwnPassword } from "./own-password";
import { setPassword } from "./password-reset";
import { hashNewPassword } from "./passwords";

/** A browser that is signed in. */
export interface SessionEntry {
  /** The id as the database stores it; it cannot be used to sign in. */
  readonly id: string;
  /** The browser and its system, such as `Firefox on Linux`. */
  readonly agent: string;
  readonly ip: string;
  readonly since: Date;
  readonly isCurrent: boolean;
}

/** The most sessions that are listed. Older ones can be ended with "end all others". */
const SESSIONS_SHOWN_MAX = 50;

/** Changes an operator's own name. */
export async function renameOperator(actor: Actor, name: string): Promise<void> {
  const { operatorId, email } = actor;
  await inTransaction(async (tx) => {
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
  });
}

/**
 * Changes an operator's own password and signs the operator out everywhere, this browser included.
 * @throws {Failure} `too_many_sign_ins`, `password_wrong`, `password_common`, `password_names`
 */
export async function changePassword(
  actor: Actor,
  passwords: { current: string; next: string },
): Promise<void> {
  const { operatorId, email } = actor;
  const {
    attempt,
    name,
    passwordHash: current,
  } = await checkOwnPassword(actor, passwords.current, "currentPassword");
  const passwordHash = await hashNewPassword(passwords.next, { name, email }, "newPassword").catch(
    async (error: unknown) => {
      // The current password was right.
      await forgetAttempt(attempt, async () => {});
      throw error;
    },
  );
  await forgetAttempt(attempt, async (tx) => {
    const [now] = await tx
      .select({ passwordHash: operators.passwordHash })
      .from(operators)
      .where(eq(operators.id, operatorId))
      .for("no key update");
    // The password was changed meanwhile, so the typed one is no longer current.
    if (now?.passwordHash !== current) {
      throw new Failure("password_wrong", { field: "currentPassword" });
    }
    await setPassword(tx, operatorId, passwordHash);
    await addNotice(tx, operatorId, { kind: "credential", detail: "password", ip: actor.ip });
    await recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.password",
      subject: email,
    });
  });
}

/**
 * Lists the browsers in which an operator is signed in, newest first.
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
 * Signs an operator out in one of the operator's own browsers.
 * @throws {Failure} `not_found` when it is no session of the operator
 */
export async function endOwnSession(actor: Actor, sessionId: string): Promise<void> {
  const { operatorId } = actor;
  await inTransaction(async (tx) => {
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
  });
}

/**
 * Signs an operator out in every browser but one.
 * @returns the number of sessions that ended
 */
export async function endOtherSessions(actor: Actor, currentId: string): Promise<number> {
  return inTransaction(async (tx) => {
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
  });
}
