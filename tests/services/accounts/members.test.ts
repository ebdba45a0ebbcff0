import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { apiKeyPointSystems, apiKeys } from "../../../app/db/schema/api-keys";
import { operators } from "../../../app/db/schema/operators";
import { pointSystemMembers } from "../../../app/db/schema/point-systems";
import { generateApiKeyToken, hashApiKeyToken } from "../../../app/domain/access/api-key";
import { parseAddress } from "../../../app/domain/address";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import { getMember, type Member } from "../../../app/services/access/members";
import { createInvitation } from "../../../app/services/accounts/account-links";
import { acceptInvitation } from "../../../app/services/accounts/invitations";
import {
  changeMemberRole,
  leavePointSystem,
  listMembers,
  MEMBERS_MAX,
  removeMember,
  transferOwnership,
} from "../../../app/services/accounts/memberships";
import { disableOperator, enableOperator } from "../../../app/services/accounts/operators";
import { listWalletHistory } from "../../../app/services/activity/wallet-history";
import { listApiKeys } from "../../../app/services/api-keys/api-keys";
import { grantPoints } from "../../../app/services/ledger/grants";
import {
  codeOf,
  createAdministrator,
  createMember,
  createOperator,
  createOwner,
  createPointSystem,
  failureOf,
  tally,
  toActor,
} from "../../support/operators";

const NO_FILTER = { action: null, actor: null, beforeId: null };

/** Stores an operator's API key that reaches these point systems. */
async function createApiKey(operatorId: string, pointSystemIds: readonly string[]) {
  return withDatabase(async (db) => {
    const token = generateApiKeyToken();
    const [key] = await db
      .insert(apiKeys)
      .values({
        operatorId,
        name: "backend",
        tokenHash: hashApiKeyToken(token),
        permission: "all",
      })
      .returning({ id: apiKeys.id });
    const apiKeyId = key?.id ?? "";
    await db
      .insert(apiKeyPointSystems)
      .values(pointSystemIds.map((pointSystemId) => ({ apiKeyId, pointSystemId })));
    return apiKeyId;
  });
}

async function getScope(apiKeyId: string): Promise<string[]> {
  const rows = await withDatabase((db) =>
    db.select().from(apiKeyPointSystems).where(eq(apiKeyPointSystems.apiKeyId, apiKeyId)),
  );
  return rows.map(({ pointSystemId }) => pointSystemId);
}

test("the owner stands first, then the others as they came", async () => {
  const owner = await createOwner();
  const editor = await createMember(owner, "editor");
  const viewer = await createMember(owner, "viewer");
  await createMember(await createOwner(), "viewer");
  expect(await listMembers(editor)).toMatchObject([
    { operatorId: owner.actor.operatorId, email: owner.actor.email, role: "owner" },
    { operatorId: editor.actor.operatorId, name: "Ada", role: "editor" },
    { operatorId: viewer.actor.operatorId, since: expect.any(Date), role: "viewer" },
  ]);
});

test("viewers see the names of the others, and their addresses and networks nowhere", async () => {
  const owner = await createOwner();
  const editor = await createMember(owner, "editor");
  const viewer = await createMember(owner, "viewer");
  await createMember(owner, "viewer");
  await removeMember(owner, (await listMembers(owner)).at(-1)?.operatorId ?? "");
  const wallet = parseAddress(`0x${"7".repeat(40)}`);
  if (!wallet) throw new Error("Not an address");
  await grantPoints(editor, { address: wallet, points: 5, note: "welcome" });
  const read = async (reader: Member) => ({
    members: await listMembers(reader),
    audit: await listPointSystemAudit(reader, NO_FILTER),
    history: await listWalletHistory(reader, wallet, null),
  });
  const seen = JSON.stringify(await read(viewer));
  expect(seen).not.toMatch(/@|192\.0\.2/);
  expect((await read(viewer)).history.rows[0]?.operator).toBe("Ada");
  expect((await read(viewer)).audit.entries).toHaveLength((await read(owner)).audit.entries.length);
  const filter = { ...NO_FILTER, actor: editor.actor.email };
  expect((await listPointSystemAudit(viewer, filter)).entries.map(({ id }) => id)).toEqual(
    (await read(viewer)).audit.entries.map(({ id }) => id),
  );
  const shown = JSON.stringify(await read(editor));
  expect(shown).toContain(owner.actor.email);
  expect(shown).toContain("192.0.2.7");
});

