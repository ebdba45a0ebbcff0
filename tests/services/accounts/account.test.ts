import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { findSession, getStoredSessionId, startSession } from "../../../app/auth/sessions";
import { withDatabase } from "../../../app/db/client";
import { operators } from "../../../app/db/schema/operators";
import {
  getAdministrator,
  getOperatorByEmail,
  listOperators,
  setAdministrator,
} from "../../../app/services/access/administrators";
import { listAccountAudit } from "../../../app/services/access/audit-log";
import {
  changePassword,
  endOtherSessions,
  endOwnSession,
  listSessions,
  renameOperator,
} from "../../../app/services/accounts/account";
import { createInvitation, listInvitations } from "../../../app/services/accounts/account-links";
import { createResetLink, findResetLink } from "../../../app/services/accounts/password-reset";
import { signIn } from "../../../app/services/accounts/sign-in";
import {
  codeOf,
  createAdministrator,
  createOperator,
  createOrigin,
  failureOf,
  PASSWORD,
  tally,
  toActor,
} from "../../support/operators";

const HTTP = "http://localhost:3000";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NO_FILTER = { action: null, actor: null, beforeId: null };
const NEXT = "another long passphrase";

/** Signs a browser in. */
async function startBrowser(operatorId: string, userAgent = FIREFOX) {
  const browser = { cookies: "", ip: "192.0.2.7", userAgent };
  const cookie = (await startSession({ id: operatorId }, browser, HTTP)).split(";")[0] as string;
  const isSignedIn = async () => (await findSession(cookie, HTTP)).operator !== null;
  return { cookie, id: getStoredSessionId(cookie, HTTP) ?? "", isSignedIn };
}
const listActions = async (operatorId: string) =>
  (await listAccountAudit(operatorId, NO_FILTER)).entries.map(({ action }) => action);

test("a name is changed, and the log says from what", async () => {
  const actor = toActor(await createOperator());
  await renameOperator(actor, "Grace");
  expect((await listAccountAudit(actor.operatorId, NO_FILTER)).entries).toMatchObject([
    { action: "operator.update", before: { name: "Ada" }, after: { name: "Grace" } },
  ]);
});

test("a password change ends every session of the operator, and of nobody else", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const browsers = [await startBrowser(ada.id), await startBrowser(ada.id)];
  const other = await startBrowser(eve.id);
  const { token } = await createResetLink(null, ada.id);
  await changePassword(toActor(ada), { current: PASSWORD, next: NEXT });
  for (const { isSignedIn } of browsers) expect(await isSignedIn()).toBe(false);
  expect(await other.isSignedIn()).toBe(true);
  expect(await findResetLink(token)).toBeNull();
  const { email } = ada;
  expect(await codeOf(signIn({ email, password: PASSWORD }, createOrigin()))).toBe(
    "sign_in_refused",
  );
  expect(await signIn({ email, password: NEXT }, createOrigin())).toMatchObject(ada);
  const { entries } = await listAccountAudit(ada.id, NO_FILTER);
  expect(entries.map(({ action }) => action)).toEqual(["operator.sign_in", "operator.password"]);
  for (const password of [PASSWORD, NEXT]) {
    expect(JSON.stringify(entries)).not.toContain(password);
  }
});

test("the current password cannot be guessed, and guesses keep nobody from signing in elsewhere", async () => {
  const ada = await createOperator();
  const actor = toActor(ada);
  const browser = await startBrowser(ada.id);
  const origin = createOrigin("198.51.100.77");
  const guesses = Array.from({ length: 12 }, () =>
    changePassword({ ...actor, ...origin }, { current: "a wrong guess", next: NEXT }),
  );
  expect(await tally(guesses)).toEqual({ password_wrong: 10, too_many_sign_ins: 2 });
  const right = { current: PASSWORD, next: NEXT };
  expect(await codeOf(changePassword({ ...actor, ...origin }, right))).toBe("too_many_sign_ins");
  expect(await browser.isSignedIn()).toBe(true);
  expect(await listActions(ada.id)).toEqual([]);
  const { email } = ada;
  const elsewhere = signIn({ email, password: PASSWORD }, createOrigin("198.51.100.78"));
  expect(await elsewhere).toMatchObject({ id: ada.id });
});

test("of 5 changes at once from one password, one is made", async () => {
  const actor = toActor(await createOperator());
  const changes = Array.from({ length: 5 }, (_, i) =>
    changePassword(actor, { current: PASSWORD, next: `passphrase number ${i}` }),
  );
  expect(await tally(changes)).toEqual({ succeeded: 1, password_wrong: 4 });
});

