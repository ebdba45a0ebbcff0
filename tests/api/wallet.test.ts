import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import type { Address } from "../../app/domain/address";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { addToBlacklist, removeFromBlacklist } from "../../app/services/ledger/blacklist";
import { linkWallets } from "../../app/services/wallet-links/links";
import { call } from "../support/call";
import { findOwner } from "../support/operators";
import { createAddress, scene } from "../support/scene";

test("answers address, points, events and global rank", async () => {
  const wallet = createAddress();
  const { get } = await scene({
    events: [
      { address: createAddress(), points: 99 },
      { address: wallet, points: 10 },
      { address: wallet, points: 5 },
    ],
  });
  expect(await get("/wallet", { address: wallet.toUpperCase().replace("0X", "0x") })).toMatchObject(
    {
      status: 200,
      body: { address: wallet, points: 15, events: 2, rank: 2 },
    },
  );
});

test("a registered wallet without points has an entry", async () => {
  const wallet = createAddress();
  const { get } = await scene({ wallets: [wallet] });
  expect((await get("/wallet", { address: wallet })).body).toEqual({
    address: wallet,
    points: 0,
    events: 0,
    rank: 1,
  });
});

test("a blacklisted wallet answers the position that it would hold", async () => {
  const [first, banned, last] = [createAddress(), createAddress(), createAddress()];
  const { get } = await scene({
    events: [
      { address: first, points: 30 },
      { address: banned, points: 20 },
      { address: last, points: 10 },
    ],
    blacklist: [{ address: banned }],
  });
  expect((await get("/wallet", { address: banned })).body.rank).toBe(2);
  expect((await get("/wallet", { address: last })).body.rank).toBe(2);
});

test("an address that never received points and is not registered answers 404", async () => {
  const elsewhere = await scene();
  await elsewhere.fire();
  const banned = createAddress();
  const { get } = await scene({ blacklist: [{ address: banned }] });
  for (const address of [createAddress(), elsewhere.wallet, banned]) {
    expect(await get("/wallet", { address })).toMatchObject({
      status: 404,
      body: { error: "Wallet not found in this point system" },
    });
  }
});

// The first reads in the statement that checks the key, the second beside it.
test.each(["/wallet", "/balance"])(
  "a key that has just read %s is refused once it is revoked, whatever the read would say",
  async (path) => {
    const { get, token, pointSystemId, wallet, fire } = await scene();
    await fire();
    expect((await get(path, { address: wallet })).status).toBe(200);
    await withDatabase((db) =>
      db.execute(sql`delete from api_key_point_systems using api_keys
      where api_key_id = id and token_hash = sha256(${token}::bytea)`),
    );
    expect((await get(path, { address: wallet })).status).toBe(403);
    await withDatabase((db) =>
      db.execute(sql`insert into api_key_point_systems (api_key_id, point_system_id)
      select id, ${pointSystemId} from api_keys where token_hash = sha256(${token}::bytea)`),
    );
    expect((await get(path, { address: wallet })).status).toBe(200);
    await withDatabase((db) =>
      db.execute(sql`delete from api_keys where token_hash = sha256(${token}::bytea)`),
    );
    expect((await get(path, { address: createAddress() })).status).toBe(401);
    expect((await get(path, { address: wallet })).status).toBe(401);
  },
);

