import { eq } from "drizzle-orm";
import { generateIdFromEntropySize, Lucia, TimeSpan } from "lucia";
import { type Executor, withDatabase } from "../db/client";
import { sessions } from "../db/schema/sessions";
import { hashSessionId, sessionAdapter } from "./session-adapter";

// This file and session-adapter.ts are the only importers of lucia, which upstream deprecated. A
// successor changes only these two files.

/** The operator who is signed in. */
export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Allows an operator to invite operators and create reset links for the whole installation. */
  readonly isAdministrator: boolean;
}

/** The operator who is to be signed in. */
export interface SignedIn {
  readonly id: string;
  /** The hash of the password that proved who they are; left out after another proof. */
  readonly passwordHash?: string | undefined;
}

/** The result of reading a request's session cookie. */
export interface SessionFinding {
  readonly operator: Operator | null;
  /** Whether the operator has to add a second factor before anything else. */
  readonly needsFactor?: true | undefined;
  /** A Set-Cookie value to send: the session was extended. */
  readonly cookieChange: string | null;
}

/** The browser that a session belongs to. */
export interface Browser {
  /** The request's Cookie header. */
  readonly cookies: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** A browser that is not seen for this long is signed out. */
const SLIDING_LIFE = new TimeSpan(7, "d");

declare module "lucia" {
  interface Register {
    Lucia: ReturnType<typeof createLucia>;
    DatabaseUserAttributes: Omit<Operator, "id"> & { needsFactor: boolean };
    DatabaseSessionAttributes: Omit<Browser, "cookies"> & Pick<SignedIn, "passwordHash">;
  }
}

/**
 * Creates Lucia for http or https. The cookie's prefix makes browsers accept it only from this host
 * over https; over http they would refuse it altogether. Lucia itself sets HttpOnly, SameSite=Lax
 * and Path=/.
 */
function createLucia(isHttps: boolean) {
  return new Lucia(sessionAdapter, {
    sessionExpiresIn: SLIDING_LIFE,
    sessionCookie: {
      name: isHttps ? "__Host-session" : "session",
      attributes: { secure: isHttps },
    },
    getUserAttributes: ({ email, name, isAdministrator, needsFactor }) => ({
      email,
      name,
      isAdministrator,
      needsFactor,
    }),
  });
}

const luciaOverHttp = createLucia(false);
const luciaOverHttps = createLucia(true);

function getLucia(appOrigin: string) {
  return appOrigin.startsWith("https:") ? luciaOverHttps : luciaOverHttp;
}

/**
 * Reads the session's id from a Cookie header; null without one. Lucia's own reader decodes every cookie, and throws at
 * one of another program that does not decode.
 */
function readSessionId({ sessionCookieName }: Lucia, cookies: string): string | null {
  const start = `${sessionCookieName}=`;
  const pairs = cookies.split(";").map((pair) => pair.trim());
  return pairs.findLast((pair) => pair.startsWith(start))?.slice(start.length) || null;
}

/**
 * Finds the operator of a request. A cookie of no session stays in the browser: an answer that removed
 * it could come after the answer that renewed the session.
 * @param cookies the request's Cookie header
 * @param appOrigin the public origin, which decides the cookie's name
 */
export async function findSession(cookies: string, appOrigin: string): Promise<SessionFinding> {
  const lucia = getLucia(appOrigin);
  const sessionId = readSessionId(lucia, cookies);
  if (!sessionId) return { operator: null, cookieChange: null };
  const { session, user } = await lucia.validateSession(sessionId);
  if (!session) return { operator: null, cookieChange: null };
  return {
    operator: {
      id: user.id,
      email: user.email,
      name: user.name,
      isAdministrator: user.isAdministrator,
    },
    needsFactor: user.needsFactor || undefined,
    cookieChange: session.fresh ? lucia.createSessionCookie(session.id).serialize() : null,
  };
}

/** Checks whether a request's session is still valid, without extending it. */
export async function isSignedIn(cookies: string, appOrigin: string): Promise<boolean> {
  const sessionId = readSessionId(getLucia(appOrigin), cookies);
  if (!sessionId) return false;
  const [session] = await sessionAdapter.getSessionAndUser(sessionId);
  return session !== null && session.expiresAt > new Date();
}

/**
 * Signs a browser in with a new session id. The browser's earlier session is ended, because an
 * attacker may have planted it.
 * @returns the Set-Cookie value
 * @throws {Failure} `sign_in_refused` when the password was changed or the account disabled meanwhile
 */
export async function startSession(
  { id, passwordHash }: SignedIn,
  { cookies, ip, userAgent }: Browser,
  appOrigin: string,
): Promise<string> {
  const lucia = getLucia(appOrigin);
  const formerId = readSessionId(lucia, cookies);
  if (formerId) await lucia.invalidateSession(formerId);
  // Expired sessions are removed here because a sign-in already waits for a password hash.
  await lucia.deleteExpiredSessions();
  const session = await lucia.createSession(id, { ip, userAgent, passwordHash });
  return lucia.createSessionCookie(session.id).serialize();
}

/** The bytes of a session's id, as many as Lucia gives it. */
const ID_BYTES = 25;

/**
 * Gives a browser's session a new id, since its operator has proved again who they are. The former id
 * ends: whoever had taken it before is out.
 * @returns the Set-Cookie value; null when the session is over
 */
export async function renewSession(cookies: string, appOrigin: string): Promise<string | null> {
  const lucia = getLucia(appOrigin);
  const formerId = readSessionId(lucia, cookies);
  if (!formerId) return null;
  const sessionId = generateIdFromEntropySize(ID_BYTES);
  const renewed = await withDatabase((db) =>
    db
      .update(sessions)
      .set({ id: hashSessionId(sessionId) })
      .where(eq(sessions.id, hashSessionId(formerId)))
      .returning({ id: sessions.id }),
  );
  return renewed.length > 0 ? lucia.createSessionCookie(sessionId).serialize() : null;
}

/**
 * Signs a browser out and ends its session in the database.
 * @returns the Set-Cookie value
 */
export async function endSession(cookies: string, appOrigin: string): Promise<string> {
  const lucia = getLucia(appOrigin);
  const sessionId = readSessionId(lucia, cookies);
  if (sessionId) await lucia.invalidateSession(sessionId);
  return lucia.createBlankSessionCookie().serialize();
}

/**
 * Returns the stored id of a browser's session, which is the hash of the cookie's id. Returns null
 * without a session.
 */
export function getStoredSessionId(cookies: string, appOrigin: string): string | null {
  const sessionId = readSessionId(getLucia(appOrigin), cookies);
  return sessionId && hashSessionId(sessionId);
}

/** Signs an operator out everywhere, within the caller's transaction. */
export async function endOperatorSessions(executor: Executor, operatorId: string): Promise<void> {
  await executor.delete(sessions).where(eq(sessions.operatorId, operatorId));
}
