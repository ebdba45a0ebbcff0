import http, { type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { setImmediate as endOwnTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { createDrain } from "../../app/server/drain";
import { stopOnSignals } from "../../app/server/signals";
import { waitUntil } from "../support/server-process";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const CALLERS = 20;
/** As long as the machine may leave a process aside. */
const PAUSE_MS = 2_500;

const call = (port: number) =>
  new Promise<number | string>((resolve) => {
    http
      .get({ port, host: "127.0.0.1", agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });

test("calls that arrive while the process that stops is not run by the machine are answered", async () => {
  const server = http.createServer();
  const { admit, drain } = createDrain(server);
  server.on("request", (_request, response) => admit(response, () => response.end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let calls: Promise<number | string>[] = [];
  await drain(0, {
    async endTurn() {
      if (calls.length === 0) {
        calls = Array.from({ length: CALLERS }, () => call(port));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
      await endOwnTurn();
    },
    onClosed: async () => {},
  });
  expect(await Promise.all(calls)).toEqual(Array(CALLERS).fill(200));
});

test("calls of a client that waits for no answer are forgotten when its connection ends", async () => {
  const server = http.createServer();
  const { admit, underWay } = createDrain(server);
  let closed = 0;
  server.on("request", (_request, response) => {
    response.once("close", () => {
      closed += 1;
    });
    admit(response, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3));
  await waitUntil(() => underWay.size === 3, 5_000);
  socket.destroy();
  await waitUntil(() => underWay.size === 0, 5_000);
  expect(closed).toBe(3);
  server.close();
});

test("a stop answers all calls that a connection has sent, and does none behind the last one", async () => {
  const server = http.createServer();
  const { admit, drain } = createDrain(server);
  const served: ServerResponse[] = [];
  server.on("request", (_request, response) => admit(response, () => served.push(response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connect = () => {
    let text = "";
    const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const call = () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3));
    const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
    return { call, countAnswers: async () => (await ended).match(/HTTP\/1\.1 200/g)?.length };
  };
  const [early, late] = [connect(), connect()];
  early.call();
  await waitUntil(() => served.length === 3, 5_000);
  const stopped = drain(300, { onClosed: async () => {} });
  early.call();
  late.call();
  await waitUntil(() => served.length === 4, 5_000);
  await sleep(100);
  for (const response of served) response.end();
  expect([await early.countAnswers(), await late.countAnswers()]).toEqual([3, 1]);
  expect(served).toHaveLength(4);
  await stopped;
});

test("the deadline of a stop counts from the end of the grace that was chosen at its signal", async () => {
  vi.useFakeTimers();
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  const on = vi.spyOn(process, "on").mockReturnValue(process);
  const stop = () => new Promise<void>((resolve) => setTimeout(resolve, 22_000));
  stopOnSignals({ stop, chooseGraceMs: () => 5_000 });
  on.mock.lastCall?.[1]();
  await vi.advanceTimersByTimeAsync(22_000);
  expect(exit.mock.calls).toEqual([[0]]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(exit.mock.lastCall).toEqual([1]);
});
