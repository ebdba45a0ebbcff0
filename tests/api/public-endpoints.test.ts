import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { API_PREFIXES } from "../../app/api/endpoints";
import { withDatabase } from "../../app/db/client";
import { removeOldPublicCalls } from "../../app/services/runtime/public-limit";
import { type Answer, call, createIp } from "../support/call";
import { createReward, createShare } from "../support/rewards";
import { createAddress, scene } from "../support/scene";

const PATHS = ["rewards/proof", "rewards/claim-status"] as const;
const PAGE = { Origin: "https://dapp.example" };
const PREFLIGHT = {
  ...PAGE,
  "Access-Control-Request-Method": "GET",
  "Access-Control-Request-Headers": "content-type",
};

const statusPath = () =>
  `/rewards/claim-status?address=${createAddress()}&pointSystemId=${randomUUID()}`;

function expectOpen({ headers }: Answer) {
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-expose-headers")).toBe(
    "Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
  );
  expect(headers.has("access-control-allow-credentials")).toBe(false);
}

let passedMs = 0;
const readClock = performance.now.bind(performance);
vi.spyOn(performance, "now").mockImplementation(() => readClock() + passedMs);

/** Makes every call so far, and this process's memory of refusals, older by this much. */
async function passTime(seconds: number) {
  await withDatabase((db) =>
    db.execute(sql`
      update public_calls set
        called_at = array(select c - make_interval(secs => ${seconds}) from unnest(called_at) c),
        expires_at = expires_at - make_interval(secs => ${seconds})`),
  );
  passedMs += seconds * 1_000;
}

/** Makes calls from one network, all at once. */
const flood = (count: number, ip: string) =>
  Promise.all(Array.from({ length: count }, () => call(statusPath(), { ip })));

const countAdmitted = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

describe.each(PATHS)("%s", (path) => {
  test("refuses every other method with 405 before it counts or looks at the input", async () => {
    const ip = createIp();
    for (let i = 0; i < 20; i += 1) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const answer = await call(`/${path}`, { method, ip });
        expect(answer).toMatchObject({ status: 405, body: { error: "Method not allowed" } });
        expect(answer.headers.get("allow")).toBe("GET, HEAD");
        expectOpen(answer);
      }
    }
    expect((await call(statusPath(), { ip })).status).toBe(200);
  });

  test("pages of any origin read its answers, refusals too, without credentials", async () => {
    const ip = createIp();
    for (const prefix of API_PREFIXES) {
      const answer = await call(`${prefix}${path}`, { ip, headers: PAGE });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expectOpen(answer);
    }
  });

  test("a browser's preflight is answered, and counts nothing", async () => {
    const ip = createIp();
    for (let i = 0; i < 70; i += 1) {
      const answer = await call(`/${path}`, { method: "OPTIONS", ip, headers: PREFLIGHT });
      expect([answer.status, answer.body]).toEqual([204, null]);
      expectOpen(answer);
      expect(answer.headers.get("access-control-allow-methods")).toBe("GET, HEAD");
      expect(answer.headers.get("access-control-allow-headers")).toBe("*");
    }
    expect((await call(statusPath(), { ip })).status).toBe(200);
  });
});

test("a preflight of a keyed endpoint is refused: no page may send a key", async () => {
  for (const path of ["/rewards", "/wallet"]) {
    const { status, headers } = await call(path, { method: "OPTIONS", headers: PREFLIGHT });
    expect(status).toBe(405);
    expect(headers.has("access-control-allow-origin")).toBe(false);
  }
});

test("one budget for both endpoints, all prefixes, GET and HEAD, good calls and bad ones: 60", async () => {
  const ip = createIp();
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  const { pointSystemId } = await scene({ rewards: [reward] });
  const { onchainId } = reward.airdrop;
  const paths = [
    `rewards/proof?onchainId=${onchainId}&chainId=84532&address=${share.address}`,
    "rewards/proof",
    `rewards/claim-status?address=${share.address}&pointSystemId=${pointSystemId}`,
    "rewards/claim-status?address=x",
    "rewards/proof?onchainId=1&chainId=1&address=x",
  ];
  const statuses: number[] = [];
  for (let i = 0; i < 60; i += 1) {
    const path = `${API_PREFIXES[i % 3]}${paths[i % paths.length]}`;
    const method = i % 2 === 0 ? "GET" : "HEAD";
    statuses.push((await call(path, { ip, method })).status);
  }
  expect(statuses).not.toContain(429);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  for (const path of paths) {
    const answer = await call(`/${path}`, { ip });
    expect(answer).toMatchObject({
      status: 429,
      body: { error: "Too many requests", message: "Too many requests", code: "too_many_requests" },
    });
    expectOpen(answer);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  }
});