test("wallets that are asked for together are answered apart, and refused for their own key", async () => {
  const [linked, ...addresses] = Array.from({ length: 60 }, createAddress) as [string, ...string[]];
  const { get, pointSystemId } = await scene({
    wallets: [linked],
    events: addresses.slice(0, 50).map((address, n) => ({ address, points: 1_000 - n })),
  });
  const stranger = await scene();
  const owner = await findOwner(pointSystemId);
  await linkWallets(owner, {
    address: linked as Address,
    primaryAddress: addresses[0] as Address,
  });
  const asked = [linked, ...addresses];
  const answers = await Promise.all(
    asked.flatMap((address) => [
      get("/wallet", { address }),
      stranger.get("/wallet", { address, pointSystemId }),
      get("/wallet", { address }, { Authorization: `Bearer rw_${"0".repeat(32)}` }),
    ]),
  );
  const statuses = answers.map(({ status }) => status);
  for (const [n, address] of asked.entries()) {
    const [own, ...others] = answers.slice(n * 3, n * 3 + 3);
    const place = Math.max(n, 1);
    expect(own?.body).toEqual(
      n <= 50
        ? expect.objectContaining({ address, points: 1_001 - place, rank: place })
        : expect.objectContaining({ error: "Wallet not found in this point system" }),
    );
    expect(others.map(({ status }) => status)).toEqual([403, 401]);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(51);
});

test("a linked wallet has the entry of its primary one, though a file credited it while it was blacklisted", async () => {
  const [linked, primary] = [createAddress(), createAddress()] as [Address, Address];
  const { get, operator, pointSystemId } = await scene({
    events: [{ address: primary, points: 5 }],
    wallets: [linked],
  });
  const owner = await findOwner(pointSystemId);
  await linkWallets(owner, { address: linked, primaryAddress: primary });
  await addToBlacklist(owner, [{ address: linked, reason: null }]);
  const events = [{ address: linked, points: 7, event: null }];
  await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
  expect((await get("/wallet", { address: linked })).body).toMatchObject({ points: 7 });
  await removeFromBlacklist(owner, [linked]);
  expect((await get("/wallet", { address: linked })).body).toMatchObject({ points: 12 });
  expect((await get("/balance", { address: linked })).body).toMatchObject({ earned: 12 });
});

test("a wallet whose board is not counted yet has its rank all the same", async () => {
  const [first, second] = [createAddress(), createAddress()];
  const { get, pointSystemId } = await scene({
    events: [
      { address: first, points: 9 },
      { address: second, points: 5 },
    ],
  });
  await withDatabase((db) =>
    db.execute(sql`delete from rank_cursors where point_system_id = ${pointSystemId}`),
  );
  expect((await get("/wallet", { address: second })).body).toMatchObject({ points: 5, rank: 2 });
  expect(await get("/wallet", { address: createAddress() })).toMatchObject({ status: 404 });
});

describe("400", () => {
  test("names the first missing parameter in documented order", async () => {
    const { token, pointSystemId } = await scene();
    const headers = { Authorization: `Bearer ${token}` };
    const get = (query: string) => call(`/wallet${query}`, { headers });
    for (const query of ["", "?address=x", "?pointSystemId=&address=x"]) {
      expect(await get(query)).toMatchObject({
        status: 400,
        body: { error: "Missing required parameter: pointSystemId" },
      });
    }
    for (const query of ["", "&address="]) {
      expect(await get(`?pointSystemId=${pointSystemId}${query}`)).toMatchObject({
        status: 400,
        body: { error: "Missing required parameter: address" },
      });
    }
  });

  test("refuses what is no address", async () => {
    const { get } = await scene();
    for (const address of ["0x1", "vitalik.eth", `${createAddress()}0`, `1x${"0".repeat(40)}`]) {
      expect(await get("/wallet", { address })).toMatchObject({
        status: 400,
        body: { error: "Invalid address" },
      });
    }
  });

  test("refuses a parameter given twice, the same value too", async () => {
    const { token, pointSystemId, wallet } = await scene();
    const headers = { Authorization: `Bearer ${token}` };
    const query = `pointSystemId=${pointSystemId}&address=${wallet}`;
    for (const name of ["pointSystemId", "address"]) {
      expect(await call(`/wallet?${query}&${name}=${wallet}`, { headers })).toMatchObject({
        status: 400,
        body: { error: `Duplicate parameter: ${name}` },
      });
    }
  });

  test("input is reported before scope", async () => {
    const { get } = await scene();
    expect((await get("/wallet", { pointSystemId: "x", address: "x" })).status).toBe(400);
  });
});
