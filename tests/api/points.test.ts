import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { API_PREFIXES } from "../../app/api/endpoints";
import { openEns } from "../../app/chain/ens/ens";
import { withDatabase } from "../../app/db/client";
import { generateApiKeyToken } from "../../app/domain/access/api-key";
import { ranksFold } from "../../app/services/board/rank-counts";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { addToBlacklist, removeFromBlacklist } from "../../app/services/ledger/blacklist";
import {
  deletePointSystem,
  updatePointSystem,
} from "../../app/services/point-systems/point-systems";
import { type Answer, call } from "../support/call";
import { voidById } from "../support/events";
import { type FakeEns, startFakeEns } from "../support/fakes/ens-rpc";
import { findOwner, grant } from "../support/operators";
import { createAddress, scene } from "../support/scene";

let ens: FakeEns;

beforeAll(async () => {
  ens = await startFakeEns({});
});
afterAll(() => ens.stop());
beforeEach(() => {
  ens.mode = "answers";
  ens.calls.length = 0;
  openEns({ rpcUrls: [] });
});

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const getPoints = (token: string, address: string): Promise<Answer> =>
  call(`/points?${new URLSearchParams({ address })}`, { headers: bearer(token) });
const createName = () => `${randomUUID()}.eth`;

interface PointSystem {
  slug?: string;
  events?: { address: string; points: number }[];
  wallets?: string[];
  blacklist?: { address: string; reason?: string; date?: string }[];
}

/** Creates one operator's point systems, and a key that reaches all of them or the named ones. */
async function stage(
  pointSystems: Record<string, PointSystem>,
  reached = Object.keys(pointSystems),
) {
  const operator = `${randomUUID()}@example.com`;
  const token = generateApiKeyToken();
  const ids = Object.fromEntries(Object.keys(pointSystems).map((name) => [name, randomUUID()]));
  for (const [name, { slug = null, events = [], ...rest }] of Object.entries(pointSystems)) {
    await loadFixture({
      operators: [{ email: operator, password: "a long passphrase", name: "Ops" }],
      pointSystems: [
        {
          operator,
          id: ids[name],
          name,
          slug,
          triggers: [],
          wallets: [],
          blacklist: [],
          events,
          ...rest,
        },
      ],
    });
  }
  await loadFixture({
    apiKeys: [
      {
        operator,
        name: "backend",
        key: token,
        permission: "read",
        pointSystems: reached.map((name) => ids[name] as string),
      },
    ],
  });
  return { token, ids };
}

