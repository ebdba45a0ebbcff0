import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  API_ENDPOINTS,
  API_PREFIXES,
  CLIENT_ENDPOINTS,
  type KeyedPath,
  type ManagePath,
} from "../../app/api/endpoints";
import { withDatabase } from "../../app/db/client";
import { generateApiKeyToken, PERMISSIONS, type Permission } from "../../app/domain/access/api-key";
import { spendPoints } from "../../app/services/ledger/spending";
import { makeScoreSignals } from "../../app/services/scores/signals";
import { type Answer, call } from "../support/call";
import { record } from "../support/events";
import { createAddress, scene } from "../support/scene";
import { startScoreWorld } from "../support/score-world";

type Scene = Awaited<ReturnType<typeof scene>>;

let world: Awaited<ReturnType<typeof startScoreWorld>>;
beforeAll(async () => {
  world = await startScoreWorld();
  await makeScoreSignals();
});
afterAll(() => world.stop());
beforeEach(() => world.open());

const SPENT = { reason: "Sticker", idempotencyKey: null };

/** Gives a scene's wallet points that it can spend. */
async function earn({ pointSystemId, wallet: address }: Scene): Promise<void> {
  await record(pointSystemId, [{ address, points: 10, event: null, date: new Date() }]);
}

/** The management API has a sweep of its own: tests/api/manage/access.test.ts. */
type SweptPath = Exclude<KeyedPath, ManagePath>;

/** One valid call of each keyed endpoint: one that the table has and this lacks does not compile. */
const CALLS: Record<
  SweptPath,
  (s: Scene, token: string, pointSystemId: string) => Promise<Answer>
> = {
  trigger: ({ fire }, token, pointSystemId) =>
    fire({ pointSystemId }, { Authorization: `Bearer ${token}` }),
  "trigger/batch": ({ fireBatch, triggerKey, wallet }, token, pointSystemId) =>
    fireBatch(
      { pointSystemId, items: [{ triggerKey, walletAddress: wallet }] },
      { Authorization: `Bearer ${token}` },
    ),
  spend: async (s, token, pointSystemId) => {
    await earn(s);
    return s.post(
      "/spend",
      { pointSystemId, walletAddress: s.wallet, points: 5, reason: "Sticker" },
      { Authorization: `Bearer ${token}` },
    );
  },
  "spend/reverse": async (s, token, pointSystemId) => {
    await earn(s);
    const { id: spendId } = await spendPoints(
      { id: randomUUID() },
      { ...{ pointSystemId: s.pointSystemId, walletAddress: s.wallet, points: 5 }, ...SPENT },
    );
    const headers = { Authorization: `Bearer ${token}` };
    return s.post("/spend/reverse", { pointSystemId, spendId }, headers);
  },
  balance: async (s, token, pointSystemId) => {
    await earn(s);
    const query = { pointSystemId, address: s.wallet };
    return s.get("/balance", query, { Authorization: `Bearer ${token}` });
  },
  leaderboard: ({ get }, token, pointSystemId) =>
    get("/leaderboard", { pointSystemId }, { Authorization: `Bearer ${token}` }),
  wallet: ({ get, wallet }, token, pointSystemId) =>
    get("/wallet", { pointSystemId, address: wallet }, { Authorization: `Bearer ${token}` }),
  wallets: ({ post, wallet }, token, pointSystemId) =>
    post(
      "/wallets",
      { pointSystemId, walletAddress: wallet },
      { Authorization: `Bearer ${token}` },
    ),
  activity: ({ get }, token, pointSystemId) =>
    get("/activity", { pointSystemId }, { Authorization: `Bearer ${token}` }),
  rewards: ({ get, wallet }, token, pointSystemId) =>
    get("/rewards", { pointSystemId, address: wallet }, { Authorization: `Bearer ${token}` }),
  points: ({ get, wallet }, token) =>
    get("/points", { address: wallet }, { Authorization: `Bearer ${token}` }),
  score: ({ get, wallet }, token) =>
    get("/score", { address: wallet }, { Authorization: `Bearer ${token}` }),
};
/** These answer for all point systems of the key. */
const TAKE_NO_POINT_SYSTEM: readonly SweptPath[] = ["points", "score"];
const KEYED = Object.keys(CALLS) as SweptPath[];

test("every endpoint that needs a key is in this sweep, and every other one takes none", () => {
  const keyed = Object.entries(CLIENT_ENDPOINTS).filter(
    ([, { permission }]) => permission !== null,
  );
  expect(KEYED.toSorted()).toEqual(keyed.map(([path]) => path).toSorted());
});

const SCOPE_REFUSAL = {
  status: 403,
  body: { error: "This API key does not have access to the specified point system" },
};

