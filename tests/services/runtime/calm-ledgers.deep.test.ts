import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { JOBS } from "../../../app/worker/jobs";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

/** The events that one run counts. */
const RUN = 5_000;
/** Longer than a look at the ledgers is kept. */
const NEXT_LOOK_MS = 1_100;

test("statistics go on at once while ledgers are calm, and rest while credits come fast", async () => {
  const { pointSystemId, fireBatch, triggerKey } = await scene();
  for (let n = 0; n <= 3 * RUN; n += 1_000) {
    const items = Array.from({ length: 1_000 }, () => ({
      triggerKey,
      walletAddress: createAddress(),
    }));
    expect((await fireBatch({ items })).status).toBe(200);
  }
  const job = JOBS.find(({ name }) => name === "fold-statistics");
  const run = async () => {
    await sleep(NEXT_LOOK_MS);
    return job?.run((error) => expect(error).toBeUndefined(), new AbortController().signal);
  };
  await run();
  expect(await run()).toEqual(expect.any(Number));
  await other`select setval('point_events_seq_seq', last_value + 10000) from point_events_seq_seq`;
  expect(await run()).toBe(false);
  const [counted] = await other`
    select sum(events)::int as events from daily_totals where point_system_id = ${pointSystemId}`;
  expect(counted).toEqual({ events: 3 * RUN });
});
