import { expect, test } from "vitest";
import { listShowableTriggers, updateBrand } from "../../../app/services/point-systems/brands";
import {
  createTrigger,
  deleteTrigger,
  setTriggerActive,
} from "../../../app/services/point-systems/triggers";
import { listWaysToEarn } from "../../../app/services/point-systems/ways-to-earn";
import { createFile, load } from "../../support/fixture-file";
import { createOwner } from "../../support/operators";

const BRAND = { publicName: null, intro: null, accentColor: null, logo: undefined };

async function createTriggers() {
  const owner = await createOwner("Harbour");
  const add = (key: string, points: number, variable: { min: number; max: number } | null = null) =>
    createTrigger(owner, { key, name: `The ${key}`, points, variable });
  await add("login", 5);
  await add("swap", 50, { min: 10, max: 500 });
  await add("secret", 1_000);
  return owner;
}

/** The answer is kept for a second: each look is of a time of its own. */
async function look(pointSystemId: string, expected: object) {
  await expect.poll(() => listWaysToEarn(pointSystemId)).toEqual(expected);
}

test("the public leaderboard lists the triggers that the owner chose, and none before", async () => {
  const owner = await createTriggers();
  await look(owner.pointSystemId, []);
  await updateBrand(owner, { ...BRAND, publicTriggers: ["login", "swap", "unknown"] });
  const login = { name: "The login", points: 5, variable: null };
  await look(owner.pointSystemId, [
    { name: "The swap", points: 50, variable: { min: 10, max: 500 } },
    login,
  ]);
  await setTriggerActive(owner, "swap", false);
  await look(owner.pointSystemId, [login]);
  await updateBrand(owner, { ...BRAND, publicTriggers: [] });
  await look(owner.pointSystemId, []);
});

test("a trigger made under a deleted one's key is not public, nor is one of another point system", async () => {
  const owner = await createTriggers();
  const other = await createTriggers();
  await updateBrand(owner, { ...BRAND, publicTriggers: ["login"] });
  await deleteTrigger(owner, "login");
  await createTrigger(owner, { key: "login", name: "New", points: 1, variable: null });
  const chosen = [owner, other].map(async (member) =>
    (await listShowableTriggers(member)).filter(({ isPublic }) => isPublic),
  );
  expect(await Promise.all(chosen)).toEqual([[], []]);
});

test("a trigger of a fixture is on the public leaderboard if the file says so", async () => {
  const file = createFile({
    triggers: [
      { key: "login", points: 5, public: true },
      { key: "secret", points: 9 },
    ],
  });
  await load(file);
  await look(file.pointSystems[0].id, [{ name: "login", points: 5, variable: null }]);
});
