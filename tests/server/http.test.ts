import { once } from "node:events";
import fs from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CLIENT_ENDPOINTS,
  type EndpointPath,
  isManagePath,
  listApiMounts,
} from "../../app/api/endpoints";
import { createIp } from "../support/call";
import { atDepth } from "../support/depth";
import {
  createDataDir,
  fireOverHttp,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const AUTHORIZATION = { Authorization: `Bearer ${token}` };

let server: ServerProcess;
let dataDir: string;

beforeAll(async () => {
  dataDir = await createDataDir();
  // Whom a score asks refuses at once: nobody waits for a network that is not there.
  const nobody = "http://127.0.0.1:1";
  const SCORE_CHAINS = JSON.stringify([
    { chainId: 1, name: "Ethereum", rpcUrls: [nobody], explorers: [] },
  ]);
  server = await startServerProcess({
    dataDir,
    env: { TRUSTED_PROXIES: "127.0.0.1", SCORE_CHAINS, RPC_URL_1: nobody },
  });
  await seed(dataDir, SMALL_FIXTURE.file);
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

/** Asks for an answer without the parts that may vary. Each call is from a separate network. */
async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${server.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { "X-Forwarded-For": createIp(), ...(init.headers as Record<string, string>) },
  });
  const headers = Object.fromEntries(response.headers);
  // The client itself closes the connection after HEAD.
  const varying = ["date", "x-request-id", "connection", "keep-alive"];
  for (const name of varying) delete headers[name];
  // Without a name to resolve, this is the time of the answer.
  const body = (await response.text()).replace(/"resolvedAt":"[^"]*"/, '"resolvedAt":""');
  return { status: response.status, headers, body };
}

/** One route serves the management API under a prefix: two of its endpoints stand for all. */
const SWEPT: readonly EndpointPath[] = ["manage/v1/triggers", "manage/v1/triggers/create"];
const MOUNTS = listApiMounts().filter(
  ({ endpoint }) => !isManagePath(endpoint) || SWEPT.includes(endpoint),
);

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

describe("the front door and Remix's router", () => {
  // The table has exact paths: with a trailing slash, Remix routes to the same endpoint.
  test.each(MOUNTS.map(({ path }) => path))("answer alike at %s", async (path) => {
    const body = JSON.stringify({ triggerKey: "nope", walletAddress: wallet, pointSystemId });
    const queries = [
      "",
      `?pointSystemId=${pointSystemId}&address=${wallet}`,
      "?page=0",
      "?page=1&page=2",
    ];
    const keys: Record<string, string>[] = [
      {},
      AUTHORIZATION,
      { Origin: "https://dapp.example", "Access-Control-Request-Method": "GET" },
    ];
    // Each third of all combinations has every pair of a method and a query, and of a method and a key.
    const step = atDepth(3, 1);
    for (const [m, method] of METHODS.entries()) {
      for (const [q, query] of queries.entries()) {
        for (const [k, headers] of keys.entries()) {
          if ((m + q + k) % step !== 0) continue;
          const init = { method, headers, ...(method === "POST" && { body }) };
          const direct = await ask(`${path}${query}`, init);
          expect(await ask(`${path}/${query}`, init), `${method} ${path}${query}`).toEqual(direct);
        }
      }
    }
  });

  test("hand the framework's own parameters no endpoint", async () => {
    for (const query of ["?_data=root", "?_routes=root", "?index"]) {
      expect((await ask(`/wallet${query}`)).status).toBe(401);
    }
    expect((await ask("/__manifest?p=/")).status).toBe(404);
  });
});

test("the start page lists every endpoint of applications", async () => {
  const page = await (await fetch(`${server.url}/`)).text();
  for (const [path, { method, summary }] of Object.entries(CLIENT_ENDPOINTS)) {
    expect(page).toContain(`${method} /${path}<`);
    expect(page).toContain(summary.replaceAll("'", "&#x27;"));
  }
});

test("a doubled slash is one: the call reaches its endpoint (K4)", async () => {
  const init = { headers: AUTHORIZATION };
  for (const path of ["//points", "/api//points", "//api/sdk//points"]) {
    const answer = await ask(`${path}?address=${wallet}`, init);
    expect(answer, path).toEqual(await ask(`/points?address=${wallet}`, init));
  }
  const headers = { "Content-Type": "application/json" };
  for (const [path, more] of [
    ["//points/", {}],
    ["//manage//v1/triggers", {}],
    ["//trigger/", { method: "POST", body: "{}", headers }],
    ["//no-such-page", {}],
    ["//sign-in", {}],
  ] as const) {
    const single = path.replace(/\/+/g, "/");
    expect((await ask(path, more)).status, path).toBe((await ask(single, more)).status);
  }
});

test("a doubled slash is one, whatever the Host", async () => {
  for (const host of ["[::1]:3000", "points_app:3000", "EXAMPLE.com", "localhost"]) {
    for (const call of ["GET //leaderboard", "GET //leaderboard/", "POST //trigger"]) {
      const answer = await sendRaw(`${call} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(answer, `${call} ${host}`).toMatch(/^HTTP\/1\.1 401 .*"code":"missing_api_key"/s);
    }
  }
});

test("no endpoint answers as the data of a page", async () => {
  const body = JSON.stringify({ triggerKey: "daily_login", walletAddress: wallet, pointSystemId });
  for (const path of [
    "/trigger.data",
    "/api/trigger.data",
    "//api/sdk/trigger.data",
    "/x/../trigger.data",
    "/manage/v1/triggers.data",
    "/api/nope.data",
  ]) {
    for (const method of ["GET", "POST"]) {
      const lines = `Host: localhost\r\nAuthorization: ${AUTHORIZATION.Authorization}\r\nContent-Length: ${body.length}`;
      const answer = await sendRaw(`${method} ${path} HTTP/1.1\r\n${lines}\r\n\r\n${body}`);
      expect(answer, `${method} ${path}`).toMatch(/^HTTP\/1\.1 404 .*"code":"not_found"/s);
    }
  }
});

test("a program that mistypes a path is answered 404 in JSON, and a browser a page (K4)", async () => {
  const notFound = expect.stringContaining('"code":"not_found"');
  for (const path of ["/triggers", "/v1/trigger", "/leaderboards", "/triggers?x=1"]) {
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      for (const headers of [AUTHORIZATION, { Accept: "application/json" }] as const) {
        const answer = await ask(path, { method, headers });
        expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: notFound });
      }
    }
    const page = await ask(path, { headers: { Accept: "text/html,application/json;q=0.9" } });
    expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect((await ask(path, { method: "POST" })).status).toBe(403);
  }
});

test("two Idempotency-Key headers are none: 400, after the failures of the key (K14)", async () => {
  const fire = (keys: string[], apiKey: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${apiKey}`, "Idempotency-Key": keys };
      const sent = http.request(`${server.url}/trigger`, { method: "POST", headers }, (answer) => {
        let body = "";
        answer.on("data", (chunk) => {
          body += chunk;
        });
        answer.on("end", () => resolve({ status: answer.statusCode, body }));
      });
      sent.once("error", reject);
      sent.end(JSON.stringify({ triggerKey: "daily_login", walletAddress: wallet, pointSystemId }));
    });
  for (const keys of [
    ["a", "b"],
    ["a", "a"],
  ]) {
    expect(await fire(keys, token)).toMatchObject({
      status: 400,
      body: expect.stringContaining("Invalid Idempotency-Key"),
    });
  }
  expect(await fire(["a", "b"], `rw_${"f".repeat(32)}`)).toMatchObject({ status: 401 });
  expect(await fire(["a, b"], token)).toMatchObject({ status: 200 });
});

test("an unknown path of the API answers 404 in JSON, whatever the method", async () => {
  for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
    for (const path of [
      "/api",
      "/api/",
      "/api/nope",
      "/api/sdk/nope",
      "/api/sdk",
      "/api/wallet/x",
      "/api/manage/v1",
      "/api/manage/v1/nope",
      "/manage/v1/triggers/nope",
    ]) {
      const { status, headers, body } = await ask(path, { method });
      expect([status, headers["content-type"]], `${method} ${path}`).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
      if (method !== "HEAD") expect(JSON.parse(body).error).toBe("Not found");
    }
  }
});

