import { expect, test } from "vitest";
import { endure } from "../endurance/endure";

test("kills, failing networks, a full disk and jumping clocks lose, double and misjudge no credit", async () => {
  const seed = Date.now() % 1_000_000;
  const { faults, kills, credited, refused, harms } = await endure({
    credits: 5_000,
    kills: 6,
    seed,
    callers: 16,
    pauseMsMax: 3_000,
    log: () => {},
  });
  console.log(`Seed ${seed}: ${credited} credited, ${refused} refused`, harms);
  expect(kills).toBe(6);
  expect(credited).toBeGreaterThanOrEqual(5_000);
  // The trigger limit has refused some at least.
  expect(refused).toBeGreaterThan(0);
  expect(faults).toEqual({
    lost: 0,
    doubled: 0,
    refusedAndThere: 0,
    foreign: 0,
    beyondLimit: 0,
    wrongRanks: 0,
    ledger: null,
  });
});
