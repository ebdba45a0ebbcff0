import { afterEach, expect, test, vi } from "vitest";
import { doOneByOne } from "../../app/services/runtime/one-by-one";
import { startWorker } from "../../app/worker/worker";

afterEach(() => vi.useRealTimers());

/** The rest of a job after a failure. */
const REST_MS = 5_000;

test("a job tells the first failure of a series, and of its items each one's first", async () => {
  vi.useFakeTimers();
  const outage = new Error("The database is away");
  const runs = [["A"], ["A"], ["A", "B"], ["B"], [outage], [outage], [], ["B"], []];
  const told: string[][] = [];
  const worker = startWorker(
    [
      {
        name: "test",
        restMs: REST_MS,
        run: async () => {
          const failing = runs.shift() ?? [];
          if (failing[0] === outage) throw outage;
          await doOneByOne(failing, String, () => Promise.reject(outage));
          return false;
        },
      },
    ],
    (_, error) => {
      const errors = error instanceof AggregateError ? error.errors : [error];
      told.push(errors.map((each: Error) => each.message));
    },
  );
  while (runs.length > 0) await vi.advanceTimersByTimeAsync(REST_MS);
  await worker.stop();
  expect(told).toEqual([
    ["A failed"],
    ["A failed", "B failed"],
    ["The database is away"],
    ["B failed"],
  ]);
});
