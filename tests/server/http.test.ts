import fs from "node:fs/promises";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API_ENDPOINTS, listApiMounts } from "../../app/api/endpoints";
import { createIp } from "../support/call";
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
  server = await startServerProcess({ dataDir, env: { TRUSTED_PROXIES: "127.0.0.1" } });
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

describe("the front door and Remix's router", () => {
  // The table has exact paths: with a trailing slash, Remix routes to the same endpoint.
  test.each(listApiMounts().map(({ path }) => path))("answer alike at %s", async (path) => {
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
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      for (const query of queries) {
        for (const headers of keys) {
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

test("the start page lists every documented endpoint", async () => {
  const page = await (await fetch(`${server.url}/`)).text();
  for (const [path, { method, summary }] of Object.entries(API_ENDPOINTS)) {
    expect(page).toContain(`${method} /${path}<`);
    expect(page).toContain(summary.replaceAll("'", "&#x27;"));
  }
});

test("an unknown path under /api answers 404 in JSON, whatever the method", async () => {
  for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
    for (const path of [
      "/api",
      "/api/",
      "/api/nope",
      "/api/sdk/nope",
      "/api/sdk",
      "/api/wallet/x",
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

test("every reply carries the security headers, none opens a keyed endpoint to other origins", async () => {
  const asset = /\/assets\/[^"]+\.css/.exec((await ask("/")).body)?.[0] ?? "no stylesheet";
  const paths = [
    "/",
    "/nope",
    "/wallet",
    "/api/nope",
    "/healthz",
    "/readyz",
    "/favicon.svg",
    asset,
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