test.each(["/wallet", "/api/wallet", "/api/sdk/wallet", "/api/nope"])(
  "a call of %s with an invalid Host or path is answered in the form of every error",
  async (path) => {
    for (const [target, host] of [
      [path, "a b"],
      [path, "user@localhost"],
      [`http://[${path}`, "localhost"],
    ]) {
      const answer = await sendRaw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      expect(head, `${target} ${host}`).toMatch(/^HTTP\/1\.1 400 /);
      if (target === path) expect(head).toMatch(/^x-request-id: /im);
      expect(JSON.parse(body)).toEqual({
        error: "Invalid path or Host header",
        message: "Invalid path or Host header",
        code: "invalid_request",
      });
    }
  },
);

test("a target that no page has, and a Host that is none, are answered with 400, the usual headers and no line in the log", async () => {
  await ask("/no-such-page", { headers: { "X-Request-Id": "before-malformed" } });
  for (const [target, host] of [
    ["/?_data=root", "localhost"],
    ["/sign-in?x=1&_data=routes%2Faccounts%2Fsign-in", "localhost"],
    ["/sign-out?_data=root", "localhost"],
    ["/l/%zz", "localhost"],
    ["/api/%0d", "localhost"],
    ["/l/a%E2%80%A8b", "localhost"],
    ["/%", "localhost"],
    ["/dashboard/%c0%af/settings", "localhost"],
    ["http://localhost/sign-in", "localhost"],
    ["/", "a b"],
    ["/sign-in", "user@localhost"],
    ["/l/alpha", "[::1"],
    ["/wallet", "localhost:99999"],
    ["/api/nope", "%6cocalhost"],
    ["/wallet", "localhost\r\nHost: localhost"],
    ["/sign-in", "localhost\r\nhost: example.com"],
  ]) {
    for (const method of ["GET", "POST", "TRACE"]) {
      const lines = `Host: ${host}\r\nContent-Length: 0\r\n\r\n`;
      const answer = await sendRaw(`${method} ${target} HTTP/1.1\r\n${lines}`);
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      expect(head, `${method} ${target} ${host}`).toMatch(/^HTTP\/1\.1 400 /);
      expect(head, target).toMatch(/^x-content-type-options: nosniff/im);
      expect(body, target).toContain('"code":"invalid_request"');
    }
  }
  await ask("/no-such-page", { headers: { "X-Request-Id": "after-malformed" } });
  const findLine = (id: string) => server.logLines().findIndex(({ requestId }) => requestId === id);
  await waitUntil(() => findLine("after-malformed") >= 0, 10_000);
  const between = server.logLines().slice(findLine("before-malformed") + 1);
  expect(between.map(({ route }) => route)).toEqual(["unknown"]);
});

