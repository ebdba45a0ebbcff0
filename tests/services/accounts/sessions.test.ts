import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import {
  endSession,
  findSession,
  isSignedIn,
  renewSession,
  startSession,
} from "../../../app/auth/sessions";
import { withDatabase } from "../../../app/db/client";
import { operators } from "../../../app/db/schema/operators";
import { sessions } from "../../../app/db/schema/sessions";
import { createOperator } from "../../support/operators";

const HTTP = "http://localhost:3000";
const HTTPS = "https://points.example.com";
const DAY_MS = 24 * 60 * 60 * 1_000;

const BROWSER = { ip: "192.0.2.7", userAgent: "Mozilla/5.0" };
const start = (operatorId: string, cookies: string, appOrigin: string) =>
  startSession({ id: operatorId }, { ...BROWSER, cookies }, appOrigin);

/** Returns the Cookie header that a browser sends after a Set-Cookie value. */
const toCookie = (setCookie: string) => setCookie.split(";")[0] as string;

const listRows = (operatorId: string) =>
  withDatabase((db) => db.select().from(sessions).where(eq(sessions.operatorId, operatorId)));

async function signedIn(cookie: string): Promise<boolean> {
  return (await findSession(cookie, HTTP)).operator !== null;
}

test("a session's cookie finds its operator", async () => {
  const { id, email } = await createOperator();
  const cookie = toCookie(await start(id, "", HTTP));
  expect(await findSession(cookie, HTTP)).toEqual({
    operator: { id, email, name: "Ada", isAdministrator: false },
    cookieChange: null,
  });
});

test.each(["a=100%", "%", "%zz=1", "a=%E0%A4", "mysession=x", "a"])(
  "a cookie of another program leaves the session alone: %s",
  async (foreign) => {
    const { id } = await createOperator();
    const cookie = toCookie(await start(id, foreign, HTTP));
    expect(await signedIn(`${foreign}; ${cookie};${foreign}`)).toBe(true);
    expect(await signedIn(foreign)).toBe(false);
  },
);

test("a row is no cookie: the database holds the id's hash only", async () => {
  const { id } = await createOperator();
  const cookie = toCookie(await start(id, "", HTTP));
  const [row] = await listRows(id);
  const sessionId = cookie.slice("session=".length);
  expect(row?.id).toBe(createHash("sha256").update(sessionId).digest("hex"));
  expect(await signedIn(`session=${row?.id}`)).toBe(false);
});

test("over https the cookie is Secure and __Host-, over http neither", async () => {
  const { id } = await createOperator();
  const secure = await start(id, "", HTTPS);
  const plain = await start(id, "", HTTP);
  expect(secure.split("; ").sort()).toEqual(
    [
      expect.stringMatching(/^__Host-session=\w{40}$/),
      "HttpOnly",
      `Max-Age=${7 * 24 * 60 * 60}`,
      "Path=/",
      "SameSite=Lax",
      "Secure",
    ].sort(),
  );
  expect(plain).toMatch(/^session=\w{40};/);
  expect(plain).not.toContain("Secure");
  expect((await findSession(toCookie(plain), HTTPS)).operator).toBeNull();
});

test("a cookie of no session finds nobody, and no answer removes what a later one has set", async () => {
  expect(await findSession("session=nonsense", HTTP)).toEqual({
    operator: null,
    cookieChange: null,
  });
});

test("a renewed session goes on under another id, with its ends, and its former id is nobody's", async () => {
  const { id } = await createOperator();
  const former = toCookie(await start(id, "", HTTP));
  const [before] = await listRows(id);
  const renewed = (await renewSession(former, HTTP)) ?? "";
  expect(renewed).toMatch(/^session=\w{40};.*HttpOnly/);
  const current = toCookie(renewed);
  expect(await Promise.all([former, current].map(signedIn))).toEqual([false, true]);
  const [after] = await listRows(id);
  expect({ ...after, id: before?.id }).toEqual(before);
  expect(await renewSession(former, HTTP)).toBeNull();
});

test("signing in again ends the browser's former session, and no other one", async () => {
  const { id } = await createOperator();
  const elsewhere = toCookie(await start(id, "", HTTP));
  const former = toCookie(await start(id, "", HTTP));
  const current = toCookie(await start(id, former, HTTP));
  expect(current).not.toBe(former);
  expect(await Promise.all([former, current, elsewhere].map(signedIn))).toEqual([
    false,
    true,
    true,
  ]);
});

test("signing out ends the session in the database as well", async () => {
  const { id } = await createOperator();
  const cookie = toCookie(await start(id, "", HTTP));
  expect(await endSession(cookie, HTTP)).toMatch(/^session=;.*Max-Age=0/);
  expect(await listRows(id)).toEqual([]);
});

