import { randomBytes, randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { startSession } from "../../app/auth/sessions";
import { withDatabase } from "../../app/db/client";
import { accountLinks, operators } from "../../app/db/schema/operators";
import { pointSystemMembers } from "../../app/db/schema/point-systems";
import { sessions } from "../../app/db/schema/sessions";
import {
  createInvitation,
  findInvitation,
  listInvitations,
  OPEN_INVITATIONS_MAX,
  revokeInvitation,
} from "../../app/services/account-links";
import { listAccountAudit, listPointSystemAudit } from "../../app/services/audit-log";
import { acceptAsNewOperator, acceptInvitation } from "../../app/services/invitations";
import { getMember } from "../../app/services/members";
import { signUp } from "../../app/services/new-operators";
import { signIn } from "../../app/services/operators";
import { createResetLink, findResetLink, resetPassword } from "../../app/services/password-reset";
import { deletePointSystem } from "../../app/services/point-systems";
import {
  createAdministrator,
  createMember,
  createOperator,
  createOrigin,
  createOwner,
  failureOf,
  PASSWORD,
  tally,
  toActor,
} from "../operators";

const NO_FILTER = { action: null, actor: null, beforeId: null };
const describeOperator = () => ({
  email: `${randomUUID()}@example.com`,
  name: "Grace",
  password: PASSWORD,
});
const countOperators = () => withDatabase((db) => db.$count(operators));
const countMembers = (pointSystemId: string) =>
  withDatabase((db) =>
    db.$count(pointSystemMembers, eq(pointSystemMembers.pointSystemId, pointSystemId)),
  );
/** Moves the end of every link nearer. */
const age = (hours: number) =>
  withDatabase((db) =>
    db.execute(
      sql`update account_links set expires_at = expires_at - make_interval(hours => ${hours})`,
    ),
  );
const codeOf = async (promise: Promise<unknown>) => (await failureOf(promise)).code;

describe("an invitation to a point system", () => {
  test("makes an account that can sign in and has the role, and tells both logs", async () => {
    const owner = await createOwner("Harbour");
    const token = await createInvitation(owner, "viewer");
    expect(await findInvitation(token, null)).toEqual({
      pointSystem: { id: owner.pointSystemId, name: "Harbour" },
      role: "viewer",
      standing: null,
    });
    const grace = describeOperator();
    const created = await acceptAsNewOperator(token, grace, createOrigin("192.0.2.9"));
    expect(created).toMatchObject({ email: grace.email, name: "Grace", isAdministrator: false });
    expect(await signIn(grace, createOrigin())).toEqual(created);
    const member = await getMember(toActor(created), owner.pointSystemId, "viewer");
    expect(member.role).toBe("viewer");
    const { entries } = await listPointSystemAudit(owner, NO_FILTER);
    expect(entries).toMatchObject([
      { action: "member.join", actor: grace.email, ip: "192.0.2.9", after: { role: "viewer" } },
      { action: "member.invite", actor: owner.actor.email, subject: "viewer" },
    ]);
    expect(entries[0]?.after?.invitation).toBe(entries[1]?.after?.invitation);
    const own = await listAccountAudit(created.id, NO_FILTER);
    expect(own.entries.map(({ action }) => action)).toEqual([
      "operator.sign_in",
      "operator.create",
    ]);
    expect(JSON.stringify([entries, own])).not.toContain(PASSWORD);
  });

  test("lets in an operator who is signed in", async () => {
    const owner = await createOwner("Harbour");
    const token = await createInvitation(owner, "editor");
    const grace = toActor(await createOperator());
    expect(await findInvitation(token, grace.operatorId)).toMatchObject({ standing: null });
    expect(await acceptInvitation(token, grace)).toEqual({
      pointSystemId: owner.pointSystemId,
      name: "Harbour",
    });
    expect((await getMember(grace, owner.pointSystemId, "editor")).role).toBe("editor");
  });

  test("works once, for whichever of 50 at once, new and known", async () => {
    const owner = await createOwner();
    const token = await createInvitation(owner, "viewer");
    const known = await Promise.all(Array.from({ length: 25 }, createOperator));
    const before = await countOperators();
    const attempts = [
      ...known.map((operator) => acceptInvitation(token, toActor(operator))),
      ...Array.from({ length: 25 }, () =>
        acceptAsNewOperator(token, describeOperator(), createOrigin()),
      ),
    ];
    expect(await tally(attempts)).toEqual({ succeeded: 1, link_invalid: 49 });
    expect(await countMembers(owner.pointSystemId)).toBe(1);
    expect((await countOperators()) - before).toBeLessThanOrEqual(1);
    expect(await findInvitation(token, null)).toBeNull();
  });

  test("makes one account of 50 at once", async () => {
    const owner = await createOwner();
    const token = await createInvitation(owner, "viewer");
    const before = await countOperators();
    const attempts = Array.from({ length: 50 }, () =>
      acceptAsNewOperator(token, describeOperator(), createOrigin()),
    );
    expect(await tally(attempts)).toEqual({ succeeded: 1, link_invalid: 49 });
    expect(await countOperators()).toBe(before + 1);
    expect(await countMembers(owner.pointSystemId)).toBe(1);
  });

  test("is not used up by who is in already, nor by an address that is taken", async () => {
    const owner = await createOwner();
    const viewer = await createMember(owner, "viewer");
    const token = await createInvitation(owner, "editor");
    for (const { actor, role } of [owner, viewer]) {
      expect(await findInvitation(token, actor.operatorId)).toMatchObject({ standing: role });
      expect(await codeOf(acceptInvitation(token, actor))).toBe("member_already");
    }
    const taken = { ...describeOperator(), email: viewer.actor.email };
    const refusal = await failureOf(acceptAsNewOperator(token, taken, createOrigin()));
    expect(refusal).toMatchObject({ code: "email_unusable", details: { field: "email" } });
    expect((await getMember(viewer.actor, owner.pointSystemId, "viewer")).role).toBe("viewer");
    await acceptInvitation(token, toActor(await createOperator()));
  });

  test("is of no use after 7 days, once revoked, or when the point system is deleted", async () => {
    const owner = await createOwner("Harbour");
    const tokens = [
      await createInvitation(owner, "viewer"),
      await createInvitation(owner, "viewer"),
    ];
    const [expired = "", revoked = ""] = tokens;
    await age(7 * 24 - 1);
    expect(await findInvitation(expired, null)).not.toBeNull();
    const [newest] = await listInvitations(owner);
    await revokeInvitation(owner, newest?.id ?? "");
    expect(await listInvitations(owner)).toHaveLength(1);
    await age(1);
    expect(await listInvitations(owner)).toEqual([]);
    const orphaned = await createInvitation(owner, "viewer");
    await deletePointSystem(owner, "Harbour");
    const actor = toActor(await createOperator());
    for (const token of [expired, revoked, orphaned, "", "nonsense", "\u0000"]) {
      expect(await findInvitation(token, actor.operatorId)).toBeNull();
      expect(await codeOf(acceptInvitation(token, actor))).toBe("link_invalid");
      expect(await codeOf(acceptAsNewOperator(token, describeOperator(), createOrigin()))).toBe(
        "link_invalid",
      );
    }
  });

  test("is listed without its token, and only its own owner can revoke it", async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    const token = await createInvitation(owner, "editor");
    const [invitation] = await listInvitations(owner);
    expect(invitation).toMatchObject({ role: "editor", madeBy: owner.actor.email });
    expect(await listInvitations(other)).toEqual([]);
    for (const id of [invitation?.id ?? "", randomUUID(), "nonsense"]) {
      expect(await codeOf(revokeInvitation(other, id))).toBe("not_found");
    }
    const administrator = await createAdministrator();
    expect(await codeOf(revokeInvitation(administrator, invitation?.id ?? ""))).toBe("not_found");
    const rows = await withDatabase((db) => db.select().from(accountLinks));
    for (const secret of [token, Buffer.from(token, "base64url").toString("hex")]) {
      expect(JSON.stringify([rows, invitation])).not.toContain(secret);
      expect(JSON.stringify(await listPointSystemAudit(owner, NO_FILTER))).not.toContain(secret);
    }
    expect(token).toMatch(/^[\w-]{43}$/);
  });

  test("is one of at most 50 that are open at once", async () => {
    const owner = await createOwner();
    const attempts = Array.from({ length: OPEN_INVITATIONS_MAX + 5 }, () =>
      createInvitation(owner, "viewer"),
    );
    expect(await tally(attempts)).toEqual({ succeeded: OPEN_INVITATIONS_MAX, too_many_links: 5 });
    const [first] = await listInvitations(owner);
    await revokeInvitation(owner, first?.id ?? "");
    await createInvitation(owner, "viewer");
  });
});

