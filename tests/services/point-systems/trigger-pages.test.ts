import type { AppLoadContext } from "@remix-run/node";
import { afterAll, expect, test, vi } from "vitest";
import type { Operator } from "../../../app/auth/sessions";
import * as newPage from "../../../app/routes/dashboard/point-systems/new-trigger";
import * as editPage from "../../../app/routes/dashboard/point-systems/trigger";
import * as listPage from "../../../app/routes/dashboard/point-systems/triggers";
import type { Member } from "../../../app/services/access/members";
import { createTrigger, getTrigger } from "../../../app/services/point-systems/triggers";
import { listEvents } from "../../support/fixture-file";
import { createMember, createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";

// The signed-in operator is set here. The permissions come from the database, as always.
const signedIn = vi.hoisted(() => {
  vi.resetModules(); // Another file may have loaded them unmocked.
  return { operator: null as Operator | null };
});
vi.mock("../../../app/auth/request-operator", () => ({
  requireOperator: async () => signedIn.operator,
}));
afterAll(() => vi.resetModules());

const DAILY = { key: "daily_login", name: "Daily login", points: 10, variable: null };
const CAP = {
  hasCap: "yes",
  capTimes: "3",
  capPoints: "",
  capWindow: "weekly",
  capTimeZone: "Europe/Berlin",
};
const NO_CAP = { hasCap: "", capTimes: "", capPoints: "", capWindow: "", capTimeZone: "" };
const FORMS = [
  [listPage, { intent: "state", key: DAILY.key, isActive: "inactive" }],
  [newPage, { key: "another", name: "Another", kind: "fixed", points: "5" }],
  [editPage, { intent: "update", name: "Mine", kind: "fixed", points: "1" }],
  [editPage, { intent: "state", isActive: "inactive" }],
  [editPage, { intent: "test", address: createAddress() }],
  [editPage, { intent: "delete" }],
] as const;

const VARIABLE = {
  key: "k",
  name: "A",
  kind: "variable",
  points: "50",
  pointsMin: "5",
  pointsMax: "500",
};

async function post(
  { action }: (typeof FORMS)[number][0],
  actor: Member["actor"],
  pointSystemId: string,
  fields: Record<string, string>,
): Promise<number> {
  signedIn.operator = {
    id: actor.operatorId,
    email: actor.email,
    name: "",
    isAdministrator: false,
  };
  const request = new Request("http://test.local/", {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  const context = {
    ip: "127.0.0.1",
    appOrigin: "http://test.local",
    requestId: "test",
    setCookies: [],
    log: {},
  } as unknown as AppLoadContext;
  const answer = await action({
    request,
    context,
    params: { pointSystemId, triggerKey: DAILY.key },
  }).catch((thrown: unknown) => {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  });
  return answer instanceof Response ? answer.status : (answer.init?.status ?? 200);
}

test("no form of the trigger pages takes a viewer or a stranger; each takes an editor", async () => {
  const owner = await createOwner();
  await createTrigger(owner, DAILY);
  const { pointSystemId } = owner;
  const viewer = await createMember(owner, "viewer");
  const stranger = await createOwner();
  for (const [page, fields] of FORMS) {
    expect(await post(page, viewer.actor, pointSystemId, fields)).toBe(403);
    expect(await post(page, stranger.actor, pointSystemId, fields)).toBe(404);
  }
  expect(await getTrigger(owner, DAILY.key)).toMatchObject({ ...DAILY, isActive: true });
  expect(await listEvents(pointSystemId)).toEqual([]);

  const editor = await createMember(owner, "editor");
  for (const [page, fields] of FORMS) {
    if ("address" in fields) {
      // The previous form made it inactive.
      const state = { intent: "state", isActive: "active" };
      await post(editPage, editor.actor, pointSystemId, state);
    }
    expect(await post(page, editor.actor, pointSystemId, fields), fields.toString()).toBe(302);
  }
});

test("the limits are stored as they are posted, and those of fixed points are ignored", async () => {
  const owner = await createOwner();
  const { actor, pointSystemId } = owner;
  const key = DAILY.key;
  expect(await post(newPage, actor, pointSystemId, { ...VARIABLE, key })).toBe(302);
  expect(await getTrigger(owner, key)).toMatchObject({
    points: 50,
    variable: { min: 5, max: 500 },
  });
  const fixed = { ...VARIABLE, kind: "fixed", pointsMin: "900", pointsMax: "x" };
  expect(await post(editPage, actor, pointSystemId, { ...fixed, intent: "update" })).toBe(302);
  expect(await getTrigger(owner, key)).toMatchObject({ points: 50, variable: null });
});

test("a cap is stored as it is posted, and its limits are ignored without one", async () => {
  const owner = await createOwner();
  const { actor, pointSystemId } = owner;
  const key = DAILY.key;
  expect(await post(newPage, actor, pointSystemId, { ...VARIABLE, ...CAP, key })).toBe(302);
  expect((await getTrigger(owner, key)).cap).toEqual({
    window: "weekly",
    timeZone: "Europe/Berlin",
    times: 3,
    points: null,
  });
  const without = { ...VARIABLE, ...CAP, hasCap: "no", capTimes: "x", intent: "update" };
  expect(await post(editPage, actor, pointSystemId, without)).toBe(302);
  expect((await getTrigger(owner, key)).cap).toBeNull();
});

test.each([
  { key: "", name: "A", points: "1", wrong: "key" },
  { key: "ÄÖ!", name: "A", points: "1", wrong: "key" },
  { key: "k".repeat(101), name: "A", points: "1", wrong: "key" },
  { key: "k", name: " ", points: "1", wrong: "name" },
  { key: "k", name: "A", points: "0", wrong: "points" },
  { key: "k", name: "A", points: "1000000001", wrong: "points" },
  { key: "k", name: "A", points: "1.5", wrong: "points" },
  { key: "k", name: "A", points: "-1", wrong: "points" },
  { key: "k", name: "A", points: "1e3", wrong: "points" },
  { key: "k", name: "A", points: "1", kind: "", wrong: "kind" },
  { ...VARIABLE, points: "", wrong: "points" },
  { ...VARIABLE, points: "4", wrong: "points" },
  { ...VARIABLE, points: "501", wrong: "points" },
  { ...VARIABLE, pointsMin: "", wrong: "pointsMin" },
  { ...VARIABLE, pointsMin: "0", wrong: "pointsMin" },
  { ...VARIABLE, pointsMax: "1000000001", wrong: "pointsMax" },
  { ...VARIABLE, pointsMax: "4", wrong: "pointsMax" },
  { ...VARIABLE, ...CAP, capTimes: "", wrong: "capTimes" },
  { ...VARIABLE, ...CAP, capTimes: "0", wrong: "capTimes" },
  { ...VARIABLE, ...CAP, capTimes: "1.5", wrong: "capTimes" },
  { ...VARIABLE, ...CAP, capPoints: "1000000001", wrong: "capPoints" },
  { ...VARIABLE, ...CAP, capPoints: "4", wrong: "capPoints" },
  { ...VARIABLE, ...CAP, capWindow: "yearly", wrong: "capWindow" },
  { ...VARIABLE, ...CAP, capTimeZone: "Europe/Nowhere", wrong: "capTimeZone" },
  { ...VARIABLE, ...CAP, hasCap: "maybe", wrong: "hasCap" },
])(
  "a trigger of $key, $name, $kind $points from $pointsMin to $pointsMax is refused beside $wrong",
  async ({ wrong, ...given }) => {
    const fields = { ...NO_CAP, kind: "fixed", pointsMin: "", pointsMax: "", ...given };
    const owner = await createOwner();
    const { operatorId: id, email } = owner.actor;
    signedIn.operator = { id, email, name: "", isAdministrator: false };
    const answer = await newPage.action({
      request: new Request("http://test.local/", {
        method: "POST",
        body: new URLSearchParams(fields),
      }),
      context: { ip: "", requestId: "", appOrigin: "http://test.local" } as AppLoadContext,
      params: { pointSystemId: owner.pointSystemId },
    });
    if (answer instanceof Response) throw new Error("It was taken");
    expect(answer.init?.status).toBe(400);
    expect(Object.keys(answer.data.problems.fields)).toEqual([wrong]);
    expect(answer.data.problems.values).toEqual(fields);
  },
);
