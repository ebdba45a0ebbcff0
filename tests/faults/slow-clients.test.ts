import { once } from "node:events";
import fs from "node:fs/promises";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDrain } from "../../app/server/drain";
import { cutSlowClients } from "../../app/server/slow-clients";
import {
  createDataDir,
  fireOverHttp,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const SOCKETS = 1_000;

let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess({ dataDir: await createDataDir() });
  await seed(server.dataDir, SMALL_FIXTURE.file);
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

/**
 * Sends the beginning of a request and then nothing. Resolves when the server ends the connection.
 */
function stall(beginning: string): Promise<number> {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("connect", () => socket.write(beginning));
    socket.on("error", () => {});
    socket.on("data", () => {});
    socket.on("close", () => resolve(Date.now() - startedAt));
  });
}

test("a thousand clients that stall in mid-request are cut off, and the others notice nothing", async () => {
  const stalled = Promise.all([
    ...Array.from({ length: SOCKETS / 2 }, () => stall("GET /wallet HTTP/1.1\r\nHost: x\r\n")),
    ...Array.from({ length: SOCKETS / 2 }, () =>
      stall(
        "POST /trigger HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n" +
          `Authorization: Bearer ${SMALL_FIXTURE.token}\r\n\r\n{"triggerKey":`,
      ),
    ),
  ]);
  for (let n = 0; n < 50; n += 1) {
    const address = `0x${n.toString(16).padStart(40, "0")}`;
    const startedAt = Date.now();
    expect((await fireOverHttp(server.url, address)).status).toBe(200);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  }
  for (const heldMs of await stalled) expect(heldMs).toBeLessThan(30_000);
  expect((await fireOverHttp(server.url, SMALL_FIXTURE.wallet)).status).toBe(200);
});

test("a caller that goes on sending a body that is too large still gets its answer, and is cut off then", async () => {
  for (const answer of await Promise.all(Array.from({ length: 50 }, floodWithoutEnd))) {
    expect(answer).toContain("413 Payload Too Large");
    expect(answer).toContain("Request body too large");
  }
});

test("a body at a slow line's rate arrives, however long it takes; one that trickles is cut off", async () => {
  const reader = http.createServer();
  const { admit, underWay } = createDrain(reader);
  cutSlowClients(underWay);
  reader.on("request", (request, response) => {
    admit(response, () => request.resume().on("end", () => response.end("whole")));
  });
  await new Promise<void>((resolve) => reader.listen(0, "127.0.0.1", resolve));
  const { port } = reader.address() as AddressInfo;
  const pace = (bytesASecond: number, seconds: number) =>
    new Promise<string>((resolve) => {
      const request = http.request({ port, host: "127.0.0.1", method: "POST" }, (response) => {
        response
          .on("data", (data) => resolve(`${response.statusCode} ${data}`))
          .on("end", () => resolve(String(response.statusCode)));
      });
      request.on("error", (error) => resolve(error.message));
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        if (!request.destroyed && sent < seconds * 4) {
          request.write(Buffer.alloc(bytesASecond / 4));
          return;
        }
        clearInterval(timer);
        request.end();
      }, 250);
    });
  const [steady, trickle] = await Promise.all([pace(48 * 1_024, 24), pace(1_024, 40)]);
  expect(steady).toBe("200 whole");
  expect(trickle).toMatch(/^408|ECONNRESET|EPIPE|socket hang up/);
  reader.close();
});

test("an answer that nobody reads does not hold its connection; one that is read slowly arrives whole", async () => {
  const giver = http.createServer();
  const { admit, underWay } = createDrain(giver);
  cutSlowClients(underWay, 6_000);
  const chunk = Buffer.alloc(64 * 1_024);
  const CHUNKS = 300;
  giver.on("request", (_request, response) => {
    admit(response, async () => {
      for (let n = 0; n < CHUNKS && !response.destroyed; n += 1) {
        if (!response.write(chunk)) await once(response, "drain").catch(() => {});
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => giver.listen(0, "127.0.0.1", resolve));
  const { port } = giver.address() as AddressInfo;
  const isCut = new Promise<boolean>((resolve) => {
    giver.on("connection", (socket) => socket.on("close", () => resolve(socket.destroyed)));
  });
  const silent = net.connect(port, "127.0.0.1", () =>
    silent.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
  );
  silent.on("error", () => {}).pause();
  expect(await isCut).toBe(true);
  const read = await new Promise<number>((resolve) => {
    http.get({ port, host: "127.0.0.1" }, async (response) => {
      let bytes = 0;
      for await (const part of response) {
        bytes += part.length;
        await sleep(part.length / 1_500);
      }
      resolve(bytes);
    });
  });
  expect(read).toBe(CHUNKS * chunk.length);
  silent.destroy();
  giver.close();
});

/** Sends a body as long as the server accepts it. Resolves with the server's answer. */
function floodWithoutEnd(): Promise<string> {
  const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
  const chunk = `1000\r\n${"x".repeat(4096)}\r\n`;
  let answer = "";
  return new Promise((resolve) => {
    const send = () => {
      if (socket.destroyed) return;
      if (socket.write(chunk)) setImmediate(send);
      else socket.once("drain", send);
    };
    socket.on("connect", () => {
      socket.write(
        "POST /trigger HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" +
          `Authorization: Bearer ${SMALL_FIXTURE.token}\r\n\r\n`,
      );
      send();
    });
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}
