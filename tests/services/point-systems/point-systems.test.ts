import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { PointSystemInputs } from "../../../app/routes/dashboard/point-systems/point-system.inputs.server";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import { getMember } from "../../../app/services/access/members";
import { getPointSystemOverview } from "../../../app/services/insights/overview";
import {
  createPointSystem,
  deletePointSystem,
  getPointSystem,
  listPointSystems,
  updatePointSystem,
} from "../../../app/services/point-systems/point-systems";
import {
  createMember,
  createOperator,
  createOwner,
  failureOf,
  toActor,
} from "../../support/operators";

const NO_FILTER = { action: null, actor: null, beforeId: null };

test("an operator sees their own point systems and those that they are a member of, no other", async () => {
  const owner = await createOwner("Mine");
  await createOwner("Theirs");
  const viewer = await createMember(owner, "viewer");
  for (const [member, role] of [
    [owner, "owner"],
    [viewer, "viewer"],
  ] as const) {
    expect(await listPointSystems(member.actor.operatorId)).toMatchObject([
      { id: owner.pointSystemId, name: "Mine", slug: null, wallets: 0, events: 0, role },
    ]);
  }
});

test("an overview has the totals, triggers, board and events", async () => {
  const owner = await createOwner("Mine");
  expect(await getPointSystemOverview(owner, { days: 7, refused: "24h" })).toMatchObject({
    pointSystem: { id: owner.pointSystemId, name: "Mine" },
    triggers: [],
    hasApiKey: false,
    statistics: { points: 0, topTriggers: [] },
    refusedCalls: [],
    leaders: [],
    latestEvents: [],
    latestSeq: 0,
  });
});

test("another operator's id is as unknown as one that does not exist, and a role that is not enough is refused", async () => {
  const owner = await createOwner();
  const stranger = toActor(await createOperator());
  for (const id of [owner.pointSystemId, randomUUID(), "nonsense", "", "\u0000"]) {
    expect((await failureOf(getMember(stranger, id, "viewer"))).code).toBe("not_found");
  }
  const editor = await createMember(owner, "editor");
  const viewer = await createMember(owner, "viewer");
  const needs = (member: typeof editor | typeof viewer, needed: "owner" | "editor" | "viewer") =>
    getMember(member.actor, member.pointSystemId.toUpperCase(), needed);
  expect(await needs(editor, "editor")).toEqual(editor);
  expect((await failureOf(needs(editor, "owner"))).code).toBe("role_missing");
  expect((await failureOf(needs(viewer, "editor"))).code).toBe("role_missing");
  expect(await needs(viewer, "viewer")).toEqual(viewer);
});

test("a new point system is its maker's, has both identifiers, and is in the audit log", async () => {
  const actor = toActor(await createOperator());
  const slug = randomUUID();
  const { id } = await createPointSystem(actor, { name: "Harbour", slug });
  const member = await getMember(actor, id, "owner");
  expect(await getPointSystem(member)).toMatchObject({
    name: "Harbour",
    slug,
    shortId: expect.stringMatching(/^[0-9A-Z]{4}$/),
    role: "owner",
  });
  expect((await listPointSystemAudit(member, NO_FILTER)).entries).toMatchObject([
    {
      action: "point_system.create",
      actor: actor.email,
      ip: actor.ip,
      subject: "Harbour",
      before: null,
      after: { name: "Harbour", slug },
    },
  ]);
});

test("a slug cannot be a path of the service's own", () => {
  const parse = (slug: string) => PointSystemInputs.safeParse({ name: "Harbour", slug });
  expect(parse(" Hint ").error?.issues[0]?.path).toEqual(["slug"]);
  expect(parse("hints").data?.slug).toBe("hints");
});

test("a slug belongs to one point system, and a refused change changes nothing", async () => {
  const [first, second] = [await createOwner("First"), await createOwner("Second")];
  const slug = randomUUID();
  await updatePointSystem(first, { name: "First", slug });
  const failure = await failureOf(updatePointSystem(second, { name: "Other", slug }));
  expect(failure).toMatchObject({ code: "slug_taken", details: { field: "slug" } });
  expect(await getPointSystem(second)).toMatchObject({ name: "Second", slug: null });
  expect((await listPointSystemAudit(second, NO_FILTER)).entries).toEqual([]);
});

test("a point system is deleted only by typing its name, and is nobody's from then on", async () => {
  const owner = await createOwner("Harbour");
  const viewer = await createMember(owner, "viewer");
  const slug = randomUUID();
  await updatePointSystem(owner, { name: "Harbour", slug });
  expect(await failureOf(deletePointSystem(owner, "harbour"))).toMatchObject({
    code: "confirmation_wrong",
    details: { field: "confirmation" },
  });
  await deletePointSystem(owner, " Harbour ");
  for (const { actor } of [owner, viewer]) {
    expect(await listPointSystems(actor.operatorId)).toEqual([]);
    expect((await failureOf(getMember(actor, owner.pointSystemId, "viewer"))).code).toBe(
      "not_found",
    );
  }
  const again = await createOwner();
  await updatePointSystem(again, { name: "Again", slug });
});

test("the audit log can only grow", async () => {
  const owner = await createOwner();
  await updatePointSystem(owner, { name: "Other", slug: null });
  for (const statement of ["update audit_log set subject = ''", "delete from audit_log"]) {
    await expect(withDatabase((db) => db.execute(statement))).rejects.toThrow();
  }
  expect((await listPointSystemAudit(owner, NO_FILTER)).entries).toHaveLength(1);
});
