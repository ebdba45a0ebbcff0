import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { distributeDatabase } from "../../app/db/citus/distribute";
import { closeDatabase, openDatabase } from "../../app/db/client";
import { migrateDatabase } from "../../app/db/migrations";
import type { DatabaseAddress } from "../../app/db/pool";
import { hashApiKeyToken } from "../../app/domain/access/api-key";
import { fireTrigger } from "../../app/services/ledger/credit";
import { startCitus } from "../support/citus";
import { startPostgres15 } from "../support/postgres-15";
import { createAddress, scene } from "../support/scene";

const NOTHING_MORE = {
  points: null,
  areFixedPointsStrict: false,
  idempotencyKey: null,
  occurredAt: null,
  metadata: null,
};
const ROUNDS = 5;
const ROUND_MS = 2_500;
const CALLERS = 128;
/** The least share of plain PostgreSQL's rate. */
const SHARE_MIN = 0.6;

/** The wallet that is credited next. */
let next = 0;

const plain = startPostgres15();
const citus = await startCitus();
afterAll(() => {
  plain.end();
  citus.end();
});

/** Measures the credits of one point system in a second, each to the next wallet. */
async function measure(world: Awaited<ReturnType<typeof scene>>, wallets: readonly string[]) {
  const { pointSystemId, triggerKey, token } = world;
  const tokenHash = hashApiKeyToken(token);
  const endsAt = performance.now() + ROUND_MS;
  let credits = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < endsAt) {
        const walletAddress = wallets[next++ % wallets.length] as `0x${string}`;
        await fireTrigger(
          { tokenHash },
          { ...NOTHING_MORE, pointSystemId, triggerKey, walletAddress },
        );
        credits += 1;
      }
    }),
  );
  return (credits * 1_000) / ROUND_MS;
}

test("credits of one point system are as quick as 0.6 of plain PostgreSQL 15, measured in turns", async () => {
  const wallets = Array.from({ length: 60_000 }, createAddress);
  await citus.createDatabase("rate");
  const engines = [
    { name: "PostgreSQL 15", address: plain.url as DatabaseAddress },
    {
      name: "Citus",
      address: { ...citus.coordinator.address, database: "rate" } as DatabaseAddress,
    },
  ].map((engine) => ({ ...engine, rates: [] as number[] }));
  const open = async (address: DatabaseAddress) => {
    await sleep(200); // for what is written after an answer
    await closeDatabase();
    openDatabase({ address, connectionsMax: 10, statementTimeoutMs: 30_000, deadlineMs: 30_000 });
  };
  const worlds: Awaited<ReturnType<typeof scene>>[] = [];
  for (const { name, address } of engines) {
    await migrateDatabase(address);
    if (name === "Citus") await distributeDatabase(address, () => {});
    await open(address);
    worlds.push(await scene());
  }
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [i, { address, rates }] of engines.entries()) {
      await open(address);
      const rate = await measure(worlds[i] as (typeof worlds)[number], wallets);
      // The first round warms up.
      if (round > 0) rates.push(rate);
    }
  }
  const medians = engines.map(({ name, rates }) => {
    const median = rates.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
    console.log(`${name}: ${Math.round(median)} credits a second (${rates.map(Math.round)})`);
    return median;
  });
  const [ofPlain = 1, ofCitus = 0] = medians;
  console.log(`Share: ${(ofCitus / ofPlain).toFixed(2)}`);
  expect(ofCitus / ofPlain).toBeGreaterThanOrEqual(SHARE_MIN);
});
