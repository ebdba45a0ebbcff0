import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const { pointSystemId, wallet } = SMALL_FIXTURE;
const PATH = `/rewards/claim-status?address=${wallet}&pointSystemId=${pointSystemId}`;

let dataDir: string;
/**
 * Two servers that trust no proxy, and one that trusts a proxy on this machine; all use one
 * database.
 */
let direct: ServerProcess[];
let proxied: ServerProcess;

beforeAll(async () => {
  dataDir = await createDataDir();
  direct = [await startServerProcess({ dataDir }), await startServerProcess({ dataDir })];
  proxied = await startServerProcess({
    dataDir,
    env: { TRUSTED_PROXIES: "127.0.0.0/8,192.0.2.1" },
  });
  await seed(dataDir, SMALL_FIXTURE.file);
});
afterAll(async () => {
  for (const server of [...direct, proxied]) await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

/** Gives a wallet two gift cards and returns their ids. */
async function addGiftCards(address: string): Promise<string[]> {
  const ids = [randomUUID(), randomUUID()];
  await seed(dataDir, {
    operators: [],
    pointSystems: [
      {
        operator: "ops@example.com",
        id: pointSystemId,
        name: "Alpha",
        slug: "alpha",
        rewards: ids.map((id) => ({
          kind: "giftcard",
          campaignName: "Thank you",
          status: "distributed",
          tiers: [{ label: "Gold", cards: [{ id, address, code: `CODE-${id}` }] }],
        })),
      },
    ],
  });
  return ids;
}

/** Makes the wallets' requests to sign five minutes older. */
async function ageNonces(): Promise<void> {
  const close = await openMigratedDatabase(commandDatabase({ DATA_DIR: dataDir }, () => {}));
  await withDatabase((db) =>
    db.execute(sql`update wallet_nonces set issued_at = issued_at - interval '301 seconds',
      expires_at = expires_at - interval '301 seconds'`),
  );
  await close();
}

/** Makes all calls at once, distributed over the servers in turn. */
async function callAll(
  servers: readonly ServerProcess[],
  forwardedFor: readonly (string | null)[],
  path = PATH,
): Promise<Record<number, number>> {
  const statuses = await Promise.all(
    forwardedFor.map(async (header, i) => {
      const response = await fetch(`${servers[i % servers.length]?.url}${path}`, {
        headers: header === null ? {} : { "X-Forwarded-For": header },
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const numbered = (count: number, toHeader: (i: number) => string | null) =>
  Array.from({ length: count }, (_, i) => toHeader(i));

test("of 1,000 forged headers at two instances, 60 pass: nobody's header is believed", async () => {
  const forged = numbered(1_000, (i) => `203.0.${i >> 8}.${i & 255}`);
  expect(await callAll(direct, forged)).toEqual({ 200: 60, 429: 940 });
});

test("behind a trusted proxy each client has its own 60, whatever it forges before it", async () => {
  const forged = numbered(300, (i) => `203.0.113.${i & 255}, 198.51.100.7`);
  expect(await callAll([proxied], forged)).toEqual({ 200: 60, 429: 240 });
  const others = numbered(300, (i) => `198.51.100.7, 198.51.101.${i & 255}, 192.0.2.1`);
  expect(await callAll([proxied], others)).toEqual({ 200: 300 });
  // The proxy's own calls count against the proxy, on the other instances as well.
  expect(
    await callAll(
      [proxied],
      numbered(5, () => null),
    ),
  ).toEqual({ 429: 5 });
});

test("what the claim page asks counts among the same 60, and is told for how long it is refused", async () => {
  const client = "203.0.113.200";
  const path = `/claim/alpha/wallet?wallet=${wallet}`;
  const from = (count: number) => numbered(count, () => client);
  expect(await callAll([proxied], from(30))).toEqual({ 200: 30 });
  expect(await callAll([proxied], from(40), path)).toEqual({ 200: 30, 429: 10 });
  const headers = { "X-Forwarded-For": client };
  const response = await fetch(proxied.url + path, { headers });
  expect(response.status).toBe(429);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(await response.json()).toMatchObject({ code: "too_many_requests" });
});

test("a gift card's nonce that is wrong, used, over, or another card's is refused with 401 and a reason", async () => {
  const holder = privateKeyToAccount(generatePrivateKey());
  const [first = "", second = ""] = await addGiftCards(holder.address);
  const post = async (body: object) => {
    const answer = await fetch(`${proxied.url}/claim/${pointSystemId}/gift-card`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Origin: proxied.url,
        "X-Forwarded-For": "203.0.113.201",
      },
      body: JSON.stringify({ address: holder.address, ...body }),
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return { status: answer.status, body: await answer.json() };
  };
  const ask = async (cardId: string) => {
    const { body } = await post({ intent: "ask", cardId, chainId: 8453 });
    const signature = await holder.signMessage({ message: body.message });
    return { intent: "reveal", nonce: body.nonce as string, signature };
  };
  const refused = {
    status: 401,
    body: {
      error: "The wallet's signature does not match the message",
      message: "The wallet's signature does not match the message",
      code: "wallet_signature_refused",
    },
  };
  const signed = await ask(first);
  expect(await post({ ...signed, cardId: first, nonce: "0".repeat(32) })).toEqual(refused);
  expect(await post({ ...signed, cardId: first })).toMatchObject({ status: 200 });
  expect(await post({ ...signed, cardId: first })).toEqual(refused);
  expect(await post({ ...(await ask(second)), cardId: first })).toEqual(refused);
  const late = await ask(first);
  await ageNonces();
  expect(await post({ ...late, cardId: first })).toEqual(refused);
});

test("a page reads from the answer for how long it is refused", async () => {
  const response = await fetch(`${direct[0]?.url}${PATH}`, { headers: { Origin: "https://a.io" } });
  expect(response.status).toBe(429);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("access-control-expose-headers")).toBe(
    "Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
  );
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(Number(response.headers.get("retry-after"))).toBeLessThanOrEqual(60);
});

test("a forwarded protocol or host is not read: links stay at the configured origin", async () => {
  const response = await fetch(`${proxied.url}/dashboard`, {
    redirect: "manual",
    headers: { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example" },
  });
  expect(response.headers.get("location") ?? "").not.toContain("evil.example");
  expect(response.headers.has("strict-transport-security")).toBe(false);
});