test("a Host in capitals, with a port, and an address of IPv6 are served", async () => {
  for (const host of ["LOCALHOST", "localhost:3000", "[::1]", "[::1]:3000"]) {
    const answer = await sendRaw(`GET /points HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer, host).toMatch(/^HTTP\/1\.1 401 /);
  }
});

/** Sends bytes as they are. Answers what comes back. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1", () =>
      socket.write(bytes),
    );
    socket.on("error", reject).on("data", (data) => {
      answer += data;
      if (/\r\n\r\n./s.test(answer)) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
  });
}

/** Writes a whole request before it reads anything, as blocking clients do. Answers what comes back. */
function sendWhole(head: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1").pause();
    socket.on("error", reject).on("data", (data) => {
      answer += data;
    });
    socket.on("close", () => resolve(answer));
    socket.write(`${head}\r\nHost: localhost\r\n\r\n${body}`, () => socket.resume());
  });
}

test("a client that reads after it has sent all is told why its body is refused, though it keeps no connection", async () => {
  const length = 5_000_000;
  const body = "x".repeat(length);
  const authorization = `Authorization: ${AUTHORIZATION.Authorization}`;
  const declared = `Content-Length: ${length}`;
  const close = "POST /trigger HTTP/1.1\r\nConnection: close";
  for (const [code, lines, sent = body] of [
    ["body_too_large", [close, authorization, declared]],
    ["body_too_large", ["POST /api/trigger/batch HTTP/1.0", authorization, declared]],
    [
      "body_too_large",
      [close, authorization, "Transfer-Encoding: chunked"],
      `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
    ["unsupported_content_type", [close, authorization, declared, "Content-Type: text/plain"]],
    ["missing_api_key", [close, declared]],
    ["not_found", ["POST /api/nope HTTP/1.0", declared]],
  ] as const) {
    expect(await sendWhole(lines.join("\r\n"), sent), lines.join()).toContain(`"code":"${code}"`);
  }
});

