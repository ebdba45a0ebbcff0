import fc from "fast-check";
import { expect, test } from "vitest";
import { foldRanks, rebuildRanks } from "../../../app/services/board/rank-counts";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { atDepth } from "../../support/depth";
import {
  act,
  change,
  createWorld,
  expectExact,
  expectExactNow,
  type Step,
  some,
  upkeep,
} from "../../support/ranked-board";

const RUNS = atDepth(8, 30);

test("after every step of any history, ranks and pages are those of the sorted wallets", async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: change },
    { weight: 2, arbitrary: upkeep },
  );
  await fc.assert(
    fc.asyncProperty(some(step, 14), fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
      const world = await createWorld();
      for (const next of steps) {
        await act(world, next);
        await expectExact(world.pointSystemId, limit);
      }
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 240_000);

test("at every moment between writers, folds and rebuilds at once, ranks are exact", async () => {
  const hands = fc.array(some(fc.oneof(change, upkeep), 8), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(hands, async (lists) => {
      const world = await createWorld();
      let isOver = false;
      const watch = async () => {
        while (!isOver) await expectExactNow(world.pointSystemId);
      };
      const work = async () => {
        await Promise.all(
          lists.map(async (steps) => {
            for (const next of steps) await act(world, next);
          }),
        );
      };
      const watched = watch();
      await work().finally(() => {
        isOver = true;
      });
      await watched;
      await expectExact(world.pointSystemId, 3);
      while ((await foldRanks(world.pointSystemId, 5)) > 0) {
        await expectExactNow(world.pointSystemId);
      }
      await rebuildRanks(world.pointSystemId);
      await expectExact(world.pointSystemId, 3);
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 240_000);
