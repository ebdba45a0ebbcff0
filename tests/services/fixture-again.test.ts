import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { operators } from "../../app/db/schema/operators";
import { addressOf, createExample, dumpDatabase, load } from "../fixture-file";

test("a file that leaves out every id, date and default changes nothing the second time", async () => {
  const { operator, name, slug } = createExample().pointSystems[0];
  const address = addressOf("ab");
  const file = {
    operators: [{ email: operator, password: "a long passphrase" }],
    pointSystems: [
      {
        operator,
        name,
        slug,
        triggers: [{ key: "login", points: 1 }],
        events: [
          { address, points: 5 },
          { address, points: 5 },
          { address, points: 5, event: "login" },
        ],
        wallets: null,
        blacklist: [{ address: addressOf("cd") }],
        rewards: [
          {
            kind: "token",
            campaignName: "Bare",
            tokenType: "ethereum",
            tokenSymbol: "ETH",
            tokenDecimals: 18,
            totalAmount: "1",
            status: "distributed",
            distributions: "auto",
          },
          {
            kind: "giftcard",
            campaignName: "Bare",
            status: "active",
            tiers: [{ label: "One", cards: [{ code: "A" }, { code: "A" }] }, { label: "Two" }],
          },
        ],
      },
      { operator, name: "No slug" },
      { operator, name: "No slug" },
    ],
  };
  const loaded = await load(file);
  expect(loaded.pointSystems).toMatchObject([
    { slug, wallets: 1, events: 3, triggers: 1, rewards: 2 },
    { slug: null, name: "No slug", wallets: 0 },
    { slug: null, name: "No slug", wallets: 0 },
  ]);
  const [row] = await withDatabase((db) =>
    db.select().from(operators).where(eq(operators.email, operator)),
  );
  expect(row?.name).toBe(operator.split("@")[0]);

  const dump = await dumpDatabase();
  await load(file);
  expect(await dumpDatabase()).toEqual(dump);
});

describe("what exists already", () => {
  test("stays as it is: operators, names, triggers, keys and rewards", async () => {
    const file = createExample();
    const { id, slug } = file.pointSystems[0];
    await load(file);
    const dump = await dumpDatabase();
    const changed = structuredClone(file);
    const [system] = changed.pointSystems;
    Object.assign(changed.operators[0], { password: "another passphrase", name: "Other" });
    Object.assign(system, { name: "Other" });
    Object.assign(system.triggers[0], { points: 999 });
    Object.assign(system.events[0], { points: 999 });
    Object.assign(system.rewards[0], { status: "cancelled", distributions: "auto" });
    Object.assign(system.rewards[1].tiers[0], { cards: [{ code: "new" }] });
    Object.assign(changed.apiKeys[0], { permission: "read", pointSystems: [id, slug] });
    await load(changed);
    expect(await dumpDatabase()).toEqual(dump);
  });

  test("is added to by a file that knows it by slug only, and its operator not at all", async () => {
    const file = createExample();
    const { id, slug, operator } = file.pointSystems[0];
    await load(file);
    const loaded = await load({
      pointSystems: [{ operator, name: "Alpha", slug, triggers: [{ key: "more", points: 1 }] }],
    });
    expect(loaded.pointSystems).toMatchObject([{ id, triggers: 2, wallets: 3 }]);
  });

  test("is what a key's scope may name, by slug or by id", async () => {
    const [one, two] = [createExample(), createExample()];
    await load(one);
    await load(two);
    const [, { operator, id }] = [one.pointSystems[0], two.pointSystems[0]];
    const key = { ...one.apiKeys[0], key: `rw_${randomUUID().replaceAll("-", "")}` };
    const loaded = await load({
      apiKeys: [
        {
          ...key,
          operator,
          pointSystems: [one.pointSystems[0].slug.toUpperCase(), id.toUpperCase()],
        },
      ],
    });
    expect(loaded.apiKeys).toMatchObject([{ pointSystems: 2 }]);
  });
});