test("sign-out tells the browser to drop its pages, and leaves the storage of the claim page", async () => {
  const { email, password } = SMALL_FIXTURE.file.operators[0];
  const post = (path: string, init: RequestInit) =>
    fetch(server.url + path, { method: "POST", redirect: "manual", ...init });
  const body = new URLSearchParams({ email, password });
  const signedIn = await post("/sign-in", { headers: { Origin: server.url }, body });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const left = await post("/sign-out", { headers: { Origin: server.url, Cookie: cookie } });
  expect([left.status, left.headers.get("clear-site-data")]).toEqual([302, '"cache"']);
  expect(left.headers.getSetCookie()).toEqual([expect.stringMatching(/^session=;.*Max-Age=0/)]);
});

test("HEAD answers like GET, without the body", async () => {
  for (const endpoint of ["wallet", "leaderboard", "activity", "rewards", "rewards/claim-status"]) {
    const path = `/${endpoint}?pointSystemId=${pointSystemId}&address=${wallet}`;
    const get = await ask(path, { headers: AUTHORIZATION });
    const head = await ask(path, { method: "HEAD", headers: AUTHORIZATION });
    expect(get.status).toBe(200);
    expect({ ...head, body: get.body }).toEqual(get);
    expect(head.body).toBe("");
  }
});