describe("an invitation to the installation", () => {
  test("makes one account, in no point system, and lets nobody join anything", async () => {
    const administrator = await createAdministrator();
    const token = await createInvitation(administrator, null);
    expect(await findInvitation(token, null)).toEqual({
      pointSystem: null,
      role: null,
      standing: null,
    });
    const actor = toActor(await createOperator());
    expect(await codeOf(acceptInvitation(token, actor))).toBe("link_invalid");
    const created = await acceptAsNewOperator(token, describeOperator(), createOrigin());
    expect(created.isAdministrator).toBe(false);
    expect(await codeOf(acceptAsNewOperator(token, describeOperator(), createOrigin()))).toBe(
      "link_invalid",
    );
  });
});

describe("signing up", () => {
  test("makes an account that runs nothing; a taken address is refused", async () => {
    const grace = describeOperator();
    const created = await signUp(grace, createOrigin("203.0.113.1"));
    expect(await signIn(grace, createOrigin())).toEqual({ ...created, isAdministrator: false });
    const refusal = await failureOf(signUp(grace, createOrigin("203.0.113.1")));
    expect(refusal).toMatchObject({ code: "email_unusable", details: { field: "email" } });
  });

  test("is possible 10 times in 15 minutes from one network, however it ends", async () => {
    const { email } = await createOperator();
    const origin = createOrigin("203.0.113.2");
    const attempts = Array.from({ length: 30 }, (_, i) =>
      signUp({ ...describeOperator(), ...(i % 2 === 0 && { email }) }, origin),
    );
    const { succeeded = 0, email_unusable = 0, too_many_sign_ups } = await tally(attempts);
    expect(succeeded + email_unusable).toBe(10);
    expect(too_many_sign_ups).toBe(20);
    const { details } = await failureOf(signUp(describeOperator(), origin));
    expect(details.retryAfterSeconds).toBeGreaterThan(890);
    // Who shares the network and has an account still signs in.
    await signIn({ email, password: PASSWORD }, origin);
  });
});

