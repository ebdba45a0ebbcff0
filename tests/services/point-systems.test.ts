import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { getPointSystemOverview, listPointSystems } from "../../app/services/point-systems";
import { createOperator, createPointSystem, failureOf } from "../operators";

test("an operator sees their own point systems only", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const mine = await createPointSystem(ada.id, "Mine");
  await createPointSystem(eve.id, "Theirs");
  expect(await listPointSystems(ada.id)).toMatchObject([
    { id: mine, name: "Mine", slug: null, wallets: 0, events: 0 },
  ]);
});

test("an overview has the totals, triggers, board and events", async () => {
  const { id } = await createOperator();
  const pointSystemId = await createPointSystem(id, "Mine");
  expect(await getPointSystemOverview(id, pointSystemId.toUpperCase())).toMatchObject({
    pointSystem: { id: pointSystemId, name: "Mine" },
    triggers: [],
    leaders: [],
    latestEvents: [],
  });
});

test("another operator's id is as unknown as one that does not exist", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const theirs = await createPointSystem(eve.id, "Theirs");
  for (const id of [theirs, randomUUID(), "nonsense", "", "\u0000"]) {
    expect((await failureOf(getPointSystemOverview(ada.id, id))).code).toBe("not_found");
  }
});
