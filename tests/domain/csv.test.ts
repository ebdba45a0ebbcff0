import { createServer } from "node:http";
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { streamCsv } from "../../app/http/csv";
import { type DownloadContext, streamDownload } from "../../app/http/download";

type Row = readonly (string | number | null)[];

async function* yieldRows(count: number, onEnd: () => void = () => {}): AsyncGenerator<Row> {
  try {
    for (let i = 0; i < count; i += 1) yield [i, `row ${i}`];
  } finally {
    onEnd();
  }
}

/** Serves one answer over a real connection. */
async function serve(
  answer: (context: DownloadContext) => Response,
): Promise<{ url: string; close: () => void }> {
  const listener = getRequestListener((_request, env) => {
    const { socket } = (env as HttpBindings).incoming;
    return answer({ ...CONTEXT, breakConnection: () => socket.resetAndDestroy() });
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const CONTEXT = { ip: "192.0.2.1", breakConnection: () => {}, logError: () => {} };

test("text that a spreadsheet would run is guarded; numbers and other text are as they are", async () => {
  async function* rows(): AsyncGenerator<Row> {
    yield ["=1+1", "+1", "-1", "@x", "\tx", "\rx"];
    yield [-5, 'say "hi", you', "two\nlines", null, "a=1", "0x12"];
  }
  const answer = streamCsv("events.csv", ["a", "b", "c", "d", "e", "f"], rows(), CONTEXT);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="events.csv"');
  expect(parse(await answer.text())).toEqual([
    ["a", "b", "c", "d", "e", "f"],
    ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx"],
    ["-5", 'say "hi", you', "two\nlines", "", "a=1", "0x12"],
  ]);
});

test("rows are read no faster than the client takes them, and no more once it goes away", async () => {
  let read = 0;
  let isEnded = false;
  async function* rows(): AsyncGenerator<Row> {
    for await (const row of yieldRows(20_000_000, () => {
      isEnded = true;
    })) {
      read += 1;
      yield row;
    }
  }
  const server = await serve((context) => streamCsv("a.csv", ["n", "text"], rows(), context));
  const leave = new AbortController();
  const answer = await fetch(server.url, { signal: leave.signal });
  const reader = answer.body?.getReader();
  await reader?.read();
  await expect.poll(() => read).toBeGreaterThan(500);
  // A client that does not read fills the sockets' buffers, and no more is sent.
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = read === before;
        before = read;
        return isStill;
      },
      { interval: 100, timeout: 10_000 },
    )
    .toBe(true);
  expect(read).toBeLessThan(10_000_000);
  leave.abort();
  await expect.poll(() => isEnded).toBe(true);
  server.close();
});

test("a client that goes away while a row is read is no error", async () => {
  let readOn = () => {};
  const isReadingOn = new Promise<void>((resolve) => {
    readOn = resolve;
  });
  async function* rows(): AsyncGenerator<Row> {
    yield* yieldRows(499);
    await isReadingOn;
    yield* yieldRows(500);
  }
  const errors: unknown[] = [];
  const answer = streamCsv("a.csv", ["n", "text"], rows(), {
    ...CONTEXT,
    logError: (error) => errors.push(error),
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  await new Promise((resolve) => setImmediate(resolve));
  const left = reader?.cancel();
  readOn();
  await left;
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors).toEqual([]);
});

/** Rows of some bytes, whose reading fails after a pause. */
async function* yieldFailingRows(bytes: number, pauseMs: number): AsyncGenerator<Row> {
  for await (const [n, text] of yieldRows(1_500)) yield [n ?? null, String(text).padEnd(bytes)];
  if (pauseMs > 0) await sleep(pauseMs);
  throw new Error("the database is gone");
}

test("a file whose rows fail midway does not look like a whole one, whatever the client has taken", async () => {
  for (const bytes of [10, 30, 100, 200, 400, 1_000]) {
    const rows = yieldFailingRows(bytes, 0);
    const server = await serve((context) => streamCsv("a.csv", ["n", "text"], rows, context));
    const whole = fetch(server.url).then((answer) => answer.text());
    await expect(whole, `rows of ${bytes} bytes`).rejects.toThrow();
    server.close();
  }
});

test("a file whose rows fail midway does not look like a whole one over HTTP/1.0 either, as proxies speak it", async () => {
  // The test's client takes an error that comes together with the last bytes for the end.
  const rows = yieldFailingRows(100, 200);
  const server = await serve((context) => streamCsv("a.csv", ["n", "text"], rows, context));
  await expect(readByHttp10(server.url)).rejects.toThrow("ECONNRESET");
  server.close();
});

/** Reads an answer whose end is that of the connection, as it is for many proxies. */
function readByHttp10(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", reject);
    socket.on("end", () => resolve(text));
    socket.write("GET / HTTP/1.0\r\nHost: test\r\n\r\n");
  });
}

test("downloads take turns, and leave three quarters of the time to others", async () => {
  let atWork = 0;
  let workedMs = 0;
  let atOnceMax = 0;
  async function* pieces(count: number) {
    for (let i = 0; i < count; i += 1) {
      const startedAtMs = performance.now();
      atWork += 1;
      atOnceMax = Math.max(atOnceMax, atWork);
      await sleep(20);
      atWork -= 1;
      workedMs += performance.now() - startedAtMs;
      yield "piece ";
    }
  }
  const download = () => streamDownload("a.txt", "text/plain", pieces(5), CONTEXT).text();
  const startedAtMs = performance.now();
  const texts = await Promise.all([download(), download(), download()]);
  const lastedMs = performance.now() - startedAtMs;
  expect(texts).toEqual(Array.from({ length: 3 }, () => "piece ".repeat(5)));
  expect(atOnceMax).toBe(1);
  // After the last pieces nobody rests.
  expect(workedMs / lastedMs).toBeLessThan(0.35);
});

test("callers of downloads take turns, and a piece that takes long holds up no other caller", async () => {
  const made: string[] = [];
  async function* pieces(name: string, count: number, ms: number) {
    for (let i = 0; i < count; i += 1) {
      await sleep(ms);
      made.push(name);
      yield name;
    }
  }
  const download = (ip: string, count: number, ms: number) =>
    streamDownload("a.txt", "text/plain", pieces(ip, count, ms), { ...CONTEXT, ip }).text();
  const many = Array.from({ length: 20 }, () => download("many", 5, 5));
  const slow = download("slow", 1, 4_000);
  await download("few", 3, 5);
  expect(made.filter((name) => name === "many").length).toBeLessThan(20);
  expect(made).not.toContain("slow");
  await Promise.all([...many, slow]);
});
