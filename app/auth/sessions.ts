import { eq } from "drizzle-orm";
import { Lucia, TimeSpan } from "lucia";
import type { Executor } from "../db/client";
import { sessions } from "../db/schema/sessions";
import { hashSessionId, sessionAdapter } from "./session-adapter";

// The only importer of lucia, with session-adapter.ts: upstream deprecated it, so that a successor
// changes these two files.

/** Who is signed in. */
export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Runs this installation: invites operators and makes reset links. */
  readonly isAdministrator: boolean;
}

/** What a request's cookie says. */
export interface SessionFinding {
  readonly operator: Operator | null;
  /** A Set-Cookie value that is due: the session was prolonged, or the cookie is of no use. */
  readonly cookieChange: string | null;
}

/** Whose browser a session is for, and where it is. */
export interface Browser {
  /** The request's Cookie header. */
  readonly cookies: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** A browser that does not come back for this long is signed out. */
const SLIDING_LIFE = new TimeSpan(7, "d");

declare module "lucia" {
  interface Register {
    Lucia: ReturnType<typeof createLucia>;
    DatabaseUserAttributes: Omit<Operator, "id">;
    DatabaseSessionAttributes: Omit<Browser, "cookies">;
  }
}

/**
 * The prefix makes browsers refuse the cookie from anything but this host over https; without https
 * they would refuse it altogether. Lucia's own attributes are HttpOnly, SameSite=Lax and Path=/.
 */
function createLucia(isHttps: boolean) {
  return new Lucia(sessionAdapter, {
    sessionExpiresIn: SLIDING_LIFE,
    sessionCookie: {
      name: isHttps ? "__Host-session" : "session",
      attributes: { secure: isHttps },
    },
    getUserAttributes: ({ email, name, isAdministrator }) => ({ email, name, isAdministrator }),
  });
}

const luciaOverHttp = createLucia(false);
const luciaOverHttps = createLucia(true);

function getLucia(appOrigin: string) {
  return appOrigin.startsWith("https:") ? luciaOverHttps : luciaOverHttp;
}

/**
 * Who a request is from.
 * @param cookies the request's Cookie header
 * @param appOrigin the public origin, which the cookie's name follows
 */
export async function findSession(cookies: string, appOrigin: string): Promise<SessionFinding> {
  const lucia = getLucia(appOrigin);
  const sessionId = lucia.readSessionCookie(cookies);
  if (!sessionId) return { operator: null, cookieChange: null };
  const { session, user } = await lucia.validateSession(sessionId);
  if (!session)
    return { operator: null, cookieChange: lucia.createBlankSessionCookie().serialize() };
  return {
    operator: {
      id: user.id,
      email: user.email,
      name: user.name,
      isAdministrator: user.isAdministrator,
    },
    cookieChange: session.fresh ? lucia.createSessionCookie(session.id).serialize() : null,
  };
}

/** Whether a request's session still stands; asking does not prolong it. */
export async function isSignedIn(cookies: string, appOrigin: string): Promise<boolean> {
  const sessionId = getLucia(appOrigin).readSessionCookie(cookies);
  if (!sessionId) return false;
  const [session] = await sessionAdapter.getSessionAndUser(sessionId);
  return session !== null && session.expiresAt > new Date();
}

/**
 * Signs a browser in, under a new session id: the one that it had, whoever planted it, is ended.
 * @returns the Set-Cookie value
 */
export async function startSession(
  operatorId: string,
  { cookies, ip, userAgent }: Browser,
  appOrigin: string,
): Promise<string> {
  const lucia = getLucia(appOrigin);
  const formerId = lucia.readSessionCookie(cookies);
  if (formerId) await lucia.invalidateSession(formerId);
  // There is no better moment to clean up: whoever signs in waits for a password's hash anyway.
  await lucia.deleteExpiredSessions();
  const session = await lucia.createSession(operatorId, { ip, userAgent });
  return lucia.createSessionCookie(session.id).serialize();
}

/**
 * Signs a browser out, in the database as well.
 * @returns the Set-Cookie value
 */
export async function endSession(cookies: string, appOrigin: string): Promise<string> {
  const lucia = getLucia(appOrigin);
  const sessionId = lucia.readSessionCookie(cookies);
  if (sessionId) await lucia.invalidateSession(sessionId);
  return lucia.createBlankSessionCookie().serialize();
}

/** A browser's session as the database names it: what its cookie has is not stored. Null without one. */
export function getStoredSessionId(cookies: string, appOrigin: string): string | null {
  const sessionId = getLucia(appOrigin).readSessionCookie(cookies);
  return sessionId && hashSessionId(sessionId);
}

/** Signs an operator out everywhere, within the transaction that makes it necessary. */
export async function endOperatorSessions(executor: Executor, operatorId: string): Promise<void> {
  await executor.delete(sessions).where(eq(sessions.operatorId, operatorId));
}