test("sessions are listed in words, this one marked, and none can be used as a cookie", async () => {
  const ada = await createOperator();
  await startBrowser(ada.id, "curl/8");
  const current = await startBrowser(ada.id);
  await startBrowser((await createOperator()).id);
  const listed = await listSessions(toActor(ada), current.id);
  expect(listed).toMatchObject([
    { id: current.id, agent: "Firefox on Linux", ip: "192.0.2.7", isCurrent: true },
    { agent: "Unknown browser", since: expect.any(Date), isCurrent: false },
  ]);
  expect(listed).toHaveLength(2);
  for (const { id } of listed) {
    expect((await findSession(`session=${id}`, HTTP)).operator).toBeNull();
  }
});

test("only an operator's own session can be ended, and the log says which", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const [mine, theirs] = [await startBrowser(ada.id), await startBrowser(eve.id)];
  for (const id of [theirs.id, "nonsense", ""]) {
    expect(await codeOf(endOwnSession(toActor(ada), id))).toBe("not_found");
  }
  expect(await theirs.isSignedIn()).toBe(true);
  await endOwnSession(toActor(ada), mine.id);
  expect(await mine.isSignedIn()).toBe(false);
  expect((await listAccountAudit(ada.id, NO_FILTER)).entries).toMatchObject([
    { action: "session.end", subject: "Firefox on Linux", before: { ip: "192.0.2.7" } },
  ]);
});

test("all sessions but this one are ended at once, and nobody else's", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const [mine, elsewhere] = [await startBrowser(ada.id), await startBrowser(ada.id)];
  const theirs = await startBrowser(eve.id);
  expect(await endOtherSessions(toActor(ada), mine.id)).toBe(1);
  expect(await endOtherSessions(toActor(ada), mine.id)).toBe(0);
  expect(await mine.isSignedIn()).toBe(true);
  expect(await elsewhere.isSignedIn()).toBe(false);
  expect(await theirs.isSignedIn()).toBe(true);
  expect(await listActions(ada.id)).toEqual(["session.end"]);
});

test("a sign-in is in the log with its address; a wrong password is not, nor what was typed", async () => {
  const { id, email } = await createOperator();
  await failureOf(signIn({ email, password: "a wrong guess" }, createOrigin("198.51.100.9")));
  await signIn({ email, password: PASSWORD }, createOrigin("198.51.100.9"));
  expect((await listAccountAudit(id, NO_FILTER)).entries).toMatchObject([
    { action: "operator.sign_in", actor: email, ip: "198.51.100.9", before: null, after: null },
  ]);
});

test("who is no administrator is told that there is no such page", async () => {
  expect(await codeOf(getAdministrator(toActor(await createOperator())))).toBe("not_found");
});

test("operators are listed whole, a page at a time", async () => {
  for (let i = 0; i < 60; i += 1) {
    await withDatabase((db) =>
      db
        .insert(operators)
        .values({ email: `crew${i}@example.com`, name: "Crew", passwordHash: "" }),
    );
  }
  const emails: string[] = [];
  let afterId: string | null = null;
  for (;;) {
    const found: Awaited<ReturnType<typeof listOperators>> = await listOperators(null, afterId);
    emails.push(...found.operators.map(({ email }) => email));
    if (!found.hasMore) break;
    afterId = found.operators.at(-1)?.id ?? null;
  }
  expect(emails).toHaveLength(await withDatabase((db) => db.$count(operators)));
  expect(new Set(emails).size).toBe(emails.length);
});

test("an administrator makes another one; a dismissed one has handed out nothing", async () => {
  const first = await createAdministrator();
  const ada = await createOperator();
  const { isAdministrator } = await setAdministrator(first, ada.id, true);
  expect(isAdministrator).toBe(true);
  const second = await getAdministrator(toActor(ada));
  await createInvitation(second, null);
  const { token } = await createResetLink(second, first.actor.operatorId);
  await setAdministrator(first, ada.id, false);
  expect(await listInvitations(first)).toEqual([]);
  expect(await findResetLink(token)).toBeNull();
  // These requests were authorized before.
  expect(await codeOf(createInvitation(second, null))).toBe("not_found");
  expect(await codeOf(createResetLink(second, ada.id))).toBe("not_found");
  expect(await codeOf(setAdministrator(second, ada.id, true))).toBe("not_found");
  expect(await getOperatorByEmail(null, ada.email)).toMatchObject({ isAdministrator: false });
});

test("the last administrator stays one, also when all dismiss each other at once", async () => {
  await withDatabase((db) => db.update(operators).set({ isAdministrator: false }));
  const administrators = await Promise.all(Array.from({ length: 6 }, createAdministrator));
  const attempts = administrators.map((by, i) => {
    const next = administrators[(i + 1) % administrators.length] ?? by;
    return setAdministrator(by, next.actor.operatorId, false);
  });
  await tally(attempts);
  const left = await withDatabase((db) =>
    db.select({ id: operators.id }).from(operators).where(eq(operators.isAdministrator, true)),
  );
  expect(left.length).toBeGreaterThan(0);
  for (const { id } of left.slice(1)) await setAdministrator(null, id, false);
  expect(await codeOf(setAdministrator(null, left[0]?.id ?? "", false))).toBe(
    "administrator_needed",
  );
});
