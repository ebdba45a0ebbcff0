import fs from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getListeningOrigin, isFromSameOrigin, isLocalHost } from "../../app/server/same-origin";
import { listAccountAudit } from "../../app/services/access/audit-log";
import { fillPath, listPagePaths } from "../support/route-paths";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
  withDatabaseOf,
} from "../support/server-process";

const LISTENING = "http://192.0.2.7:3000";

function isAllowed(headers: IncomingHttpHeaders, appOrigin?: string): boolean {
  return isFromSameOrigin({ headers } as IncomingMessage, appOrigin, LISTENING);
}

describe("a request comes from the same origin", () => {
  test("when the browser says so, and not when it says anything else", () => {
    expect(isAllowed({ "sec-fetch-site": "same-origin" })).toBe(true);
    for (const site of ["same-site", "cross-site", "none", "", "same-origin, same-origin"]) {
      const origin = LISTENING;
      expect(isAllowed({ "sec-fetch-site": site, origin }), site).toBe(false);
    }
  });

  test("when its origin is the configured one, whatever the Host", () => {
    const appOrigin = "https://points.example.com";
    const host = "127.0.0.1:3000";
    expect(isAllowed({ origin: appOrigin, host }, appOrigin)).toBe(true);
    for (const origin of [
      undefined,
      "null",
      "",
      `http://${host}`,
      LISTENING,
      "http://points.example.com",
      "https://points.example.com:8443",
      "https://points.example.com.evil.example",
      "https://evil.example",
    ]) {
      expect(isAllowed({ ...(origin !== undefined && { origin }), host }, appOrigin)).toBe(false);
    }
  });

  test("when none is configured: where the server listens, or a local Host", () => {
    expect(isAllowed({ origin: LISTENING, host: "192.0.2.7:3000" })).toBe(true);
    for (const host of ["localhost:3000", "127.0.0.1:8080", "[::1]:3000", "localhost"]) {
      expect(isAllowed({ origin: `http://${host}`, host }), host).toBe(true);
      expect(isAllowed({ origin: "http://evil.example", host }), host).toBe(false);
    }
    // A foreign name that points to this machine.
    const host = "rebound.example:3000";
    expect(isAllowed({ origin: `http://${host}`, host })).toBe(false);
    expect(isAllowed({ origin: "null", host: "localhost:3000" })).toBe(false);
    expect(isAllowed({ host: "localhost:3000" })).toBe(false);
  });
});

test.each([
  ...[
    "localhost:3000",
    "app.localhost",
    "127.0.0.1",
    "127.8.9.1:80",
    "[::1]:3000",
    "points",
    "points:3000",
  ],
  ...[
    "10.1.2.3",
    "172.20.0.2:3000",
    "192.168.1.5:3000",
    "[fd00::1]",
    "[::ffff:10.0.0.1]",
    "nas.local",
  ],
  ...["host.docker.internal:3000", "box.lan", "points.home.arpa", "LOCALHOST:3000", "localhost."],
])("%s is a local host", (host) => {
  expect(isLocalHost(host)).toBe(true);
});

test.each([
  ...[
    "points.example.com",
    "points.example.com:443",
    "203.0.113.5",
    "[2001:db8::1]",
    "8.8.8.8:3000",
  ],
  ...["localhost.example.com", "127.0.0.1.nip.io", "10.0.0.1.evil.example", "", "a b", "x/y"],
])("%j is no local host", (host) => {
  expect(isLocalHost(host)).toBe(false);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://localhost:3000"],
  ["::", "http://localhost:3000"],
  ["::1", "http://[::1]:3000"],
])("a server that listens on %s is reached at %s", (host, origin) => {
  expect(getListeningOrigin(host, 3000)).toBe(origin);
});

