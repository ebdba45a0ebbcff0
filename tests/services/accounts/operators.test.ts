import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { findSession } from "../../../app/auth/sessions";
import { withDatabase } from "../../../app/db/client";
import { operators } from "../../../app/db/schema/operators";
import type { Administrator } from "../../../app/services/access/administrators";
import { listAccountAudit } from "../../../app/services/access/audit-log";
import { getMember, type Member } from "../../../app/services/access/members";
import { createInvitation, findInvitation } from "../../../app/services/accounts/account-links";
import { acceptInvitation } from "../../../app/services/accounts/invitations";
import { transferOwnership } from "../../../app/services/accounts/memberships";
import {
  deleteOperator,
  disableOperator,
  enableOperator,
  endSessionsOf,
} from "../../../app/services/accounts/operators";
import { createResetLink, findResetLink } from "../../../app/services/accounts/password-reset";
import { signIn } from "../../../app/services/accounts/sign-in";
import { createApiKey, listApiKeys } from "../../../app/services/api-keys/api-keys";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { call } from "../../support/call";
import {
  codeOf,
  createAdministrator,
  createMember,
  createOperator,
  createOrigin,
  createOwner,
  PASSWORD,
  tally,
  toActor,
} from "../../support/operators";
import { startTestSession } from "../../support/pages";

let by: Administrator;
let owner: Member<"owner">;
beforeEach(async () => {
  by = await createAdministrator();
  owner = await createOwner("Harbour");
});

const isSignedIn = async (cookies: string) =>
  (await findSession(cookies, "http://test.local")).operator !== null;
const enter = (email: string) =>
  signIn({ email, password: PASSWORD }, createOrigin(`2001:db8:${randomUUID().slice(0, 4)}::1`));
const makeKey = async ({ actor, pointSystemId }: Member<"owner">) => {
  const id = randomUUID();
  const key = { id, name: "Shop", permission: "read", pointSystemIds: [pointSystemId] } as const;
  return (await createApiKey(actor, { ...key, expiresAt: null })).token;
};
const read = async (token: string) => {
  const path = `/leaderboard?pointSystemId=${owner.pointSystemId}`;
  return (await call(path, { headers: { Authorization: `Bearer ${token}` } })).status;
};

test("a disabled operator is out at once: no session, no sign-in, no link of theirs works", async () => {
  const { operatorId, email } = owner.actor;
  const session = await startTestSession(owner.actor);
  const invitation = await createInvitation(owner, "editor");
  const { token: reset } = await createResetLink(by, operatorId);
  const key = await makeKey(owner);
  await disableOperator(by, operatorId, false);
  expect(await isSignedIn(session)).toBe(false);
  expect(await findInvitation(invitation, null)).toBeNull();
  expect(await findResetLink(reset)).toBeNull();
  expect(await codeOf(enter(email))).toBe("account_disabled");
  // A wrong password does not tell.
  const wrong = signIn({ email, password: "a bad guess" }, createOrigin());
  expect(await codeOf(wrong)).toBe("sign_in_refused");
  expect(await codeOf(createResetLink(by, operatorId))).toBe("account_disabled");
  // A sign-in under way starts no session any more.
  expect(await codeOf(startTestSession(owner.actor))).toBe("sign_in_refused");
  expect(await read(key)).toBe(200);
  await enableOperator(by, operatorId);
  expect(await enter(email)).toMatchObject({ email });
});

test("their API keys end with them where the administrator says so", async () => {
  const key = await makeKey(owner);
  expect(await read(key)).toBe(200);
  await disableOperator(by, owner.actor.operatorId, true);
  expect(await read(key)).toBe(401);
});

test("a deleted operator leaves their entries in the audit log, and their point systems to an heir", async () => {
  const { operatorId, email } = owner.actor;
  const heir = await createMember(owner, "viewer");
  const key = await makeKey(owner);
  const gone = await createOwner("Gone");
  await withDatabase((db) =>
    db.execute(sql`update point_systems set operator_id = ${operatorId}
      where id = ${gone.pointSystemId}`),
  );
  await deletePointSystem({ ...gone, actor: owner.actor }, "Gone");
  await enter(email);
  expect(await codeOf(deleteOperator(by, operatorId, ""))).toBe("heir_needed");
  for (const nobody of ["nobody@example.com", email]) {
    expect(await codeOf(deleteOperator(by, operatorId, nobody))).toBe("heir_unknown");
  }
  await deleteOperator(by, operatorId, heir.actor.email);
  const { role } = await getMember(heir.actor, owner.pointSystemId, "owner");
  expect(role).toBe("owner");
  expect(await codeOf(enter(email))).toBe("sign_in_refused");
  expect(await read(key)).toBe(401);
  const filter = { action: null, actor: email, beforeId: null };
  const { entries } = await listAccountAudit(null, filter);
  expect(entries.map(({ action }) => action)).toContain("operator.sign_in");
});

test("an operator without point systems needs no heir, and their address is free again", async () => {
  const { id, email } = await createOperator();
  await deleteOperator(by, id, "");
  const [left] = await withDatabase((db) =>
    db.select().from(operators).where(eq(operators.email, email)),
  );
  expect(left).toBeUndefined();
});

test("an administrator ends the sessions of another operator, and no others", async () => {
  const [theirs, own] = [await startTestSession(owner.actor), await startTestSession(by.actor)];
  await endSessionsOf(by, owner.actor.operatorId);
  expect([await isSignedIn(theirs), await isSignedIn(own)]).toEqual([false, true]);
});

test("nobody does it to themselves, nor who is no administrator any more", async () => {
  const self = by.actor.operatorId;
  const other = await createAdministrator();
  for (const attempt of [
    () => disableOperator(by, self, false),
    () => deleteOperator(by, self, ""),
    () => endSessionsOf(by, self),
  ]) {
    expect(await codeOf(attempt())).toBe("own_account");
  }
  await disableOperator(by, other.actor.operatorId, false);
  expect(await codeOf(disableOperator(other, owner.actor.operatorId, false))).toBe("not_found");
});

test("one administrator stays when all disable each other at once", async () => {
  await withDatabase((db) => db.update(operators).set({ isAdministrator: false }));
  const all = await Promise.all(Array.from({ length: 5 }, createAdministrator));
  await tally(
    all.map((one, n) => {
      const next = all[(n + 1) % all.length] ?? one;
      return disableOperator(one, next.actor.operatorId, false);
    }),
  );
  const left = await withDatabase((db) =>
    db.$count(operators, sql`is_administrator and disabled_at is null`),
  );
  expect(left).toBeGreaterThan(0);
});

test("the invitations of a former owner end with the transfer", async () => {
  const heir = await createMember(owner, "editor");
  const token = await createInvitation(owner, "editor");
  await transferOwnership(owner, heir.actor.operatorId, "Harbour");
  expect(await findInvitation(token, null)).toBeNull();
  const guest = toActor(await createOperator());
  expect(await codeOf(acceptInvitation(token, guest))).toBe("link_invalid");
  expect(await listApiKeys(guest.operatorId)).toEqual([]);
});