describe("a reset link", () => {
  const startBrowser = (operatorId: string) =>
    startSession(
      operatorId,
      { cookies: "", ip: "192.0.2.7", userAgent: "" },
      "http://localhost:3000",
    );
  const countSessions = (operatorId: string) =>
    withDatabase((db) => db.$count(sessions, eq(sessions.operatorId, operatorId)));

  test("sets the password, once, and signs out everywhere", async () => {
    const administrator = await createAdministrator();
    const [grace, other] = [await createOperator(), await createOperator()];
    await startBrowser(grace.id);
    await startBrowser(other.id);
    const { token } = await createResetLink(administrator, grace.id);
    expect(await findResetLink(token)).toEqual({ email: grace.email });
    const password = "another long passphrase";
    expect(await resetPassword(token, password, createOrigin())).toMatchObject(grace);
    expect(await countSessions(grace.id)).toBe(0);
    expect(await countSessions(other.id)).toBe(1);
    expect(await codeOf(signIn({ email: grace.email, password: PASSWORD }, createOrigin()))).toBe(
      "sign_in_refused",
    );
    expect(await signIn({ email: grace.email, password }, createOrigin())).toMatchObject(grace);
    expect(await findResetLink(token)).toBeNull();
    expect(await codeOf(resetPassword(token, password, createOrigin()))).toBe("link_invalid");
    const { entries } = await listAccountAudit(grace.id, NO_FILTER);
    expect(entries.map(({ action }) => action)).toContain("operator.reset");
  });

  test("of 50 at once sets one password", async () => {
    const grace = await createOperator();
    const { token } = await createResetLink(null, grace.id);
    const attempts = Array.from({ length: 50 }, (_, i) =>
      resetPassword(token, `passphrase number ${i}`, createOrigin()),
    );
    expect(await tally(attempts)).toEqual({ succeeded: 1, link_invalid: 49 });
  });

  test("takes the former one's place, lives a day, and is no invitation", async () => {
    const grace = await createOperator();
    const { token: former } = await createResetLink(null, grace.id);
    const { token } = await createResetLink(null, grace.id);
    expect(await findResetLink(former)).toBeNull();
    expect(await findInvitation(token, null)).toBeNull();
    expect(await codeOf(acceptAsNewOperator(token, describeOperator(), createOrigin()))).toBe(
      "link_invalid",
    );
    const invitation = await createInvitation(await createAdministrator(), null);
    expect(await codeOf(resetPassword(invitation, PASSWORD, createOrigin()))).toBe("link_invalid");
    await age(23);
    expect(await findResetLink(token)).not.toBeNull();
    await age(1);
    expect(await findResetLink(token)).toBeNull();
    for (const unknown of [token, "", randomBytes(32).toString("base64url")]) {
      expect(await codeOf(resetPassword(unknown, PASSWORD, createOrigin()))).toBe("link_invalid");
    }
  });

  test("is made for operators that there are", async () => {
    for (const id of [randomUUID(), "nonsense"]) {
      expect(await codeOf(createResetLink(null, id))).toBe("not_found");
    }
  });
});
