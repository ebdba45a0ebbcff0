import { expect, test } from "vitest";
import * as newPointSystem from "../../../app/routes/dashboard/point-systems/new";
import * as newBoost from "../../../app/routes/dashboard/point-systems/new-boost";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import type { Member } from "../../../app/services/access/members";
import { listBoosts } from "../../../app/services/point-systems/boost-list";
import {
  deletePointSystem,
  listPointSystems,
} from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import type { Place } from "../../../app/services/point-systems/removal";
import { createOwner } from "../../support/operators";
import { callAction, callLoader, startTestSession } from "../../support/pages";

const BOOST = {
  ...{ factor: "2", startsAt: "", endsAt: "2999-01-01T00:00", timeZone: "UTC" },
  ...{ on: "all", for: "all", wallets: "" },
};
const countPointSystems = async ({ actor }: Member) =>
  (await listPointSystems(actor.operatorId)).length - 1;
const countBoosts = async (owner: Member) => (await listBoosts(owner.pointSystemId)).length;

/** Reads a form as its page has it. Its function sends it and returns the status and the place it leads to. */
async function openForm(
  { action, loader }: typeof newPointSystem | typeof newBoost,
  owner: Member,
  fields: Readonly<Record<string, string>>,
) {
  const { actor, pointSystemId } = owner;
  const cookie = await startTestSession(actor);
  const { token } = await callLoader<{ token: string }>(loader, owner, {});
  return async (changed: Readonly<Record<string, string>> = {}) => {
    const body = new URLSearchParams({ ...fields, token, ...changed });
    const answer = await callAction<unknown>(action, actor, cookie, { pointSystemId }, body);
    return answer instanceof Response ? answer.headers.get("location") : answer;
  };
}

test.each([
  ["a point system", newPointSystem, { slug: "", kind: "live" }, countPointSystems],
  ["a boost", newBoost, BOOST, countBoosts],
] as const)(
  "a form for %s that is sent twice, at once or again, makes one; with another name it makes another",
  async (_, page, fields, count) => {
    const owner = await createOwner();
    const send = await openForm(page, owner, { ...fields, name: "Spring" });
    const [first, ...others] = await Promise.all([send(), send(), send()]);
    expect(first).toMatch(/^\/dashboard\//);
    expect([...others, await send()]).toEqual([first, first, first]);
    expect(await count(owner)).toBe(1);
    expect(await send({ name: "Summer" })).not.toBe(first);
    expect(await count(owner)).toBe(2);
    const sendAnother = await openForm(page, owner, { ...fields, name: "Spring" });
    expect(await sendAnother()).not.toBe(first);
    expect(await count(owner)).toBe(3);
  },
);

test("a form for a point system with a slug finds its own one, unless that was deleted", async () => {
  const owner = await createOwner();
  const slug = `spring-${crypto.randomUUID()}`.slice(0, 30);
  const send = await openForm(newPointSystem, owner, { name: "Spring", kind: "live", slug });
  const [first, second] = await Promise.all([send(), send()]);
  expect(second).toBe(first);
  const pointSystemId = String(first).split("/")[2] ?? "";
  const made: Member<"owner"> = { ...owner, pointSystemId };
  const filter = { action: null, actor: null, beforeId: null };
  expect((await listPointSystemAudit(made, filter)).entries).toHaveLength(1);
  const another = await openForm(newPointSystem, owner, { name: "Spring", kind: "live", slug });
  expect(await another()).toMatchObject({
    data: { problems: { fields: { slug: expect.any(String) } } },
  });
  await deletePointSystem(made, "Spring");
  const next = await send();
  expect(next).not.toBe(first);
  expect(await countPointSystems(owner)).toBe(1);
  for (let place: Place | null = {}; place !== null; ) {
    place = await purgeDeletedPointSystem(pointSystemId, place);
  }
  await deletePointSystem({ ...made, pointSystemId: String(next).split("/")[2] ?? "" }, "Spring");
  expect(await send()).not.toBe(first);
});