test("a sign-in whose password was changed meanwhile, or whose account was disabled, gets no session", async () => {
  const { id } = await createOperator();
  const browser = { ...BROWSER, cookies: "" };
  const change = (values: Partial<typeof operators.$inferInsert>) =>
    withDatabase((db) =>
      db
        .update(operators)
        .set(values)
        .where(eq(operators.id, id))
        .returning({ passwordHash: operators.passwordHash }),
    );
  const [{ passwordHash = "" } = {}] = await change({ name: "Ada" });
  await startSession({ id, passwordHash }, browser, HTTP);
  expect(await listRows(id)).toHaveLength(1);
  await change({ passwordHash: "another" });
  const late = startSession({ id, passwordHash }, browser, HTTP);
  await expect(late).rejects.toMatchObject({ code: "sign_in_refused" });
  await change({ disabledAt: new Date() });
  const ofDisabled = startSession({ id }, browser, HTTP);
  await expect(ofDisabled).rejects.toMatchObject({ code: "sign_in_refused" });
  expect(await listRows(id)).toHaveLength(1);
});

test("a session says where it was begun, and no more of the browser than fits", async () => {
  const { id } = await createOperator();
  await startSession(
    { id },
    { cookies: "", ip: "2001:db8::1", userAgent: "a".repeat(1_000) },
    HTTP,
  );
  expect(await listRows(id)).toMatchObject([{ ip: "2001:db8::1", userAgent: "a".repeat(300) }]);
});

describe("as time goes by", () => {
  /** Lets days pass, by the database's clock: every session is that much older. */
  const pass = (days: number) =>
    withDatabase((db) =>
      db.execute(sql`
        update sessions set expires_at = expires_at - make_interval(secs => ${days * 86_400}),
          absolute_expires_at = absolute_expires_at - make_interval(secs => ${days * 86_400})`),
    );

  test("a session ends 7 days after it was last prolonged", async () => {
    const { id } = await createOperator();
    const cookie = toCookie(await start(id, "", HTTP));
    await pass(6.9);
    expect(await signedIn(cookie)).toBe(true);
    await pass(7.1);
    expect(await signedIn(cookie)).toBe(false);
    expect(await listRows(id)).toEqual([]);
  });

  test("use in the second half of its 7 days prolongs a session and its cookie", async () => {
    const { id } = await createOperator();
    const cookie = toCookie(await start(id, "", HTTP));
    await pass(3);
    expect((await findSession(cookie, HTTP)).cookieChange).toBeNull();
    await pass(1);
    const { cookieChange } = await findSession(cookie, HTTP);
    expect(cookieChange).toContain(`${cookie}; HttpOnly; Max-Age=${7 * 24 * 60 * 60}`);
    const [row] = await listRows(id);
    const remainingMs = (row?.expiresAt.getTime() ?? 0) - Date.now();
    expect(remainingMs / DAY_MS).toBeCloseTo(7, 2);
  });

  test("no use prolongs a session beyond 30 days", async () => {
    const { id } = await createOperator();
    const cookie = toCookie(await start(id, "", HTTP));
    for (let day = 1; day < 30; day += 1) {
      await pass(1);
      expect(await signedIn(cookie), `day ${day}`).toBe(true);
    }
    await pass(0.99);
    expect(await signedIn(cookie)).toBe(true);
    await pass(0.01);
    expect(await signedIn(cookie)).toBe(false);
  });

  test("a sign-in deletes everybody's sessions that have ended", async () => {
    const [ada, eve] = [await createOperator(), await createOperator()];
    await start(ada.id, "", HTTP);
    await pass(8);
    await start(eve.id, "", HTTP);
    expect(await listRows(ada.id)).toEqual([]);
    expect(await listRows(eve.id)).toHaveLength(1);
  });
});

test("an instance whose clock is days ahead or behind ends no session and prolongs none", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const cookie = toCookie(await start(ada.id, "", HTTP));
  const [before] = await listRows(ada.id);
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    for (const days of [8, -8, 40]) {
      vi.setSystemTime(Date.now() + days * DAY_MS);
      expect(await findSession(cookie, HTTP)).toMatchObject({ cookieChange: null });
      expect(await isSignedIn(cookie, HTTP)).toBe(true);
      await start(eve.id, "", HTTP);
      expect(await listRows(ada.id)).toEqual([before]);
    }
    const ends = (await listRows(eve.id)).map((row) => row.expiresAt.getTime());
    const expected = before?.expiresAt.getTime() ?? 0;
    for (const end of ends) expect(Math.abs(end - expected)).toBeLessThan(60_000);
  } finally {
    vi.useRealTimers();
  }
});