describe("200", () => {
  test("answers every documented field, and none beside", async () => {
    const [wallet, first] = [createAddress(), createAddress()];
    const slug = `s-${randomUUID()}`;
    const { token, ids } = await stage({
      Alpha: {
        slug,
        events: [
          { address: first, points: 99 },
          { address: wallet, points: 10 },
          { address: wallet, points: 5 },
        ],
        wallets: [createAddress()],
      },
      Beta: { events: [{ address: wallet, points: 7 }] },
    });
    const before = Date.now();
    const { status, headers, body } = await getPoints(token, wallet);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      address: wallet,
      ens: null,
      hexAddress: wallet,
      resolvedAt: expect.any(String),
      pointSystems: [
        {
          id: ids.Alpha,
          name: "Alpha",
          slug,
          points: 15,
          events: 2,
          rank: 2,
          totalParticipants: 3,
          isBlacklisted: false,
          blacklistReason: null,
          blacklistedAt: null,
        },
        {
          id: ids.Beta,
          name: "Beta",
          slug: null,
          points: 7,
          events: 1,
          rank: 1,
          totalParticipants: 1,
          isBlacklisted: false,
          blacklistReason: null,
          blacklistedAt: null,
        },
      ],
      summary: { totalPointSystems: 2, totalPoints: 22, blacklistedCount: 0, isBlacklisted: false },
    });
    expect(new Date(body.resolvedAt).toISOString()).toBe(body.resolvedAt);
    expect(Date.parse(body.resolvedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.resolvedAt)).toBeLessThanOrEqual(Date.now());
  });

  test("takes an address in any letter case, and answers it in lower case", async () => {
    const wallet = createAddress();
    const { token } = await stage({ Alpha: { events: [{ address: wallet, points: 1 }] } });
    for (const typed of [wallet.toUpperCase(), wallet.toUpperCase().replace("0X", "0x")]) {
      const { body } = await getPoints(token, typed);
      expect(body).toMatchObject({ address: wallet, hexAddress: wallet, ens: null });
      expect(body.pointSystems).toHaveLength(1);
    }
  });

  test("a wallet in no point system has an empty list", async () => {
    const { token } = await stage({ Alpha: { events: [{ address: createAddress(), points: 1 }] } });
    const { status, body } = await getPoints(token, createAddress());
    expect(status).toBe(200);
    expect(body.pointSystems).toEqual([]);
    expect(body.summary).toEqual({
      totalPointSystems: 0,
      totalPoints: 0,
      blacklistedCount: 0,
      isBlacklisted: false,
    });
  });

  test("only point systems in the key's scope count", async () => {
    const wallet = createAddress();
    const events = [{ address: wallet, points: 5 }];
    const { token, ids } = await stage({ In: { events }, Out: { events } }, ["In"]);
    const { body } = await getPoints(token, wallet);
    expect(body.pointSystems.map(({ id }: { id: string }) => id)).toEqual([ids.In]);
    expect(body.summary).toMatchObject({ totalPointSystems: 1, totalPoints: 5 });
  });

  test("a registered wallet without points has an entry with a rank", async () => {
    const wallet = createAddress();
    const { token } = await stage({ Alpha: { wallets: [wallet] } });
    const { body } = await getPoints(token, wallet);
    expect(body.pointSystems[0]).toMatchObject({
      points: 0,
      events: 0,
      rank: 1,
      totalParticipants: 1,
      isBlacklisted: false,
    });
  });

  test("a wallet blacklisted before any points appears with points 0 and rank null", async () => {
    const wallet = createAddress();
    const { token } = await stage({
      Alpha: {
        events: [{ address: createAddress(), points: 1 }],
        blacklist: [{ address: wallet, reason: "Sybil", date: "2026-01-02T03:04:05.006Z" }],
      },
      Beta: { blacklist: [{ address: wallet }] },
      Gamma: {},
    });
    const { body } = await getPoints(token, wallet);
    expect(body.pointSystems).toMatchObject([
      {
        name: "Alpha",
        points: 0,
        events: 0,
        rank: null,
        totalParticipants: 1,
        isBlacklisted: true,
        blacklistReason: "Sybil",
        blacklistedAt: "2026-01-02T03:04:05.006Z",
      },
      {
        name: "Beta",
        points: 0,
        events: 0,
        rank: null,
        totalParticipants: 0,
        isBlacklisted: true,
        blacklistReason: null,
        blacklistedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ]);
    expect(body.summary).toEqual({
      totalPointSystems: 2,
      totalPoints: 0,
      blacklistedCount: 2,
      isBlacklisted: true,
    });
  });

  test("a blacklisted wallet with an entry keeps its points and the position that it would hold, and is a participant", async () => {
    const [first, banned, last] = [createAddress(), createAddress(), createAddress()];
    const { token } = await stage({
      Alpha: {
        events: [
          { address: first, points: 30 },
          { address: banned, points: 20 },
          { address: last, points: 10 },
        ],
        blacklist: [{ address: banned }],
      },
      Beta: { events: [{ address: banned, points: 4 }] },
    });
    const standing = { rank: 2, totalParticipants: 3 };
    const { body } = await getPoints(token, banned);
    expect(body.pointSystems).toMatchObject([
      { ...standing, points: 20, events: 1, isBlacklisted: true },
      { points: 4, rank: 1, isBlacklisted: false },
    ]);
    expect(body.summary).toEqual({
      totalPointSystems: 2,
      totalPoints: 24,
      blacklistedCount: 1,
      isBlacklisted: true,
    });
    expect((await getPoints(token, last)).body.pointSystems[0]).toMatchObject(standing);
  });

  test("a deleted point system is absent, also from the key's scope", async () => {
    const wallet = createAddress();
    const events = [{ address: wallet, points: 5 }];
    const { token, ids } = await stage({ Kept: { events }, Gone: { events } });
    await withDatabase((db) =>
      db.execute(
        `update point_systems set deleted_at = now(), slug = null where id = '${ids.Gone}'`,
      ),
    );
    const { body } = await getPoints(token, wallet);
    expect(body.pointSystems).toMatchObject([{ id: ids.Kept }]);
    // Deletion removes it from every scope as well.
    await withDatabase((db) =>
      db.execute(`delete from api_key_point_systems where point_system_id = '${ids.Kept}'`),
    );
    await withDatabase((db) =>
      db.execute(`delete from api_key_point_systems where point_system_id = '${ids.Gone}'`),
    );
    expect((await getPoints(token, wallet)).status).toBe(403);
  });

  test("answers the rank that /wallet answers, for every wallet, before and after they are counted", async () => {
    const wallets = Array.from({ length: 30 }, createAddress);
    const s = await scene({
      triggers: [{ key: "more", points: 3 }],
      events: wallets.map((address, i) => ({ address, points: 1 + (i % 4) * 300 })),
      blacklist: wallets.slice(0, 3).map((address) => ({ address })),
    });
    const compare = async () => {
      for (const address of wallets) {
        const [points, wallet] = await Promise.all([
          getPoints(s.token, address),
          s.get("/wallet", { address }),
        ]);
        const { points: sum, events, rank } = wallet.body;
        expect(points.body.pointSystems).toMatchObject([{ points: sum, events, rank }]);
      }
    };
    await compare();
    // More wallets than are counted one by one.
    await loadFixture({
      pointSystems: [
        {
          operator: s.operator,
          id: s.pointSystemId,
          name: "Alpha",
          slug: null,
          triggers: [],
          events: [],
          wallets: Array.from({ length: 300 }, createAddress),
          blacklist: [],
        },
      ],
    });
    const { body } = await getPoints(s.token, wallets[0] as string);
    expect(body.pointSystems).toMatchObject([{ totalParticipants: 330 }]);
    await compare();
    await withDatabase((db) => db.execute(`select rebuild_ranks('${s.pointSystemId}')`));
    await compare();
    for (const walletAddress of wallets.slice(5, 15)) {
      expect((await s.fire({ triggerKey: "more", walletAddress })).status).toBe(200);
    }
    await compare();
    while (await ranksFold.run());
    await compare();
  });

  test("every change is in the next answer, of whatever kind it is and whoever's wallet it moves", async () => {
    const [wallet, rival] = [createAddress(), createAddress()];
    const eventId = randomUUID();
    const s = await scene({
      events: [{ id: eventId, address: rival, points: 5 }],
      wallets: [wallet],
    });
    const owner = await findOwner(s.pointSystemId);
    const read = async () => (await getPoints(s.token, wallet)).body.pointSystems;
    const first = { points: 0, events: 0, rank: 2, totalParticipants: 2, isBlacklisted: false };
    expect(await read()).toMatchObject([first]);

    const expectAfter = async (change: Promise<unknown>, expected: object) => {
      await change;
      expect(await read()).toMatchObject([expected]);
      expect(await read()).toMatchObject([expected]);
    };
    await expectAfter(grant(owner, wallet, 7), { points: 7, events: 1, rank: 1 });
    await expectAfter(s.fire({ walletAddress: rival }), { points: 7, rank: 2 });
    await expectAfter(addToBlacklist(owner, [{ address: rival, reason: null }]), { rank: 1 });
    await expectAfter(removeFromBlacklist(owner, [rival]), { rank: 2 });
    await expectAfter(voidById(owner, eventId, null), { rank: 2, totalParticipants: 2 });
    await expectAfter(grant(owner, createAddress(), 1), { rank: 2, totalParticipants: 3 });
    const banned = [{ address: wallet, reason: "sybil" }];
    await expectAfter(addToBlacklist(owner, banned), {
      isBlacklisted: true,
      blacklistReason: "sybil",
    });
    await expectAfter(removeFromBlacklist(owner, [wallet]), { isBlacklisted: false });
    const renamed = { name: "Beta", slug: `beta-${randomUUID()}` };
    await expectAfter(updatePointSystem(owner, renamed), renamed);
    await ranksFold.run();
    expect(await read()).toMatchObject([{ rank: 2 }]);
    await deletePointSystem(owner, "Beta");
    expect((await getPoints(s.token, wallet)).status).toBe(403);
  });

  test("a credit is in the next answer", async () => {
    const { token, wallet, fire } = await scene({ trigger: { points: 10 } });
    expect((await getPoints(token, wallet)).body.summary.totalPoints).toBe(0);
    await fire();
    await fire();
    const { body } = await getPoints(token, wallet);
    expect(body.pointSystems).toMatchObject([
      { points: 20, events: 2, rank: 1, totalParticipants: 1 },
    ]);
  });

  test("the order of point systems is that of their making", async () => {
    const wallet = createAddress();
    const wallets = [wallet];
    const names = ["Zeta", "alpha", "Mu", "Beta"];
    const { token } = await stage(Object.fromEntries(names.map((name) => [name, { wallets }])));
    for (let i = 0; i < 3; i += 1) {
      const { body } = await getPoints(token, wallet);
      expect(body.pointSystems.map(({ name }: { name: string }) => name)).toEqual(names);
    }
  });

  test("answers alike under every prefix, and to HEAD", async () => {
    const { token, wallet, fire } = await scene();
    await fire();
    const answers = await Promise.all(
      API_PREFIXES.map((prefix) =>
        call(`${prefix}points?address=${wallet}`, { headers: bearer(token) }),
      ),
    );
    const [answer] = answers;
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect({ ...body, resolvedAt: null }).toEqual({ ...answer?.body, resolvedAt: null });
    }
    const head = await call(`/points?address=${wallet}`, {
      method: "HEAD",
      headers: bearer(token),
    });
    expect(head.status).toBe(200);
  });
});

