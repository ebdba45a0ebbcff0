import { expect, test } from "vitest";
import { rollServers } from "../endurance/rolling";

const ROUNDS = Number(process.env.ROLLING_ROUNDS ?? 1);

const NO_FAULT = { lost: 0, doubled: 0, refusedAndThere: 0, foreign: 0, ledger: null };

test("behind haproxy as documented, restarts break no call, and kill -9 loses no credit", async () => {
  const { faults, ...counts } = await rollServers({
    balancer: "haproxy",
    rounds: ROUNDS,
    killRounds: ROUNDS,
    callers: 8,
    log: (line) => console.log(line),
  });
  console.log(counts);
  expect(counts.credited).toBeGreaterThan(100);
  expect(counts.brokenByRestarts).toBe(0);
  expect(faults).toMatchObject(NO_FAULT);
});

test("behind nginx as documented, restarts break no call", async () => {
  const { faults, ...counts } = await rollServers({
    balancer: "nginx",
    rounds: ROUNDS,
    killRounds: 0,
    callers: 8,
    log: (line) => console.log(line),
  });
  console.log(counts);
  expect(counts.credited).toBeGreaterThan(100);
  expect(counts.brokenByRestarts).toBe(0);
  expect(faults).toMatchObject(NO_FAULT);
});