test("a page that its browser breaks off is no error in the log", async () => {
  const before = server.logLines().length;
  const { host, hostname, port } = new URL(server.url);
  for (let i = 0; i < 20; i += 1) {
    const socket = net.connect(Number(port), hostname);
    socket.write(`GET /docs HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(socket, "data");
    socket.resetAndDestroy();
  }
  const listBroken = () => server.logLines().slice(before);
  await expect.poll(() => listBroken().length).toBeGreaterThanOrEqual(20);
  expect(listBroken().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test("a request of HTTP/1.1 without a Host is refused in JSON, one of HTTP/1.0 is served", async () => {
  const path = `/wallet?pointSystemId=${pointSystemId}&address=${wallet}`;
  const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*"code":"invalid_request"/s);
  const head = `Authorization: ${AUTHORIZATION.Authorization}\r\n\r\n`;
  expect(await sendRaw(`GET ${path} HTTP/1.0\r\n${head}`)).toMatch(/^HTTP\/1\.1 200 /);
});

test("a whole call with malformed bytes behind it has its own answer, and the connection ends", async () => {
  const body = JSON.stringify({
    triggerKey: "daily_login",
    walletAddress: `0x${"e7".repeat(20)}`,
    pointSystemId,
  });
  const head = `Host: localhost\r\nAuthorization: ${AUTHORIZATION.Authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  for (const garbage of ["\0\x01", "NO REQUEST\r\n\r\n"]) {
    const answer = await sendRaw(`POST /trigger HTTP/1.1\r\n${head}\r\n\r\n${body}${garbage}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*"pointsAdded"/s);
    expect(answer).toMatch(/^connection: close/im);
  }
});

// A second run would find the outage known.
test("a call that its client breaks off while it sends its body is no outage in the log", {
  retry: 0,
}, async () => {
  const before = server.logLines().length;
  const { host, hostname, port } = new URL(server.url);
  const more = ["Content-Length: 100", "Transfer-Encoding: chunked"];
  for (const header of [...more, ...more]) {
    const socket = net.connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `POST /trigger HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${AUTHORIZATION.Authorization}\r\n${header}\r\n\r\n5\r\n{"tri`,
    );
    await sleep(100);
    socket.resetAndDestroy();
  }
  const listBroken = () => server.logLines().slice(before);
  await expect.poll(() => listBroken().length).toBeGreaterThanOrEqual(4);
  expect(listBroken().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test("scripts and styles are sent compressed to browsers that take it", async () => {
  const asset = /\/assets\/[^"]+\.css/.exec((await ask("/")).body)?.[0] ?? "no stylesheet";
  const plain = await ask(asset);
  for (const encoding of ["br", "gzip"]) {
    const { headers } = await ask(asset, { headers: { "Accept-Encoding": encoding } });
    expect(headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
    expect(headers["content-type"]).toBe(plain.headers["content-type"]);
    expect(Number(headers["content-length"])).toBeLessThan(plain.body.length / 2);
  }
});

test("every reply carries the security headers, none opens a keyed endpoint to other origins", async () => {
  const { body } = await ask("/");
  const style = /\/assets\/[^"]+\.css/.exec(body)?.[0] ?? "no stylesheet";
  const script = /\/assets\/[^"]+\.js/.exec(body)?.[0] ?? "no script";
  const paths = [
    "/",
    "/nope",
    "/wallet",
    "/api/nope",
    "/healthz",
    "/readyz",
    "/favicon.svg",
    style,
    script,
  ];
  for (const path of paths) {
    const { headers } = await ask(path, { headers: { Origin: "https://elsewhere.example" } });
    expect(headers, path).toMatchObject({
      "x-content-type-options": "nosniff",
      // Pages differ: with `no-referrer`, browsers send `Origin: null` for their forms.
      "referrer-policy": expect.stringMatching(/^(no-referrer|same-origin)$/),
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    for (const directive of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      expect(headers["content-security-policy"], path).toContain(directive);
    }
    // Every text names its encoding; JSON has one only.
    expect(headers["content-type"], path).toMatch(/; charset=utf-8$|^application\/json$/i);
    expect(headers).not.toHaveProperty("access-control-allow-origin");
    expect(headers).not.toHaveProperty("x-powered-by");
  }
});

test("a page's policy names a fresh nonce, and every script in it has that nonce", async () => {
  const [one, two] = [await ask("/"), await ask("/")];
  const nonce = /'nonce-([^']+)'/.exec(one.headers["content-security-policy"] ?? "")?.[1];
  expect(nonce).toBeTruthy();
  expect(two.headers["content-security-policy"]).not.toContain(nonce);
  for (const [script] of one.body.matchAll(/<script[^>]*>/g)) {
    expect(script).toContain(`nonce="${nonce}"`);
  }
});

test("/healthz and /readyz answer 200 in JSON", async () => {
  expect(await ask("/healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  expect(await ask("/readyz")).toMatchObject({ status: 200, body: '{"status":"ready"}' });
  expect(await ask("/healthz", { method: "POST" })).toMatchObject({ status: 405 });
});

test("a request without a Host header, and one with an evil one, get no more than others", async () => {
  const response = await fetch(`${server.url}/`, {
    headers: { "X-Forwarded-Host": "evil.example" },
  });
  expect(await response.text()).not.toContain("evil.example");
});

test("the log has one line a request: pattern, status, time, key id; no token, body or query", async () => {
  await sleep(600); // lines of earlier requests are still in memory
  const before = server.logLines().length;
  const address = "0x00000000000000000000000000000000000000bb";
  await fireOverHttp(server.url, address, "secret-retry");
  await ask(`/api/wallet?pointSystemId=${pointSystemId}&address=${address}`, {
    headers: AUTHORIZATION,
  });
  await ask(`/no-such-page/${address}`, { headers: { Cookie: "session=secret-cookie" } });
  await waitUntil(() => server.logLines().length >= before + 3, 5_000);
  const lines = server.logLines().slice(before);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatchObject({ method: "POST", route: "/trigger", status: 200 });
  expect(lines[1]).toMatchObject({ method: "GET", route: "/api/wallet", status: 200 });
  expect(lines[2]).toMatchObject({ method: "GET", route: "unknown", status: 404 });
  for (const line of lines.slice(0, 2)) {
    expect(line).toMatchObject({
      ms: expect.any(Number),
      requestId: expect.any(String),
      apiKeyId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  }
  const text = JSON.stringify(lines);
  for (const secret of [
    token,
    token.slice(3),
    address,
    "secret-retry",
    "secret-cookie",
    "daily_login",
  ]) {
    expect(text).not.toContain(secret);
  }
});