describe("400", () => {
  test("an address is required", async () => {
    const { token } = await stage({ Alpha: {} });
    for (const query of ["", "?", "?address=", "?address", "?wallet=0x1", "?ADDRESS=0x1"]) {
      expect(await call(`/points${query}`, { headers: bearer(token) })).toMatchObject({
        status: 400,
        body: {
          error: "Missing required parameter: address",
          message: "Missing required parameter: address",
          code: "missing_parameter",
        },
      });
    }
  });

  test("refuses an address given twice, the same one too", async () => {
    const { token } = await stage({ Alpha: {} });
    const address = createAddress();
    for (const other of [address, "", "x"]) {
      const query = `address=${address}&address=${other}`;
      expect(await call(`/points?${query}`, { headers: bearer(token) })).toMatchObject({
        status: 400,
        body: { error: "Duplicate parameter: address" },
      });
    }
  });

  test.each([
    "0x1",
    "x",
    "vitalik",
    "eth",
    ".eth",
    "alice.",
    "a..eth",
    "al ice.eth",
    "al_ice.eth",
    `${createAddress()}0`,
    ` ${createAddress()}`,
    createAddress().slice(2),
    `0x${"g".repeat(40)}`,
    "https://example.com/",
    "alice.eth\u0000",
    `${"a".repeat(256)}.eth`,
    "💩",
    "' or 1=1 --",
  ])("refuses %j, and asks nobody", async (address) => {
    openEns({ rpcUrls: [ens.url] });
    const { token } = await stage({ Alpha: {} });
    expect(await getPoints(token, address)).toMatchObject({
      status: 400,
      body: {
        error: "Invalid address or ENS domain",
        message: "Invalid address or ENS domain",
        code: "invalid_address_or_ens",
      },
    });
    expect(ens.calls).toEqual([]);
  });
});