describe.each(KEYED)("%s", (endpoint) => {
  const callEndpoint = CALLS[endpoint];
  const { method, permission: needed } = API_ENDPOINTS[endpoint];

  test("without a key answers 401", async () => {
    expect(await call(`/${endpoint}`, { method })).toMatchObject({
      status: 401,
      body: { error: "Missing API key", message: "Missing API key", code: "missing_api_key" },
    });
  });

  test.each(["", "Basic cnc6cnc=", "Bearer", "Bearer ", "Bearer sk_123", "Bearer RW_00", "rw_00"])(
    "with Authorization %j answers 401 for its format",
    async (authorization) => {
      const headers = { Authorization: authorization };
      expect(await call(`/${endpoint}`, { method, headers })).toMatchObject({
        status: 401,
        body: { error: "Invalid API key format" },
      });
    },
  );

  test.each([
    "Bearer rw_",
    "Bearer rw_xyz",
    `Bearer rw_${"0".repeat(31)}`,
    `Bearer rw_${"0".repeat(33)}`,
  ])("with the malformed key %j answers 401", async (authorization) => {
    const headers = { Authorization: authorization };
    expect(await call(`/${endpoint}`, { method, headers })).toMatchObject({
      status: 401,
      body: { error: "Invalid API key" },
    });
  });

  test("with a key that does not exist answers 401, before anything is said of the input", async () => {
    const headers = { Authorization: `Bearer ${generateApiKeyToken()}` };
    const body = method === "POST" ? "no json" : null;
    expect(await call(`/${endpoint}`, { method, headers, body })).toMatchObject({
      status: 401,
      body: { error: "Invalid API key" },
    });
  });

  test("with a revoked key answers 401 from the moment it is deleted", async () => {
    const s = await scene();
    await s.fire();
    expect((await callEndpoint(s, s.token, s.pointSystemId)).status).toBe(200);
    await withDatabase((db) =>
      db.execute(sql`delete from api_keys where token_hash = sha256(${s.token}::bytea)`),
    );
    expect(await callEndpoint(s, s.token, s.pointSystemId)).toMatchObject({
      status: 401,
      body: { error: "Invalid API key" },
    });
  });

  const permitted: Permission[] = [needed, "all"];
  test.each(PERMISSIONS)("with the permission %s", async (permission) => {
    const s = await scene();
    await s.fire();
    const token = await s.addKey(permission, [s.pointSystemId]);
    const answer = await callEndpoint(s, token, s.pointSystemId);
    if (permitted.includes(permission)) {
      expect(answer.status).toBe(200);
    } else {
      expect(answer).toMatchObject({
        status: 403,
        body: { error: `This API key does not have ${needed} permissions` },
      });
    }
  });

  test("refuses a permission before it looks at the input", async () => {
    const s = await scene();
    const token = await s.addKey(needed === "trigger" ? "read" : "trigger", [s.pointSystemId]);
    const headers = { Authorization: `Bearer ${token}` };
    const body = method === "POST" ? "no json" : null;
    expect((await call(`/${endpoint}`, { method, headers, body })).status).toBe(403);
  });

  test.skipIf(TAKE_NO_POINT_SYSTEM.includes(endpoint))(
    "refuses point systems outside the key's scope, unknown and malformed ones alike",
    async () => {
      const s = await scene();
      const other = await scene();
      const empty = await s.addKey("all", []);
      expect(await callEndpoint(s, s.token, other.pointSystemId)).toMatchObject(SCOPE_REFUSAL);
      expect(await callEndpoint(s, s.token, randomUUID())).toMatchObject(SCOPE_REFUSAL);
      expect(await callEndpoint(s, s.token, "abc")).toMatchObject(SCOPE_REFUSAL);
      expect(await callEndpoint(s, s.token, "' or 1=1 --")).toMatchObject(SCOPE_REFUSAL);
      expect(await callEndpoint(s, empty, s.pointSystemId)).toMatchObject(SCOPE_REFUSAL);
    },
  );

  test("refuses a key without any point system", async () => {
    const s = await scene();
    const empty = await s.addKey("all", []);
    expect(await callEndpoint(s, empty, s.pointSystemId)).toMatchObject(SCOPE_REFUSAL);
  });

  test("takes the point system's id in any letter case", async () => {
    const s = await scene();
    await s.fire();
    expect((await callEndpoint(s, s.token, s.pointSystemId.toUpperCase())).status).toBe(200);
  });

  test("answers alike under every prefix", async () => {
    const answers = await Promise.all(
      API_PREFIXES.map((prefix) => call(`${prefix}${endpoint}`, { method })),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 401 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  test("refuses every other method with 405 before it looks at the key", async () => {
    for (const wrong of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (wrong === method || (wrong === "HEAD" && method === "GET")) continue;
      const { status, headers, body } = await call(`/${endpoint}`, { method: wrong });
      expect(status).toBe(405);
      expect(headers.get("allow")).toBe(method === "GET" ? "GET, HEAD" : "POST");
      expect(body.error).toBe("Method not allowed");
    }
  });

  test("keeps its answers out of caches and offers them to no other origin", async () => {
    const { headers } = await call(`/${endpoint}`, { method, headers: { Origin: "https://a.io" } });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("access-control-allow-origin")).toBe(false);
  });
});

test("the scheme's letter case does not matter", async () => {
  const { fire, token } = await scene();
  expect((await fire({}, { Authorization: `bearer ${token}` })).status).toBe(200);
});

test("a key's letter case does: only the very key was given out", async () => {
  const s = await scene();
  const upper = `rw_${s.token.slice(3).toUpperCase()}`;
  if (upper === s.token) return; // digits only: one key in 10^6
  expect(await s.fire({}, { Authorization: `Bearer ${upper}` })).toMatchObject({ status: 401 });
});

test("scope is checked before the trigger, the wallet and the limit", async () => {
  const s = await scene({ trigger: { isActive: false } });
  const token = await s.addKey("all", []);
  const headers = { Authorization: `Bearer ${token}` };
  expect(await s.fire({ triggerKey: "nope" }, headers)).toMatchObject(SCOPE_REFUSAL);
  expect(await s.get("/wallet", { address: createAddress() }, headers)).toMatchObject(
    SCOPE_REFUSAL,
  );
});