describe("the server", () => {
  const APP_ORIGIN = "https://points.example.com";
  let server: ServerProcess;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await createDataDir();
    server = await startServerProcess({ dataDir, env: { APP_ORIGIN, SAFE_APP_ORIGIN: "off" } });
  });
  afterAll(async () => {
    await server.end("SIGTERM");
    await fs.rm(dataDir, { recursive: true, force: true });
  });

  test("lets nobody frame the claim page with SAFE_APP_ORIGIN=off", async () => {
    const { headers } = await fetch(`${server.url}/claim/harbour`);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  /**
   * Sends a bare request and returns its status: fetch would normalize the path and add headers.
   */
  function request(method: string, path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const sent = http.request(
        { hostname, port, path, method, headers, agent: false },
        (reply) => {
          reply.resume();
          resolve(reply.statusCode ?? 0);
        },
      );
      sent.once("error", reject).end();
    });
  }

  const PARAMETERS = {
    pointSystemId: "11111111-1111-4111-8111-111111111111",
    triggerKey: "daily_login",
    address: "0x00000000000000000000000000000000000000aa",
    importId: "33333333-3333-4333-8333-333333333333",
    webhookId: "55555555-5555-4555-8555-555555555555",
    seq: "7",
    board: "weekly",
    rewardId: "44444444-4444-4444-8444-444444444444",
    slug: "harbour",
  };
  const PAGES = listPagePaths()
    .filter((path) => path !== "/csp-report")
    .map((path) => fillPath(path, PARAMETERS));
  const ROUTES = [
    ...PAGES,
    "/sign-out.data",
    "/nope",
    "/favicon.svg",
    "/api/../sign-out",
    "/api/%2e%2e/sign-out",
    "//sign-out",
  ];
  const FOREIGN: Record<string, string>[] = [
    {},
    { Origin: "null" },
    { Origin: "https://evil.example" },
    { Origin: "http://points.example.com" },
    { "Sec-Fetch-Site": "cross-site", Origin: APP_ORIGIN },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "none" },
  ];

  test("writes a change from another site to the security events, once a minute", async () => {
    const origin = "https://evil.example";
    for (let n = 0; n < 3; n += 1) {
      expect(await request("POST", "/sign-out", { Origin: origin })).toBe(403);
    }
    await withDatabaseOf(dataDir, async () => {
      const filter = { action: "security.origin_refused", actor: null, beforeId: null } as const;
      const list = async () => (await listAccountAudit(null, filter)).entries;
      await waitUntil(async () => (await list()).length > 0, 5_000);
      expect(await list()).toEqual([
        expect.objectContaining({
          actor: "no account",
          ip: "127.0.0.0/24",
          subject: `/sign-out from ${origin}`,
        }),
      ]);
    });
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])(
    "refuses %s from anywhere else, on every route outside the API",
    async (method) => {
      for (const path of ROUTES) {
        for (const headers of FOREIGN) {
          const status = await request(method, path, headers);
          expect(status, `${path} ${JSON.stringify(headers)}`).toBe(403);
        }
      }
    },
  );

  test("takes a change from its own pages, also behind a proxy that changes the Host", async () => {
    for (const headers of [{ Origin: APP_ORIGIN }, { "Sec-Fetch-Site": "same-origin" }]) {
      expect(await request("POST", "/sign-out", headers)).toBe(302);
      // Remix's own check would fail here, since the Host differs.
      const proxied = { Origin: APP_ORIGIN, Host: "127.0.0.1:3000" };
      expect(await request("POST", "/sign-in", proxied)).toBe(302); // there is no operator yet
      expect(await request("POST", "/sign-in.data", proxied)).toBe(400);
    }
  });

  test("leaves the API, which takes no cookie, and reports alone", async () => {
    for (const path of ["/trigger", "/api/trigger", "/api/sdk/trigger", "/trigger/"]) {
      expect(await request("POST", path, { Origin: "https://evil.example" }), path).toBe(401);
    }
    expect(await request("POST", "/api/nope", {})).toBe(404);
    expect(await request("POST", "/csp-report", {})).not.toBe(403);
  });

  test("prints the set-up link on its console, at the public origin, and not in its log", () => {
    expect(server.output()).toMatch(
      /https:\/\/points\.example\.com\/set-up#token=[\w-]{43}\n.* is ready at /s,
    );
    expect(JSON.stringify(server.logLines())).not.toContain("token");
  });
});

describe("a server without APP_ORIGIN", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess({ dataDir: await createDataDir() });
    await seed(server.dataDir, SMALL_FIXTURE.file);
  });
  afterAll(async () => {
    await server.end("SIGTERM");
    await fs.rm(server.dataDir, { recursive: true, force: true });
  });

  const { email, password } = SMALL_FIXTURE.file.operators[0];

  function send(method: string, path: string, headers: Record<string, string>, body = "") {
    return new Promise<{ status: number; text: string; cookie: string }>((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const options = { hostname, port, path, method, headers, agent: false };
      const sent = http.request(options, (reply) => {
        let text = "";
        reply.on("data", (chunk) => {
          text += chunk;
        });
        reply.on("end", () => {
          const cookie = reply.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
          resolve({ status: reply.statusCode ?? 0, text, cookie });
        });
      });
      sent.once("error", reject).end(body);
    });
  }
  const signIn = (headers: Record<string, string>) =>
    send(
      "POST",
      "/sign-in",
      {
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/x-www-form-urlencoded",
        ...headers,
      },
      new URLSearchParams({ email, password }).toString(),
    );

  test("signs in on local hosts only, and says what to set", async () => {
    for (const Host of ["points.example.com", "203.0.113.5:3000", "127.0.0.1.nip.io"]) {
      const { status, text } = await signIn({ Host });
      expect(status, Host).toBe(403);
      expect(text).toContain("Set APP_ORIGIN");
    }
    for (const Host of ["localhost:3000", "points", "192.168.1.5:3000"]) {
      expect((await signIn({ Host })).status, Host).toBe(302);
    }
  });

  test("shows no page to a session under another host, and serves the API and public pages there", async () => {
    const { cookie } = await signIn({});
    const Host = "points.example.com";
    expect((await send("GET", "/dashboard", { Cookie: cookie })).status).toBe(200);
    expect((await send("GET", "/dashboard", { Cookie: cookie, Host })).status).toBe(403);
    expect((await send("GET", "/l/alpha", { Host })).status).toBe(200);
    expect((await send("GET", "/healthz", { Host })).status).toBe(200);
    const key = { Authorization: `Bearer ${SMALL_FIXTURE.token}`, Host, Cookie: cookie };
    const path = `/leaderboard?pointSystemId=${SMALL_FIXTURE.pointSystemId}`;
    for (const prefix of ["", "/api", "/api/sdk"]) {
      expect((await send("GET", prefix + path, key)).status).toBe(200);
    }
  });

  test("warns of a proxy that it does not trust, once in the log and on administrators' pages", async () => {
    const forwarded = { "X-Forwarded-For": "192.0.2.9" };
    for (let n = 0; n < 5; n += 1) await send("GET", "/healthz", forwarded);
    await waitUntil(() => server.logLines().some(({ network }) => network === "127.0.0.1"), 10_000);
    const warnings = server.logLines().filter(({ msg }) => String(msg).includes("X-Forwarded-For"));
    expect(warnings).toHaveLength(1);
    const { cookie } = await signIn({});
    const { text } = await send("GET", "/dashboard", { Cookie: cookie });
    const isShown = text.includes("TRUSTED_PROXIES");
    expect(isShown).toBe(text.includes("/dashboard/operators"));
  });
});
