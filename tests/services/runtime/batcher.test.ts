import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { createBatcher } from "../../../app/services/runtime/batcher";
import { createTroubles } from "../../../app/services/runtime/troubles";

afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass by `advanceTimersByTimeAsync` only. */
function stopClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "performance"] });
}

/** Waits by the stopped clock. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** As many connections as credits have by default. */
const CREDITS = {
  callsMax: 1,
  waitingMax: 1_000,
  deadlineMs: 4_500,
  group: (call: string) => call,
  countConnections: () => ({ sound: 4, troubled: 2 }),
  slowAfterMs: 250,
};

/** Creates a batcher that records its batches and answers each call with its double. */
function createDoubler(options: {
  callsMax?: number;
  waitingMax?: number;
  deadlineMs?: number;
  ms?: number;
}) {
  const batches: number[][] = [];
  const double = createBatcher<number, number>({
    run: async (calls) => {
      batches.push([...calls]);
      await sleep(options.ms ?? 5);
      return calls.map((call) => call * 2);
    },
    callsMax: options.callsMax ?? 100,
    waitingMax: options.waitingMax ?? 100,
    deadlineMs: options.deadlineMs ?? 1_000,
  });
  return { batches, double };
}

test("calls that arrive while a batch is under way go together in the next one", async () => {
  const { batches, double } = createDoubler({});
  const first = double(1);
  await sleep(1);
  const others = [2, 3, 4].map(double);
  expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

test("calls of one turn of the event loop go together, and calls that come one at a time wait for no turn", async () => {
  const { batches, double } = createDoubler({});
  await Promise.all([double(1), double(2)]);
  await double(3);
  expect(batches).toEqual([[1, 2], [3]]);
  const alone = double(4);
  await Promise.resolve();
  expect(batches).toEqual([[1, 2], [3], [4]]);
  await alone;
});

test("a call is prepared when it waits until a batch of its group ends, and at no other time", async () => {
  const prepared: number[] = [];
  let endBatches = () => {};
  const ended = new Promise<void>((resolve) => {
    endBatches = resolve;
  });
  const run = createBatcher<number, number>({
    run: async (calls) => {
      await ended;
      return calls;
    },
    prepare: async (call) => {
      prepared.push(call);
    },
    group: (call) => (call < 10 ? "low" : "high"),
    countConnections: () => ({ sound: 2, troubled: 0 }),
    batchesMax: 2,
    callsMax: 100,
    waitingMax: 100,
    deadlineMs: 1_000,
  });
  const first = run(1);
  await sleep(1);
  const second = run(2);
  await sleep(1);
  const waiting = [run(3), run(10)];
  await sleep(1);
  endBatches();
  await Promise.all([first, second, ...waiting]);
  await run(4);
  expect(prepared).toEqual([3]);
});

test("a second batch starts when it is as large as the first, a third one when one has ended", async () => {
  const batches: number[][] = [];
  const endings: (() => void)[] = [];
  const run = createBatcher<number, number>({
    run: async (calls) => {
      batches.push([...calls]);
      await new Promise<void>((end) => endings.push(end));
      return calls;
    },
    callsMax: 10,
    batchesMax: 2,
    waitingMax: 10,
    deadlineMs: 10_000,
  });
  const settle = () => sleep(1);
  const answers = [run(1), run(2)];
  await settle();
  answers.push(run(3));
  await settle();
  expect(batches).toEqual([[1, 2]]);
  answers.push(run(4));
  await settle();
  expect(batches.slice(1)).toEqual([[3, 4]]);
  answers.push(run(5), run(6), run(7));
  await settle();
  expect(batches).toHaveLength(2);
  endings[0]?.();
  await settle();
  expect(batches.slice(2)).toEqual([[5, 6, 7]]);
  for (const end of endings) end();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("without a bound of connections, no group waits for another one's batch, and each keeps its own", async () => {
  const started: string[][] = [];
  const endings: (() => void)[] = [];
  const run = createBatcher<string, string>({
    run: async (calls) => {
      started.push([...calls]);
      await new Promise<void>((end) => endings.push(end));
      return calls;
    },
    callsMax: 10,
    waitingMax: 100,
    waitingOfGroupMax: 1,
    deadlineMs: 10_000,
    group: (call) => call.slice(0, 1),
    countConnections: () => ({ sound: Number.POSITIVE_INFINITY, troubled: 0 }),
  });
  const calls = ["a1", "b1", "c1"].map(run);
  await sleep(5);
  expect(started).toEqual([["a1"], ["b1"], ["c1"]]);
  const waiting = run("a2");
  await expect(run("a3")).rejects.toMatchObject({ code: "service_unavailable" });
  await sleep(5);
  expect(started).toHaveLength(3);
  for (const end of endings.splice(0)) end();
  expect(await Promise.all(calls)).toEqual(["a1", "b1", "c1"]);
  await sleep(5);
  expect(started.at(-1)).toEqual(["a2"]);
  endings[0]?.();
  expect(await waiting).toBe("a2");
});

test("calls that stand for many take as much of the bounds, until their batch begins", async () => {
  const endings: (() => void)[] = [];
  const run = createBatcher<number, number>({
    run: async (calls) => {
      await new Promise<void>((end) => endings.push(end));
      return calls;
    },
    callsMax: 10,
    weight: (call) => call,
    waitingMax: 100,
    waitingOfGroupMax: 10,
    deadlineMs: 10_000,
  });
  const first = run(10);
  await sleep(5);
  const waiting = [run(6), run(4)];
  await expect(run(1)).rejects.toMatchObject({ code: "service_unavailable" });
  endings.shift()?.();
  expect(await first).toBe(10);
  await sleep(5);
  const next = run(10);
  await expect(run(1)).rejects.toMatchObject({ code: "service_unavailable" });
  endings.shift()?.();
  expect(await Promise.all(waiting)).toEqual([6, 4]);
  await sleep(5);
  endings.shift()?.();
  expect(await next).toBe(10);
});

test("a batch is never over its bound, and calls keep their order", async () => {
  const { batches, double } = createDoubler({ callsMax: 3 });
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map(double));
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

test("calls of one key never share a batch; the others do not wait for them", async () => {
  const batches: string[][] = [];
  const run = createBatcher<string, string>({
    run: async (calls) => {
      batches.push([...calls]);
      return calls;
    },
    callsMax: 10,
    waitingMax: 10,
    deadlineMs: 1_000,
    separate: (call) => (call.startsWith("k") ? ["k"] : []),
  });
  await Promise.all(["k1", "a", "k2", "b", "k3"].map(run));
  expect(batches).toEqual([["k1", "a", "b"], ["k2"], ["k3"]]);
});

test("a call over the bound on waiting calls is refused at once", async () => {
  const { double } = createDoubler({ waitingMax: 2, ms: 50 });
  const taken = [double(1), double(2)];
  await expect(double(3)).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await Promise.all(taken)).toEqual([2, 4]);
});

test("a call is answered by its deadline, and is not run later when it had not begun", async () => {
  const { batches, double } = createDoubler({ callsMax: 1, deadlineMs: 40, ms: 70 });
  const [first, second] = await Promise.allSettled([double(1), double(2)]);
  expect(first).toMatchObject({ status: "rejected", reason: { code: "service_unavailable" } });
  expect(second).toMatchObject({ status: "rejected", reason: { code: "service_unavailable" } });
  await sleep(100);
  expect(batches).toEqual([[1]]);
  expect(await createDoubler({}).double(4)).toBe(8);
});

test("a batch that fails fails its own calls only", async () => {
  let runs = 0;
  const run = createBatcher<number, number>({
    run: async (calls) => {
      runs += 1;
      if (runs === 1) throw new Error("broken");
      return calls;
    },
    callsMax: 1,
    waitingMax: 10,
    deadlineMs: 1_000,
  });
  const [first, second] = await Promise.allSettled([run(1), run(2)]);
  expect(first.status).toBe("rejected");
  expect(second).toEqual({ status: "fulfilled", value: 2 });
});

test.each([
  ["fail", 500, 500, 8_000],
  ["take long", 500, 500, 8_000],
  ["take long", 400, 5_000, 8_000],
  ["take long", 3_000, 500, 60_000],
])(
  "groups that %s for %d ms, called every %d ms, keep to connections of their own and hold up no other",
  async (trouble, batchMs, everyMs, knownAfterMs) => {
    stopClock();
    let failing = 0;
    let failingMax = 0;
    const run = createBatcher<string, string>({
      run: async (calls) => {
        if (calls[0] === "free") return calls;
        failing += 1;
        failingMax = Math.max(failingMax, failing);
        await pause(batchMs);
        failing -= 1;
        if (trouble === "fail") throw new Error("locked");
        return calls;
      },
      callsMax: 1,
      waitingMax: 1_000,
      deadlineMs: 4_500,
      group: (call) => call,
      countConnections: () => ({ sound: 1, troubled: 1 }),
      retryAfterMs: () => 50,
      slowAfterMs: 250,
    });
    const callOften = async (name: string) => {
      for (let n = 0; n < 150; n += 1) {
        run(name).catch(() => {});
        await pause(everyMs);
      }
    };
    void run("free");
    await vi.advanceTimersByTimeAsync(10);
    for (let n = 0; n < 12; n += 1) void callOften(`locked ${n}`);
    // At first, nobody knows which groups are in trouble.
    await vi.advanceTimersByTimeAsync(knownAfterMs);
    failingMax = 0;
    const answers: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      run("free").then(
        (answer) => answers.push(answer),
        () => {},
      );
      await vi.advanceTimersByTimeAsync(5);
      expect(answers).toHaveLength(n + 1);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(failingMax).toBe(1);
  },
);

test("a trouble is less deep with each quick batch, and a failure's is over after two", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const troubles = createTroubles(250);
  const note = (tookMs: number) => {
    const wasTroubled = troubles.getDepth("a") > 0;
    troubles.noteBatch("a", { tookMs, isMeasure: true, isAlone: false, wasTroubled });
    return troubles.getDepth("a");
  };
  expect([5, 300, 5, 300, 5, 300, 300].map(note)).toEqual([0, 1, 1, 2, 2, 3, 3]);
  vi.advanceTimersByTime(1_000);
  expect([100, 5, 5, 100, 5, 5].map(note)).toEqual([3, 2, 1, 1, 0, 0]);
  troubles.noteFailure("a");
  expect([5, 5, 5].map(note)).toEqual([2, 2, 2]);
  vi.advanceTimersByTime(1_000);
  expect([5, 5].map(note)).toEqual([1, 0]);
  // Batches of many calls are never quick.
  troubles.noteFailure("a");
  vi.advanceTimersByTime(9_000);
  troubles.noteWait("a");
  expect(note(100)).toBe(2);
  vi.advanceTimersByTime(1_000);
  expect([100, 100].map(note)).toEqual([1, 0]);
  troubles.noteFailure("a");
  vi.advanceTimersByTime(29_000);
  troubles.noteWait("a");
  vi.advanceTimersByTime(29_000);
  expect(troubles.getDepth("a")).toBe(2);
  vi.advanceTimersByTime(1_000);
  expect(troubles.getDepth("a")).toBe(0);
});

test("on a slow disk, where no batch is quick, a failure is over as soon as elsewhere", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const troubles = createTroubles(250);
  const note = (tookMs: number) => {
    troubles.noteBatch("a", { tookMs, isMeasure: true, isAlone: false, wasTroubled: true });
    return troubles.getDepth("a");
  };
  expect([400, 450, 500].map(note)).toEqual([0, 0, 0]);
  troubles.noteFailure("a");
  vi.advanceTimersByTime(1_000);
  expect([500, 600].map(note)).toEqual([1, 0]);
});

test("a group that fails no longer waits for those that still do from its next turn on", async () => {
  stopClock();
  let hasRecovered = false;
  const run = createBatcher<string, string>({
    run: async (calls) => {
      if (calls[0] === "locked 0" && hasRecovered) return calls;
      await pause(500);
      throw new Error("locked");
    },
    ...CREDITS,
    retryAfterMs: () => 50,
  });
  let answers = 0;
  const callOften = async (name: string) => {
    for (let n = 0; n < 200; n += 1) {
      const answer = run(name).then(
        () => true,
        () => false,
      );
      if (await answer) answers += 1;
      else await pause(100);
      if (hasRecovered) await pause(100);
    }
  };
  for (let n = 0; n < 10; n += 1) void callOften(`locked ${n}`);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(answers).toBe(0);
  hasRecovered = true;
  // Its turn comes after nine others on two connections.
  await vi.advanceTimersByTimeAsync(4_000);
  answers = 0;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(answers).toBeGreaterThanOrEqual(9);
});

test("groups that wait for locks which are held again and again hold up no other, however short some waits are", async () => {
  stopClock();
  const run = createBatcher<string, string>({
    run: async (calls) => {
      const slow = /^slow (\d)/.exec(calls[0] ?? "")?.[1];
      // Each lock is held for 400 ms and then free for 6 ms, from another moment on.
      const heldMs = (performance.now() + Number(slow ?? 0) * 37) % 406;
      await pause(slow === undefined ? 5 : heldMs < 400 ? 403 - heldMs : 3);
      return calls;
    },
    ...CREDITS,
    batchesMax: 2,
  });
  void run("free");
  await vi.advanceTimersByTimeAsync(10);
  for (let n = 0; n < 30; n += 1) {
    void (async () => {
      for (let call = 0; call < 1_000; call += 1) await run(`slow ${n % 10}`).catch(() => {});
    })();
  }
  await vi.advanceTimersByTimeAsync(5_000);
  const waits: number[] = [];
  for (let n = 0; n < 400; n += 1) {
    const askedAt = performance.now();
    void run("free").then(() => waits.push(performance.now() - askedAt));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(waits.length).toBeGreaterThan(395);
  expect(waits.filter((ms) => ms > 20).length).toBeLessThan(4);
});

test("a group whose batch took long once, as on a machine that stalls, does not wait for those that always do", async () => {
  stopClock();
  let isStalled = false;
  const run = createBatcher<string, string>({
    run: async (calls) => {
      await pause(calls[0] !== "free" ? 400 : isStalled ? 300 : 5);
      return calls;
    },
    ...CREDITS,
    batchesMax: 2,
  });
  const answers: string[] = [];
  const callFree = () => void run("free").then((answer) => answers.push(answer));
  callFree();
  await vi.advanceTimersByTimeAsync(10);
  for (let n = 0; n < 10; n += 1) {
    void (async () => {
      for (let call = 0; call < 100; call += 1) await run(`slow ${n}`).catch(() => {});
    })();
  }
  await vi.advanceTimersByTimeAsync(10_000);
  for (let n = 0; n < 10; n += 1) {
    answers.length = 0;
    isStalled = true;
    // Both were under way when the machine stalled.
    callFree();
    callFree();
    await vi.advanceTimersByTimeAsync(305);
    expect(answers).toHaveLength(2);
    isStalled = false;
    callFree();
    await vi.advanceTimersByTimeAsync(10);
    expect(answers).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1_000);
    callFree();
    await vi.advanceTimersByTimeAsync(10);
    expect(answers).toHaveLength(4);
  }
});

test("where the batches of all groups that write take long, they have all connections for sound ones", async () => {
  stopClock();
  let running = 0;
  const seen: number[] = [];
  const run = createBatcher<string, string>({
    run: async (calls) => {
      if (calls[0] === "replay") return calls;
      running += 1;
      seen.push(running);
      await new Promise((resolve) => setTimeout(resolve, 400 + 50 * (seen.length % 5)));
      running -= 1;
      return calls;
    },
    callsMax: 1,
    waitingMax: 1_000,
    deadlineMs: 60_000,
    group: (call) => call,
    countConnections: () => ({ sound: 4, troubled: 2 }),
    slowAfterMs: 250,
    hasWritten: ([call]) => call !== "replay",
  });
  const answers = Promise.all([
    ...Array.from({ length: 80 }, (_, n) => run(`group ${n % 8}`)),
    ...Array.from({ length: 20 }, () => run("replay")),
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  await answers;
  expect(seen.filter((batches) => batches === 4).length).toBeGreaterThan(70);
});

test("a group that fails has one batch at a time, so none of its late calls is under way", async () => {
  let running = 0;
  let hasFailed = false;
  const counts: number[] = [];
  const late: boolean[] = [];
  let connection = Promise.resolve();
  const run = createBatcher<string, string>({
    run: async () => {
      running += 1;
      if (hasFailed) counts.push(running);
      // One after the other, as statements on one connection.
      connection = connection.then(() => sleep(100));
      await connection;
      running -= 1;
      hasFailed = true;
      throw new Error("locked");
    },
    callsMax: 10,
    batchesMax: 2,
    waitingMax: 10,
    deadlineMs: 1_000,
    retryAfterMs: () => 10,
    lateError: (_, isUnderWay) => {
      late.push(isUnderWay);
      return new Error("late");
    },
  });
  const first = run("first");
  await sleep(50);
  await Promise.allSettled([first, run("second")]);
  expect(late).toEqual([false, false]);
  expect(new Set(counts)).toEqual(new Set([1]));
});

test("thousands of groups that wait for few connections take their turns without delay", async () => {
  const run = createBatcher<string, string>({
    run: async (calls) => {
      await immediate();
      return calls;
    },
    callsMax: 64,
    waitingMax: 2_000,
    deadlineMs: 8_000,
    group: (call) => call,
    countConnections: () => ({ sound: 4, troubled: 0 }),
  });
  const calls = Array.from({ length: 2_000 }, (_, n) => String(n));
  expect(await Promise.all(calls.map(run))).toEqual(calls);
});