describe("API keys lose the point system, and no other, when their operator", () => {
  /** Creates an editor with a key that reaches this point system and one of the editor's own. */
  async function createKeyHolder() {
    const owner = await createOwner();
    const editor = await createMember(owner, "editor");
    const other = await createPointSystem(editor.actor.operatorId, "Other");
    const key = await createApiKey(editor.actor.operatorId, [owner.pointSystemId, other]);
    const ownersKey = await createApiKey(owner.actor.operatorId, [owner.pointSystemId]);
    return { owner, editor, other, key, ownersKey };
  }

  test.each([
    [
      "is removed",
      "member.remove",
      ({ owner, editor }: Awaited<ReturnType<typeof createKeyHolder>>) =>
        removeMember(owner, editor.actor.operatorId),
    ],
    [
      "leaves",
      "member.leave",
      ({ editor }: Awaited<ReturnType<typeof createKeyHolder>>) => leavePointSystem(editor),
    ],
    [
      "becomes a viewer",
      "member.update",
      ({ owner, editor }: Awaited<ReturnType<typeof createKeyHolder>>) =>
        changeMemberRole(owner, editor.actor.operatorId, "viewer"),
    ],
  ] as const)("%s", async (_, action, change) => {
    const scene = await createKeyHolder();
    await change(scene);
    const { owner, editor, other, key, ownersKey } = scene;
    expect(await getScope(key)).toEqual([other]);
    expect(await getScope(ownersKey)).toEqual([owner.pointSystemId]);
    const { entries } = await listPointSystemAudit(owner, NO_FILTER);
    expect(entries).toMatchObject([
      {
        action,
        subject: editor.actor.email,
        before: { role: "editor" },
        after: { apiKeysWithdrawn: 1 },
      },
    ]);
    const access = getMember(editor.actor, owner.pointSystemId, "viewer");
    if (action === "member.update") expect((await access).role).toBe("viewer");
    else expect(await codeOf(access)).toBe("not_found");
  });

  test("but keys that reach only the owner's point systems go on as the owner's, where the owner keeps them", async () => {
    const { owner, editor, other, key } = await createKeyHolder();
    const second = await createPointSystem(owner.actor.operatorId, "Second");
    const shop = await createApiKey(editor.actor.operatorId, [owner.pointSystemId, second]);
    const elsewhere = await createApiKey(editor.actor.operatorId, [other]);
    expect(await removeMember(owner, editor.actor.operatorId, true)).toEqual({
      name: "Ada",
      apiKeysTakenOver: 1,
    });
    expect((await getScope(shop)).sort()).toEqual([owner.pointSystemId, second].sort());
    expect(await getScope(key)).toEqual([other]);
    expect(await getScope(elsewhere)).toEqual([other]);
    const idsOf = async (operatorId: string) => (await listApiKeys(operatorId)).map(({ id }) => id);
    expect(await idsOf(owner.actor.operatorId)).toContain(shop);
    expect((await idsOf(editor.actor.operatorId)).sort()).toEqual([key, elsewhere].sort());
    expect((await listPointSystemAudit(owner, NO_FILTER)).entries).toMatchObject([
      { action: "member.remove", after: { apiKeysWithdrawn: 1, apiKeysTakenOver: 1 } },
    ]);
  });

  test("and keep it when they become an editor", async () => {
    const owner = await createOwner();
    const viewer = await createMember(owner, "viewer");
    const key = await createApiKey(viewer.actor.operatorId, [owner.pointSystemId]);
    await changeMemberRole(owner, viewer.actor.operatorId, "editor");
    await changeMemberRole(owner, viewer.actor.operatorId, "editor");
    expect(await getScope(key)).toEqual([owner.pointSystemId]);
    expect((await listPointSystemAudit(owner, NO_FILTER)).entries).toMatchObject([
      { action: "member.update", before: { role: "viewer" }, after: { role: "editor" } },
    ]);
  });
});

test("the members of one point system cannot be changed by the owner of another", async () => {
  const [owner, stranger] = [await createOwner("Mine"), await createOwner("Theirs")];
  const { operatorId } = (await createMember(owner, "viewer")).actor;
  const ids = [operatorId, owner.actor.operatorId, stranger.actor.operatorId, randomUUID(), "x"];
  for (const id of ids) {
    expect(await codeOf(changeMemberRole(stranger, id, "editor"))).toBe("not_found");
    expect(await codeOf(removeMember(stranger, id))).toBe("not_found");
    expect(await codeOf(transferOwnership(stranger, id, "Theirs"))).toBe("not_found");
  }
  expect(await listMembers(owner)).toMatchObject([{ role: "owner" }, { role: "viewer" }]);
  expect((await listPointSystemAudit(stranger, NO_FILTER)).entries).toEqual([]);
});