describe("403", () => {
  const SCOPE = "This API key does not have access to the specified point system";

  test("a key without a point system has access to nothing, whoever is asked for", async () => {
    openEns({ rpcUrls: [ens.url] });
    const { addKey } = await scene();
    const token = await addKey("all", []);
    for (const address of [createAddress(), "alice.eth", createName()]) {
      expect(await getPoints(token, address)).toMatchObject({
        status: 403,
        body: { error: SCOPE, code: "point_system_out_of_scope" },
      });
    }
    expect(ens.calls).toEqual([]);
  });

  test("input is refused before scope", async () => {
    const { addKey } = await scene();
    const token = await addKey("read", []);
    expect((await getPoints(token, "a..eth")).status).toBe(400);
    expect((await getPoints(token, "")).status).toBe(400);
  });

  test("a key that may only trigger is refused, before its input is looked at", async () => {
    const { addKey, pointSystemId } = await scene();
    const token = await addKey("trigger", [pointSystemId]);
    for (const address of [createAddress(), "", "a..eth"]) {
      expect(await getPoints(token, address)).toMatchObject({
        status: 403,
        body: { error: "This API key does not have read permissions" },
      });
    }
  });
});

describe("ENS", () => {
  beforeEach(() => openEns({ rpcUrls: [ens.url] }));

  test("a name is its wallet's: its letter case does not matter, and it is answered normalized", async () => {
    const [wallet, name] = [createAddress(), createName()];
    ens.names.set(name, wallet);
    const { token } = await stage({ Alpha: { events: [{ address: wallet, points: 3 }] } });
    for (const typed of [name, name.toUpperCase()]) {
      const { status, body } = await getPoints(token, typed);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        address: name,
        ens: name,
        hexAddress: wallet,
        summary: { totalPoints: 3 },
      });
      expect(body.pointSystems).toMatchObject([{ points: 3, rank: 1 }]);
    }
    expect(ens.calls).toEqual([name]);
  });

  test("an address shows the name that it chose, if that resolves to it", async () => {
    const [wallet, thief, name] = [createAddress(), createAddress(), createName()];
    ens.names.set(name, wallet);
    ens.primaryNames.set(wallet, name).set(thief, name);
    const { token } = await stage({ Alpha: { wallets: [wallet, thief] } });
    expect((await getPoints(token, wallet.toUpperCase())).body).toMatchObject({
      address: name,
      ens: name,
      hexAddress: wallet,
    });
    expect((await getPoints(token, thief)).body).toMatchObject({
      address: thief,
      ens: null,
      hexAddress: thief,
    });
  });

  test("a name that resolves to nothing is refused", async () => {
    const name = createName();
    ens.names.set(name, "0x0000000000000000000000000000000000000000");
    const { token } = await stage({ Alpha: {} });
    for (const nothing of [createName(), name]) {
      expect(await getPoints(token, nothing)).toMatchObject({
        status: 400,
        body: { error: "Invalid address or ENS domain" },
      });
    }
  });

  test("no key, a bad key, a key that may not read: nobody is asked", async () => {
    const { addKey, pointSystemId } = await scene();
    const name = createName();
    expect((await call(`/points?address=${name}`)).status).toBe(401);
    expect((await getPoints(generateApiKeyToken(), name)).status).toBe(401);
    expect((await getPoints(await addKey("trigger", [pointSystemId]), name)).status).toBe(403);
    expect(ens.calls).toEqual([]);
  });

  test("while ENS fails, names answer 503 with Retry-After, and addresses answer without a name", async () => {
    ens.mode = "fails";
    const wallet = createAddress();
    const { token } = await stage({ Alpha: { events: [{ address: wallet, points: 3 }] } });
    const errors: unknown[] = [];
    const address = createName();
    const answer = await call(`/points?address=${address}`, { headers: bearer(token) }, (error) =>
      errors.push(error),
    );
    expect(answer).toMatchObject({
      status: 503,
      body: {
        error: "ENS resolution unavailable",
        message: "ENS resolution unavailable",
        code: "ens_unavailable",
      },
    });
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(errors).toHaveLength(1);
    expect((await getPoints(token, wallet)).body).toMatchObject({
      address: wallet,
      ens: null,
      summary: { totalPoints: 3 },
    });
    // For a minute, ENS is not asked again and the failure is not reported again.
    ens.calls.length = 0;
    expect((await getPoints(token, address)).status).toBe(503);
    expect((await getPoints(token, wallet)).status).toBe(200);
    expect(ens.calls).toEqual([]);
  });

  test("a name that is known is answered while ENS fails", async () => {
    const [wallet, name] = [createAddress(), createName()];
    ens.names.set(name, wallet);
    const { token } = await stage({ Alpha: { wallets: [wallet] } });
    await getPoints(token, name);
    ens.mode = "fails";
    expect((await getPoints(token, name)).body).toMatchObject({ ens: name, hexAddress: wallet });
  });

  test("without an endpoint, addresses work and names answer 503", async () => {
    openEns({ rpcUrls: [] });
    const wallet = createAddress();
    const { token } = await stage({ Alpha: { wallets: [wallet] } });
    expect((await getPoints(token, wallet)).body).toMatchObject({ address: wallet, ens: null });
    const answer = await getPoints(token, createName());
    expect(answer).toMatchObject({ status: 503, body: { error: "ENS resolution unavailable" } });
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  });
});
