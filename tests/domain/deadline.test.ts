import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { createDeadline, waitInTime } from "../../app/domain/deadline";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Resolves with the reason. Only the listener holds a reference to the signal. */
function listen(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
}

describe("a deadline", () => {
  test("comes though all the rest is collected as garbage", async () => {
    const ended = listen(createDeadline(200, createDeadline(60_000)));
    const endedByOther = listen(createDeadline(60_000, createDeadline(200)));
    for (let turn = 0; turn < 5; turn += 1) {
      await sleep(10);
      collectGarbage();
    }
    await expect(ended).resolves.toMatchObject({ name: "TimeoutError" });
    await expect(endedByOther).resolves.toMatchObject({ name: "TimeoutError" });
  });

  test("ends with the first of the others, for its reason", async () => {
    const aborter = new AbortController();
    const signal = createDeadline(60_000, new AbortController().signal, aborter.signal);
    expect(signal.aborted).toBe(false);
    aborter.abort("enough");
    expect(signal.reason).toBe("enough");
  });

  test("ends with its block, and leaves no listener on the others", () => {
    const other = new AbortController().signal;
    let signal: AbortSignal;
    {
      using deadline = createDeadline(60_000, other);
      signal = deadline;
      expect(getEventListeners(other, "abort")).toHaveLength(1);
      expect(signal.aborted).toBe(false);
    }
    expect(getEventListeners(other, "abort")).toEqual([]);
    expect(signal.aborted).toBe(true);
  });

  test("has ended when another has already", () => {
    expect(createDeadline(60_000, AbortSignal.abort("before")).reason).toBe("before");
  });
});

describe("waiting in time", () => {
  const late = () => new Error("late");

  test("gives what the work gives, or its failure", async () => {
    expect(await waitInTime(Promise.resolve("done"), 60_000, late)).toBe("done");
    await expect(waitInTime(Promise.reject(new Error("broken")), 60_000, late)).rejects.toThrow(
      "broken",
    );
  });

  test("ends at the deadline; a failure that comes later is ignored", async () => {
    let fail = (_error: Error) => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    await expect(waitInTime(work, 20, late)).rejects.toThrow("late");
    fail(new Error("broken"));
    await sleep(10);
  });
});