test("the room within the limit stands in RateLimit of every counted call, refused ones too", async () => {
  const ip = createIp();
  const readRoom = ({ headers }: Answer) => {
    expect(headers.get("ratelimit-policy")).toBe('"public";q=60;w=60');
    const [, left, seconds] =
      /^"public";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
    return { left: Number(left), seconds: Number(seconds) };
  };
  expect(readRoom(await call(statusPath(), { ip }))).toEqual({ left: 59, seconds: 60 });
  await passTime(30);
  const malformed = await call("/rewards/proof", { ip });
  expect([malformed.status, readRoom(malformed)]).toMatchObject([400, { left: 58 }]);
  expect(readRoom(malformed).seconds).toBeLessThanOrEqual(30);
  // Calls that one statement admits have each their own place.
  const places = (await flood(58, ip)).map((answer) => readRoom(answer).left);
  expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 58 }, (_, i) => i));
  const refused = await call(statusPath(), { ip });
  expect([refused.status, readRoom(refused).left]).toEqual([429, 0]);
  expect(String(readRoom(refused).seconds)).toBe(refused.headers.get("retry-after"));
  const uncounted = await call(statusPath(), { ip, method: "POST" });
  expect(uncounted.headers.has("ratelimit")).toBe(false);
});

test("of 500 calls at once, exactly 60 pass; another network is not affected", async () => {
  const ip = createIp();
  const [answers, others] = await Promise.all([flood(500, ip), flood(60, createIp())]);
  expect(countAdmitted(answers)).toBe(60);
  expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  expect(countAdmitted(others)).toBe(60);
});

test("IPv6 is counted by /64, and IPv4 in IPv6 notation as IPv4", async () => {
  const group = Math.floor(Math.random() * 0xffff).toString(16);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      call(statusPath(), { ip: `2001:db8:${group}:1::${i.toString(16)}` }),
    ),
  );
  expect(countAdmitted(answers)).toBe(60);
  expect((await call(statusPath(), { ip: `2001:db8:${group}:2::1` })).status).toBe(200);
  const ip = createIp();
  expect(countAdmitted(await flood(60, ip))).toBe(60);
  expect((await call(statusPath(), { ip: `::ffff:${ip}` })).status).toBe(429);
});

test("the window slides: as many calls as leave it are let through, and refused ones never count", async () => {
  const ip = createIp();
  expect(countAdmitted(await flood(20, ip))).toBe(20);
  await passTime(30);
  expect(countAdmitted(await flood(90, ip))).toBe(40);
  await passTime(29);
  expect(countAdmitted(await flood(50, ip))).toBe(0);
  await passTime(2);
  expect(countAdmitted(await flood(50, ip))).toBe(20);
  await passTime(30);
  expect(countAdmitted(await flood(90, ip))).toBe(40);
});

test("waiting for exactly as long as Retry-After says is enough", async () => {
  const ip = createIp();
  expect(countAdmitted(await flood(60, ip))).toBe(60);
  await passTime(57.5);
  const first = await call(statusPath(), { ip });
  const again = await call(statusPath(), { ip });
  for (const { status, headers } of [first, again]) {
    expect([status, headers.get("retry-after")]).toEqual([429, "3"]);
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect((await call(statusPath(), { ip })).status).toBe(200);
});

test("a network that was refused costs no statement until its time has come", async () => {
  const ip = createIp();
  await flood(61, ip);
  const before = await withDatabase((db) => db.execute(sql`select * from public_calls`));
  await withDatabase((db) => db.execute(sql`truncate public_calls`));
  expect(countAdmitted(await flood(200, ip))).toBe(0);
  expect(await withDatabase((db) => db.execute(sql`select * from public_calls`))).toHaveLength(0);
  expect(before.length).toBeGreaterThan(0);
});

test("what is stored names no network, and is removed once it counts no more", async () => {
  const ip = createIp();
  await call(statusPath(), { ip });
  const rows = await withDatabase((db) =>
    db.execute<{ row: string }>(sql`select p::text as row from public_calls p`),
  );
  const text = JSON.stringify(rows);
  expect(text).not.toContain(ip);
  expect(text).not.toContain(Buffer.from(ip).toString("hex"));
  await passTime(59);
  const young = createIp();
  await call(statusPath(), { ip: young });
  await passTime(2);
  expect(await removeOldPublicCalls()).toBe(false);
  expect(await withDatabase((db) => db.execute(sql`select * from public_calls`))).toHaveLength(1);
});

test("GET /rewards, which takes a key, does not count", async () => {
  const ip = createIp();
  const { token, pointSystemId } = await scene();
  const headers = { Authorization: `Bearer ${token}` };
  for (let i = 0; i < 70; i += 1) {
    const answer = await call(`/rewards?pointSystemId=${pointSystemId}`, { ip, headers });
    expect(answer.status).toBe(200);
  }
  expect(countAdmitted(await flood(60, ip))).toBe(60);
});
