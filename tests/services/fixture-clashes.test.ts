import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import {
  addressOf,
  changeSystem,
  createExample,
  createFile,
  dumpDatabase,
  listProblems,
  listProblemsOf,
  load,
} from "../fixture-file";

const SYSTEM = "pointSystems[0]";
const TOKEN = `${SYSTEM}.rewards[0]`;
const GIFT_CARDS = `${SYSTEM}.rewards[1]`;

describe("a clash with what the database holds is named, and nothing is loaded", () => {
  const existing = createExample();
  const [system] = existing.pointSystems;
  const [reward, giftCards] = system.rewards;
  beforeAll(() => load(existing));

  test("a slug of another point system", async () => {
    const file = createFile({ slug: system.slug });
    expect(await listProblems(file)).toEqual([
      { path: `${SYSTEM}.slug`, message: "is taken by another point system" },
    ]);
  });

  test("a point system of another operator", async () => {
    expect(await listProblemsOf(`${SYSTEM}.id`, system.id)).toContainEqual({
      path: `${SYSTEM}.operator`,
      message: "is not the one that the point system has",
    });
  });

  test("a campaign id of another reward", async () => {
    expect(await listProblemsOf(`${TOKEN}.campaignId`, reward.campaignId)).toEqual([
      { path: `${TOKEN}.campaignId`, message: "is taken by another reward" },
    ]);
  });

  test("an airdrop of another reward", async () => {
    const { onchainId } = reward.airdrop;
    expect(await listProblemsOf(`${TOKEN}.airdrop.onchainId`, onchainId)).toEqual([
      {
        path: `${TOKEN}.airdrop.onchainId`,
        message: "is taken on that contract by another reward",
      },
    ]);
  });

  test("ids of another reward's distributions and gift cards", async () => {
    const { tiers } = giftCards;
    const rewards = [
      { ...reward, id: null, campaignId: null, airdrop: null },
      { ...giftCards, id: null, tiers },
    ];
    expect(await listProblems(changeSystem(existing, { rewards }))).toEqual([
      { path: `${TOKEN}.distributions[0].id`, message: "is taken in another reward" },
      { path: `${GIFT_CARDS}.tiers[0].cards[0].id`, message: "is taken in another reward" },
    ]);
  });

  test("a wallet that would pass the most that it can hold", async () => {
    const file = createFile({ wallets: [addressOf("aa")] });
    await load(file);
    await withDatabase((db) =>
      db.execute(sql`
        update wallets set points = ${Number.MAX_SAFE_INTEGER - 10}
        where point_system_id = ${file.pointSystems[0].id}`),
    );
    const before = await dumpDatabase();
    const credit = (points: number) => ({ address: addressOf("aa"), points });
    const events = [credit(9), credit(2), { address: addressOf("bb"), points: 1 }];
    expect(await listProblems(changeSystem(file, { events }))).toEqual([
      {
        path: `${SYSTEM}.events[1].points`,
        message: "takes the wallet's total over 9007199254740991",
      },
    ]);
    expect(await dumpDatabase()).toEqual(before);
    const loaded = await load(changeSystem(file, { events: [credit(9), credit(1)] }));
    expect(loaded.pointSystems).toMatchObject([{ events: 2 }]);
  });
});