test("the owner cannot leave, nor be removed or made less", async () => {
  const owner = await createOwner();
  const { operatorId } = owner.actor;
  expect(await codeOf(leavePointSystem(owner))).toBe("owner_stays");
  expect(await codeOf(removeMember(owner, operatorId))).toBe("not_found");
  expect(await codeOf(changeMemberRole(owner, operatorId, "viewer"))).toBe("not_found");
});

describe("a transfer of the ownership", () => {
  test("makes the member the owner and the owner an editor, keys and log as they were", async () => {
    const owner = await createOwner("Harbour");
    const heir = await createMember(owner, "viewer");
    const key = await createApiKey(owner.actor.operatorId, [owner.pointSystemId]);
    const { operatorId } = heir.actor;
    expect(await failureOf(transferOwnership(owner, operatorId, "harbour"))).toMatchObject({
      code: "confirmation_wrong",
      details: { field: "confirmation" },
    });
    await transferOwnership(owner, operatorId, " Harbour ");
    const successor = await getMember(heir.actor, owner.pointSystemId, "owner");
    expect((await getMember(owner.actor, owner.pointSystemId, "viewer")).role).toBe("editor");
    const [first, second, ...others] = await listMembers(successor);
    expect([first, second]).toMatchObject([
      { operatorId, role: "owner" },
      { operatorId: owner.actor.operatorId, role: "editor" },
    ]);
    expect(others).toEqual([]);
    const { entries } = await listPointSystemAudit(successor, NO_FILTER);
    expect(entries).toMatchObject([
      {
        action: "member.transfer",
        actor: owner.actor.email,
        before: { owner: owner.actor.email },
        after: { owner: heir.actor.email },
      },
    ]);
    expect(first?.since).toEqual(entries[0]?.createdAt);
    expect(await getScope(key)).toEqual([owner.pointSystemId]);
  });

  test("leaves who was the owner nothing to do as one, even with a request under way", async () => {
    const owner = await createOwner("Harbour");
    const heir = await createMember(owner, "editor");
    const other = await createMember(owner, "viewer");
    await transferOwnership(owner, heir.actor.operatorId, "Harbour");
    const { operatorId } = other.actor;
    const attempts = [
      removeMember(owner, operatorId),
      changeMemberRole(owner, operatorId, "editor"),
      transferOwnership(owner, operatorId, "Harbour"),
      createInvitation(owner, "viewer"),
    ];
    expect(await tally(attempts)).toEqual({ role_missing: 4 });
  });

  test("is refused to a member whose account is disabled, and to nobody else", async () => {
    const owner = await createOwner("Harbour");
    const { operatorId } = (await createMember(owner, "editor")).actor;
    const administrator = await createAdministrator();
    await disableOperator(administrator, operatorId, false);
    expect(await codeOf(transferOwnership(owner, operatorId, "Harbour"))).toBe("account_disabled");
    await enableOperator(administrator, operatorId);
    await transferOwnership(owner, operatorId, "Harbour");
  });

  test("to 10 members at once happens once", async () => {
    const owner = await createOwner("Harbour");
    const heirs = [];
    for (let i = 0; i < 10; i += 1) heirs.push(await createMember(owner, "viewer"));
    const attempts = heirs.map(({ actor }) =>
      transferOwnership(owner, actor.operatorId, "Harbour"),
    );
    expect(await tally(attempts)).toEqual({ succeeded: 1, role_missing: 9 });
    const roles = (await listMembers(owner)).map(({ role }) => role);
    expect(roles.filter((role) => role === "owner")).toHaveLength(1);
    expect(roles).toHaveLength(11);
  });
});

test("a point system takes as many members as its list shows, also when they come at once", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  await withDatabase(async (db) => {
    const many = await db
      .insert(operators)
      .values(
        Array.from({ length: MEMBERS_MAX - 1 }, () => ({
          email: `${randomUUID()}@example.com`,
          name: "Crew",
          passwordHash: "",
        })),
      )
      .returning({ operatorId: operators.id });
    await db
      .insert(pointSystemMembers)
      .values(many.map((one) => ({ ...one, pointSystemId, role: "viewer" as const })));
  });
  const attempts = [];
  for (let i = 0; i < 5; i += 1) {
    const token = await createInvitation(owner, "viewer");
    attempts.push({ token, actor: toActor(await createOperator()) });
  }
  expect(await tally(attempts.map(({ token, actor }) => acceptInvitation(token, actor)))).toEqual({
    succeeded: 1,
    members_limit_reached: 4,
  });
  expect(await listMembers(owner)).toHaveLength(MEMBERS_MAX + 1);
});
