import {
  createServer,
  type RequestListener,
  request as requestPlain,
  type Server,
} from "node:http";
import type { RequestOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createGuardedFetch, type GuardedFetchWorld } from "../../../app/chain/ens/guarded-fetch";
import { isPublicAddress } from "../../../app/net/public-address";

// A server that counts connections, and a world in which every call would reach it.

let server: Server;
let connections: number;
let requested: RequestOptions[];
let answer: RequestListener;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  connections = 0;
  requested = [];
  answer = (_, response) => answerJson(response, '{"data":"0x01"}');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

function answerJson(response: Parameters<RequestListener>[1], text: string): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(text);
}

/** Connects to the server here for every address, unless the caller's look-up decides. */
const connect: GuardedFetchWorld["connect"] = (options) => {
  requested.push(options);
  const { port } = server.address() as AddressInfo;
  return requestPlain({
    ...options,
    protocol: "http:",
    port,
    agent: false,
    lookup: (_, { all }, give) =>
      all ? give(null, [{ address: "127.0.0.1", family: 4 }]) : give(null, "127.0.0.1", 4),
    hostname: "gateway.test",
  });
};
const PUBLIC = ["93.184.215.14"];
const fetchHere = createGuardedFetch({ connect, lookUp: async () => PUBLIC });
const get = (url: string) => fetchHere({ url, method: "GET" });

test("what is public is called, and its JSON is read", async () => {
  expect(await get("https://gateway.test/a?b=c")).toEqual({ status: 200, body: { data: "0x01" } });
  expect(connections).toBe(1);
});

test("a POST sends its body as JSON", async () => {
  let received = "";
  answer = (request, response) => {
    request.on("data", (chunk) => {
      received += chunk;
    });
    request.on("end", () => answerJson(response, JSON.stringify(request.headers)));
  };
  const { body } = await fetchHere({ url: "https://gateway.test/", method: "POST", body: "[1]" });
  expect(received).toBe("[1]");
  expect(body).toMatchObject({ "content-type": "application/json", "content-length": "3" });
});

test("the connection goes to the address that was checked, with the host's name and certificate", async () => {
  await get("https://gateway.test/x");
  const [options] = requested;
  expect(options).toMatchObject({
    protocol: "https:",
    hostname: "gateway.test",
    servername: "gateway.test",
    port: 443,
    agent: false,
  });
  expect(options?.rejectUnauthorized).not.toBe(false);
  const pinned = await Promise.all(
    [true, false].map(
      (all) =>
        new Promise((resolve) =>
          options?.lookup?.("gateway.test", { all }, (_, address) => resolve(address)),
        ),
    ),
  );
  expect(pinned).toEqual([[{ address: PUBLIC[0], family: 4 }], PUBLIC[0]]);
});

describe("no connection is made to", () => {
  test.each([
    "http://gateway.test/",
    "https://gateway.test:8443/",
    "https://gateway.test:80/",
    "https://user:secret@gateway.test/",
    "ftp://gateway.test/",
    "file:///etc/passwd",
    "data:application/json,{}",
    "ws://gateway.test/",
    "gateway.test",
    "//gateway.test",
    "",
    "x-batch-gateway:true",
    `https://gateway.test/${"a".repeat(20_000)}`,
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f000001/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/",
    "https://172.16.5.4/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:a00:1::]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[fd00:ec2::254]/",
    "https://[ff02::1]/",
  ])("%s", async (url) => {
    await expect(get(url)).rejects.toThrow();
    expect(requested).toEqual([]);
    expect(connections).toBe(0);
  });

  test.each([
    [["127.0.0.1"]],
    [["93.184.215.14", "127.0.0.1"]],
    [["::ffff:169.254.169.254"]],
    [["2606:2800:21f:cb07::1", "fd00::1"]],
    [[]],
    [["localhost"]],
    [Array.from({ length: 33 }, () => "93.184.215.14")],
  ])("a host whose addresses are %j", async (addresses) => {
    const fetchThere = createGuardedFetch({ connect, lookUp: async () => addresses });
    await expect(fetchThere({ url: "https://a.test/", method: "GET" })).rejects.toThrow();
    expect(connections).toBe(0);
  });

  test("localhost, by the look-up that is used for real", async () => {
    const fetchForReal = createGuardedFetch({ connect });
    await expect(fetchForReal({ url: "https://localhost/", method: "GET" })).rejects.toThrow();
    expect(connections).toBe(0);
  });
});

