import { afterEach, expect, test, vi } from "vitest";
import { createLimiter } from "../../../app/services/runtime/limiter";
import { failureOf, tally } from "../../support/operators";

afterEach(() => {
  vi.useRealTimers();
});

test("so much is under way at once, so much waits in order, and more is turned away", async () => {
  const limit = createLimiter({ atOnceMax: 2, waitingMax: 3, waitMs: 60_000 });
  let underWay = 0;
  let mostUnderWay = 0;
  const begun: number[] = [];
  const finishes: (() => void)[] = [];
  const works = Array.from({ length: 8 }, (_, i) =>
    limit(async () => {
      begun.push(i);
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await new Promise<void>((resolve) => finishes.push(resolve));
      underWay -= 1;
    }),
  );
  const counts = tally(works);
  for (let finished = 0; finished < 5; finished += 1) {
    await vi.waitUntil(() => finishes.length > finished);
    finishes[finished]?.();
  }
  expect(await counts).toEqual({ succeeded: 5, service_unavailable: 3 });
  expect(mostUnderWay).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test("work that fails passes its turn on", async () => {
  const limit = createLimiter({ atOnceMax: 1, waitingMax: 1, waitMs: 60_000 });
  const works = [limit(() => Promise.reject(new Error("broken"))), limit(async () => "done")];
  const results = await Promise.allSettled(works);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(await limit(async () => "again")).toBe("again");
});

test("whoever waits too long is turned away, and takes nobody's turn", async () => {
  vi.useFakeTimers();
  const limit = createLimiter({ atOnceMax: 1, waitingMax: 1, waitMs: 3_000 });
  let finish = () => {};
  const first = limit(() => new Promise<void>((resolve) => (finish = resolve)));
  const late = failureOf(limit(async () => "never"));
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await late).code).toBe("service_unavailable");
  finish();
  await first;
  expect(await limit(async () => "next")).toBe("next");
});

test("a group takes only its part of the places and of the waiting, and leaves the rest to others", async () => {
  const limit = createLimiter({ atOnceMax: 4, waitingMax: 8, waitMs: 60_000, partOfGroup: 0.5 });
  const begun: string[] = [];
  const finishes: (() => void)[] = [];
  const run = (group: string) =>
    limit(async () => {
      begun.push(group);
      await new Promise<void>((resolve) => finishes.push(resolve));
    }, group);
  const slow = tally(Array.from({ length: 10 }, () => run("slow")));
  const others = tally(Array.from({ length: 3 }, () => run("other")));
  expect(begun).toEqual(["slow", "slow", "other", "other"]);
  for (let finished = 0; finished < 9; finished += 1) {
    await vi.waitUntil(() => finishes.length > finished);
    finishes[finished]?.();
  }
  expect(await slow).toEqual({ succeeded: 6, service_unavailable: 4 });
  expect(await others).toEqual({ succeeded: 3 });
});

test("groups take turns, however much of one waits", async () => {
  const limit = createLimiter({ atOnceMax: 1, waitingMax: 8, waitMs: 60_000 });
  const begun: string[] = [];
  const run = (group: string) =>
    limit(async () => {
      begun.push(group);
      await new Promise((resolve) => setImmediate(resolve));
    }, group);
  await Promise.all(["many", "many", "many", "many", "one", "two"].map(run));
  expect(begun).toEqual(["many", "one", "two", "many", "many", "many"]);
});
