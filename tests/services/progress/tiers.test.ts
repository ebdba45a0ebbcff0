import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { findTier, type Tier } from "../../../app/domain/progress/tier";
import { foldTiers, tiersFold } from "../../../app/services/progress/tier-changes";
import { listTiers, setTiers } from "../../../app/services/progress/tiers";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { findOwner } from "../../support/operators";
import { listen, listSaid } from "../../support/said-events";
import { createAddress, scene } from "../../support/scene";

// Secrets of webhooks are encrypted with them.
beforeAll(() => useGiftCardKeys(createGiftCardKey("k1")));

const tier = (name: string, pointsMin: number): Tier => ({ name, pointsMin, color: "#808080" });
const TIERS = [tier("Bronze", 10), tier("Silver", 50), tier("Gold", 100)];

async function createWorld(tiers: readonly Tier[] = TIERS) {
  const { pointSystemId } = await scene();
  const member = await findOwner(pointSystemId);
  await setTiers(member, tiers);
  const credit = async (address: Address, points: number) => {
    const event = { address, points, event: null, date: new Date() };
    const [id = ""] = await record(pointSystemId, [event]);
    return id;
  };
  const fold = async () => {
    while ((await foldTiers(pointSystemId, 5_000)) > 0);
  };
  const listChanges = async () =>
    (await listSaid({ pointSystemId })).flatMap(([type, data]) =>
      type === "wallet.tier_changed"
        ? (
            data as {
              wallets: {
                address: Address;
                from: string | null;
                to: string | null;
                points: number;
              }[];
            }
          ).wallets
        : [],
    );
  return { pointSystemId, member, credit, fold, listChanges };
}

test("a change of tiers is said once, up and down, also past several tiers at once", async () => {
  const world = await createWorld();
  await listen(world.member);
  const wallet = createAddress();
  await world.credit(wallet, 9);
  await world.credit(wallet, 1);
  const large = await world.credit(wallet, 95);
  await world.credit(wallet, 5);
  await Promise.all([1, 2, 3].map(() => foldTiers(world.pointSystemId, 2)));
  await world.fold();
  await voidById(world.member, large);
  await world.fold();
  await world.fold();
  expect(await world.listChanges()).toEqual([
    { address: wallet, from: null, to: "Bronze", points: 10 },
    { address: wallet, from: "Bronze", to: "Gold", points: 105 },
    { address: wallet, from: "Gold", to: "Bronze", points: 15 },
  ]);
});

test("other tiers say nothing, and a first one is heard of from then on", async () => {
  const world = await createWorld([]);
  await listen(world.member);
  const wallet = createAddress();
  await world.credit(wallet, 60);
  await setTiers(world.member, TIERS);
  await setTiers(world.member, [tier("Iron", 0), tier("Steel", 200)]);
  await world.fold();
  expect(await world.listChanges()).toEqual([]);
  await world.credit(wallet, 140);
  await world.fold();
  expect(await world.listChanges()).toEqual([
    { address: wallet, from: "Iron", to: "Steel", points: 200 },
  ]);
  expect(await listTiers(world.pointSystemId)).toEqual([tier("Iron", 0), tier("Steel", 200)]);
});

test("without a webhook nothing is said, nor later", async () => {
  const world = await createWorld();
  const wallet = createAddress();
  await world.credit(wallet, 60);
  while (await tiersFold.run());
  await listen(world.member);
  await world.fold();
  expect(await world.listChanges()).toEqual([]);
  await world.credit(wallet, 60);
  while (await tiersFold.run());
  expect(await world.listChanges()).toEqual([
    { address: wallet, from: "Silver", to: "Gold", points: 120 },
  ]);
});

test("many changes come in deliveries of 100, in the order of the ledger", async () => {
  const world = await createWorld();
  await listen(world.member);
  const wallets = Array.from({ length: 250 }, createAddress);
  await record(
    world.pointSystemId,
    wallets.map((address) => ({ address, points: 10, event: null, date: new Date() })),
  );
  await world.fold();
  const said = (await listSaid(world)).filter(([type]) => type === "wallet.tier_changed");
  expect(said.map(([, data]) => (data as { wallets: unknown[] }).wallets.length)).toEqual([
    ...[100, 100, 50],
  ]);
  expect((await world.listChanges()).map(({ address }) => address)).toEqual(wallets);
});

test("in any history the changes lead each wallet from no tier to that of its points", async () => {
  const step = fc.record({
    wallet: fc.constantFrom(0, 1),
    points: fc.constantFrom(1, 5, 20, 60, 150),
    isVoid: fc.boolean(),
    eventsMax: fc.option(fc.integer({ min: 1, max: 4 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const world = await createWorld();
      await listen(world.member);
      const wallets = [createAddress(), createAddress()];
      const points = [0, 0];
      const expected: object[] = [];
      const standing: { id: string; wallet: number; points: number }[] = [];
      const move = (wallet: number, change: number) => {
        const before = points[wallet] ?? 0;
        const after = before + change;
        points[wallet] = after;
        const [from, to] = [before, after].map((sum) => findTier(TIERS, sum)?.name ?? null);
        if (from !== to) expected.push({ address: wallets[wallet], from, to, points: after });
      };
      for (const next of steps) {
        const voided = next.isVoid ? standing.shift() : undefined;
        if (voided) {
          await voidById(world.member, voided.id);
          move(voided.wallet, -voided.points);
        } else {
          const id = await world.credit(wallets[next.wallet] as Address, next.points);
          standing.push({ id, wallet: next.wallet, points: next.points });
          move(next.wallet, next.points);
        }
        if (next.eventsMax !== null) await foldTiers(world.pointSystemId, next.eventsMax);
      }
      await world.fold();
      expect(await world.listChanges()).toEqual(expected);
    }),
    { numRuns: atDepth(5, 40) },
  );
}, 200_000);