test("a name that rebinds is looked up once, and its second address never used", async () => {
  let lookUps = 0;
  const fetchThere = createGuardedFetch({
    lookUp: async () => (lookUps++ === 0 ? PUBLIC : ["127.0.0.1"]),
    connect,
  });
  await fetchThere({ url: "https://a.test/", method: "GET" });
  const [options] = requested;
  for (let i = 0; i < 3; i += 1) {
    options?.lookup?.("a.test", {}, (_, address) => expect(address).toBe(PUBLIC[0]));
  }
  expect(lookUps).toBe(1);
  await expect(fetchThere({ url: "https://a.test/", method: "GET" })).rejects.toThrow();
  expect(connections).toBe(1);
});

describe("it stops within its bound:", () => {
  test.each([301, 302, 303, 307, 308])("a redirect (%i) is not followed", async (status) => {
    answer = (_, response) => {
      response.writeHead(status, { Location: "https://169.254.169.254/" }).end("{}");
    };
    await expect(get("https://gateway.test/")).rejects.toThrow("Redirects are not followed");
    expect(connections).toBe(1);
  });

  test.each([true, false])(
    "100 MB are not read, whether announced (%s) or not",
    async (isAnnounced) => {
      const bytesInAll = 100_000_000;
      let bytesGiven = 0;
      answer = (_, response) => {
        response.writeHead(200, {
          "Content-Type": "application/json",
          ...(isAnnounced && { "Content-Length": bytesInAll }),
        });
        const chunks = Readable.from(
          (function* () {
            for (; bytesGiven < bytesInAll; bytesGiven += 100_000) yield Buffer.alloc(100_000, "1");
          })(),
        );
        chunks.pipe(response).once("close", () => chunks.destroy());
      };
      await expect(get("https://gateway.test/")).rejects.toThrow("Too long an answer");
      await expect.poll(() => sockets.size).toBe(0);
      // No more than the buffers of both ends hold.
      expect(bytesGiven).toBeLessThan(bytesInAll / 5);
    },
  );

  test("64 KiB are", async () => {
    answer = (_, response) => answerJson(response, `"${"a".repeat(64 * 1024 - 2)}"`);
    expect((await get("https://gateway.test/")).body).toHaveLength(64 * 1024 - 2);
    answer = (_, response) => answerJson(response, `"${"a".repeat(64 * 1024 - 1)}"`);
    await expect(get("https://gateway.test/")).rejects.toThrow("Too long an answer");
  });

  test.each<[string, RequestListener]>([
    [
      "drips",
      (_, response) => {
        response.writeHead(200, { "Content-Type": "application/json" });
        const timer = setInterval(() => response.write(" "), 50);
        response.once("close", () => clearInterval(timer));
      },
    ],
    ["never begins", () => {}],
    [
      "never ends its hints",
      (_, response) => {
        const timer = setInterval(() => response.writeProcessing(), 50);
        response.once("close", () => clearInterval(timer));
      },
    ],
  ])("an answer that %s is given up, and its connection closed", async (_, listener) => {
    answer = listener;
    await expect(get("https://gateway.test/")).rejects.toThrow();
    await expect.poll(() => sockets.size).toBe(0);
  });

  test("a look-up that never ends is given up", async () => {
    const fetchThere = createGuardedFetch({ connect, lookUp: () => new Promise(() => {}) });
    await expect(fetchThere({ url: "https://a.test/", method: "GET" })).rejects.toThrow(
      "time is up",
    );
  });

  test("the caller can end it sooner", async () => {
    answer = () => {};
    const ended = new AbortController();
    const asked = fetchHere({ url: "https://a.test/", method: "GET", signal: ended.signal });
    ended.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => sockets.size).toBe(0);
  });

  test("a compressed answer is not unpacked, and only JSON is read", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      response.end("{}");
    };
    await expect(get("https://gateway.test/")).rejects.toThrow("compressed");
    for (const type of ["text/html", "", "application/jsonp"]) {
      answer = (_, response) => response.writeHead(200, { "Content-Type": type }).end("{}");
      await expect(get("https://gateway.test/")).rejects.toThrow("no JSON");
    }
    answer = (_, response) => answerJson(response, "{");
    await expect(get("https://gateway.test/")).rejects.toThrow();
  });
});

test.each(["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"])(
  "%s is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);
test.each([
  "0.1.2.3",
  "127.255.255.254",
  "192.0.2.1",
  "198.18.0.1",
  "203.0.113.9",
  "240.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2002:808:808::1",
  "2001:db8::1",
  "100::1",
  "5f00::1",
  "4000::1",
  "fe80::1%eth0",
  "",
  "localhost",
])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
