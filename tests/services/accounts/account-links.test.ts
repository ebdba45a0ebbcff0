import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { accountLinks, operators } from "../../../app/db/schema/operators";
import { pointSystemMembers } from "../../../app/db/schema/point-systems";
import { listAccountAudit, listPointSystemAudit } from "../../../app/services/access/audit-log";
import { getMember } from "../../../app/services/access/members";
import {
  createInvitation,
  findInvitation,
  listInvitations,
  OPEN_INVITATIONS_MAX,
  revokeInvitation,
} from "../../../app/services/accounts/account-links";
import { acceptAsNewOperator, acceptInvitation } from "../../../app/services/accounts/invitations";
import { signIn } from "../../../app/services/accounts/sign-in";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import {
  ageLinks,
  codeOf,
  createAdministrator,
  createMember,
  createOperator,
  createOrigin,
  createOwner,
  describeOperator,
  failureOf,
  PASSWORD,
  tally,
  toActor,
} from "../../support/operators";

const NO_FILTER = { action: null, actor: null, beforeId: null };
const countOperators = () => withDatabase((db) => db.$count(operators));
const countMembers = (pointSystemId: string) =>
  withDatabase((db) =>
    db.$count(pointSystemMembers, eq(pointSystemMembers.pointSystemId, pointSystemId)),
  );

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
    expect(await signIn(grace, createOrigin())).toMatchObject(created);
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
    await ageLinks(7 * 24 - 1);
    expect(await findInvitation(expired, null)).not.toBeNull();
    const [newest] = await listInvitations(owner);
    await revokeInvitation(owner, newest?.id ?? "");
    expect(await listInvitations(owner)).toHaveLength(1);
    await ageLinks(1);
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
