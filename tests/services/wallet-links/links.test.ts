import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import type { Address } from "../../../app/domain/address";
import { createEventId } from "../../../app/domain/ledger/event-id";
import type { Member } from "../../../app/services/access/members";
import { createBoard, endBoard } from "../../../app/services/board/boards";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { rebuildRanks } from "../../../app/services/board/rank-counts";
import { findWalletEntry } from "../../../app/services/board/wallets";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { creditOrders } from "../../../app/services/ledger/credit-statement";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { listLinksOf } from "../../../app/services/wallet-links/list";
import {
  askForLinkSignatures,
  askForUnlinkSignature,
  linkSignedWallets,
  unlinkSignedWallet,
} from "../../../app/services/wallet-links/signatures";
import { removeOldNonces } from "../../../app/services/wallet-signatures/nonces";
import { voidById } from "../../support/events";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { codeOf, createOwner, findOwner, grant, tally } from "../../support/operators";
import { listen, listSaid } from "../../support/said-events";
import { createAddress, scene } from "../../support/scene";
import { countRowsRead, other } from "../../support/test-database";

const ORIGIN = "https://points.example.com";
const BASE = 8453;
const createAccount = () => privateKeyToAccount(generatePrivateKey());
const addressOf = (account: ReturnType<typeof createAccount>) =>
  account.address.toLowerCase() as Address;

let owner: Member<"owner">;
beforeEach(async () => {
  owner = await createOwner();
});

const link = (address: Address, primaryAddress: Address) =>
  linkWallets(owner, { address, primaryAddress });

test("chains, circles, blacklisted wallets and a 21st wallet are refused", async () => {
  const [primary, linked, third] = [createAddress(), createAddress(), createAddress()];
  await grant(owner, linked, 7);
  expect(await link(linked, primary)).toEqual({ points: 7, events: 1 });
  expect(await codeOf(link(linked, linked))).toBe("wallets_same");
  expect(await codeOf(link(linked, third))).toBe("wallet_linked");
  expect(await codeOf(link(primary, linked))).toBe("wallet_has_links");
  expect(await codeOf(link(primary, third))).toBe("wallet_has_links");
  expect(await codeOf(link(third, linked))).toBe("primary_linked");
  await addToBlacklist(owner, [{ address: third, reason: null }]);
  expect(await codeOf(link(third, primary))).toBe("wallet_blacklisted");
  expect(await codeOf(link(createAddress(), third))).toBe("wallet_blacklisted");
  for (let wallets = 2; wallets < 20; wallets += 1) await link(createAddress(), primary);
  expect(await listLinksOf(owner, primary)).toHaveLength(19);
  expect(await codeOf(link(createAddress(), primary))).toBe("too_many_linked_wallets");
});

test("a blacklisted primary wallet refuses the credits of its linked ones", async () => {
  const [primary, linked] = [createAddress(), createAddress()];
  await link(linked, primary);
  await addToBlacklist(owner, [{ address: primary, reason: null }]);
  expect(await codeOf(grant(owner, linked, 5))).toBe("wallet_blacklisted");
});

test("what a file credited to a linked wallet while it was blacklisted moves to its primary one with the pardon", async () => {
  const { operator, pointSystemId } = await scene({});
  const member = await findOwner(pointSystemId);
  const [primary, linked] = [createAddress(), createAddress()];
  await linkWallets(member, { address: linked, primaryAddress: primary });
  await addToBlacklist(member, [{ address: linked, reason: null }]);
  const events = [{ address: linked, points: 7, event: null }];
  await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
  expect((await findWalletEntry(pointSystemId, primary))?.points).toBe(0);
  await removeFromBlacklist(member, [linked]);
  const { leaderboard } = await listLeaderboard(pointSystemId, { page: 1, limit: 10 });
  expect(leaderboard).toEqual([{ rank: 1, address: primary, points: 7, events: 1 }]);
  expect((await findWalletEntry(pointSystemId, linked))?.points).toBe(7);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("what a file gives to wallets whose primary ones are blacklisted, by it or before, is on no board", async () => {
  const { operator, pointSystemId } = await scene({});
  const member = await findOwner(pointSystemId);
  const primaries = Array.from({ length: 3 }, createAddress) as [Address, Address, Address];
  const addresses = primaries.map(createAddress);
  const bytes = (wallets: readonly Address[]) =>
    toArrayLiteral(wallets.map((address) => Buffer.from(address.slice(2), "hex")));
  await other`
    insert into wallet_links (point_system_id, address, primary_address)
    select ${pointSystemId}, * from unnest(${bytes(addresses)}::bytea[], ${bytes(primaries)}::bytea[])`;
  await addToBlacklist(member, [{ address: primaries[0], reason: null }]);
  const file = {
    ...{ operator, id: pointSystemId, name: "Alpha" },
    events: addresses.map((address) => ({ address, points: 7, event: null })),
    wallets: addresses,
    blacklist: [{ address: primaries[1] }, { address: addresses[2] }],
  };
  await loadFixture({ pointSystems: [file] });
  const { leaderboard } = await listLeaderboard(pointSystemId, { page: 1, limit: 10 });
  expect(leaderboard).toEqual([{ rank: 1, address: primaries[2], points: 7, events: 1 }]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a pardon moves the points of many linked wallets at once, and puts no blacklisted primary one on a board", async () => {
  const { operator, pointSystemId } = await scene({});
  const member = await findOwner(pointSystemId);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000);
  await createBoard(member, {
    ...{ kind: "season", slug: "spring", name: "Spring", timeZone: "UTC", isPublic: true },
    season: { startsAt: day(-1), endsAt: day(1) },
  });
  const pairs = Array.from({ length: 20 }, () => createAddress()).flatMap((primaryAddress) =>
    Array.from({ length: 19 }, () => ({ address: createAddress(), primaryAddress })),
  );
  const bytes = (of: (pair: (typeof pairs)[number]) => Address) =>
    toArrayLiteral(pairs.map((pair) => Buffer.from(of(pair).slice(2), "hex")));
  await other`
    insert into wallet_links (point_system_id, address, primary_address)
    select ${pointSystemId}, * from unnest(
      ${bytes(({ address }) => address)}::bytea[], ${bytes((pair) => pair.primaryAddress)}::bytea[]
    )`;
  const [first] = pairs as [(typeof pairs)[number]];
  const addresses = [...pairs.map(({ address }) => address), first.primaryAddress];
  await addToBlacklist(
    member,
    addresses.map((address) => ({ address, reason: null })),
  );
  const events = pairs.map(({ address }) => ({ address, points: 7, event: null }));
  await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
  useGiftCardKeys(createGiftCardKey("k1"));
  await listen(member);
  const startedAt = performance.now();
  await removeFromBlacklist(member, addresses.slice(0, -1));
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  for (const board of [undefined, { key: "spring", label: null }]) {
    const request = { page: 1, limit: 100 };
    const { leaderboard } = await listLeaderboard(pointSystemId, request, board);
    expect(leaderboard.map(({ points }) => points)).toEqual(Array(19).fill(7 * 19));
    expect(leaderboard.map(({ address }) => address)).not.toContain(first.primaryAddress);
  }
  const said = (await listSaid(member)).filter(([type]) => type === "wallet.linked");
  expect(said).toHaveLength(pairs.length);
  expect(said[0]?.[1]).toMatchObject({ points: 7, events: 1, linkedBy: "operator" });
  await unlinkWallet(member, first.address);
  expect((await findWalletEntry(pointSystemId, first.address))?.points).toBe(0);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("ledger:verify names a linked wallet with an entry of its own, which a pardon moves", async () => {
  const { pointSystemId } = owner;
  const [primary, linked] = [createAddress(), createAddress()];
  await link(linked, primary);
  const bytes = (address: Address) => Buffer.from(address.slice(2), "hex");
  // The releases until 2026-11-25 left such an entry when they pardoned a wallet that a file had credited.
  await other`delete from wallet_links where point_system_id = ${pointSystemId}`;
  await grant(owner, linked, 7);
  await other`
    insert into wallet_links (point_system_id, address, primary_address, linked_at)
    values (${pointSystemId}, ${bytes(linked)}, ${bytes(primary)}, now())`;
  const field = "entry of the linked wallet, in points";
  expect((await verifyLedger()).differences).toEqual([
    { pointSystemId, address: linked, field, stored: "7", recomputed: null },
  ]);
  await addToBlacklist(owner, [{ address: linked, reason: null }]);
  expect((await verifyLedger()).differences).toEqual([]);
  await removeFromBlacklist(owner, [linked]);
  expect((await verifyLedger()).differences).toEqual([]);
  expect((await findWalletEntry(pointSystemId, primary))?.points).toBe(7);
});

test("GET /points answers for a wallet without an entry as it is linked at that moment", async () => {
  const { pointSystemId, get } = await scene();
  const member = await findOwner(pointSystemId);
  const [address, primaryAddress] = [createAddress(), createAddress()];
  await grant(member, primaryAddress, 50);
  const read = async () => (await get("/points", { address })).body.summary.totalPoints;
  expect(await read()).toBe(0);
  for (let round = 0; round < 2; round += 1) {
    await linkWallets(member, { address, primaryAddress });
    expect(await read()).toBe(50);
    await unlinkWallet(member, address);
    expect((await get("/wallet", { address })).status).toBe(404);
    expect(await read()).toBe(0);
  }
});

test("a board that ended before a link answers for each wallet as it stood, also where it has no points", async () => {
  const { pointSystemId, get } = await scene();
  const member = await findOwner(pointSystemId);
  const [first, second, absent] = [createAddress(), createAddress(), createAddress()];
  const day = (days: number) => new Date(Date.now() + days * 86_400_000);
  for (const slug of ["one", "two"]) {
    await createBoard(member, {
      ...{ kind: "season", slug, name: slug, timeZone: "UTC", isPublic: true },
      season: { startsAt: day(-1), endsAt: day(1) },
    });
  }
  await grant(member, first, 100);
  await grant(member, second, 10);
  await endBoard(member, "one");
  await linkWallets(member, { address: first, primaryAddress: second });
  await linkWallets(member, { address: absent, primaryAddress: second });
  const read = async (address: Address, board: string) => {
    const [wallet, points, around] = await Promise.all([
      get("/wallet", { address, board }),
      get("/points", { address, board }),
      get("/leaderboard", { around: address, limit: "1", board }),
    ]);
    const [standing] = points.body.pointSystems;
    return [wallet.body, standing, ...around.body.leaderboard].map(({ points, rank }) => [
      points,
      rank,
    ]);
  };
  expect(await read(first, "season:one")).toEqual(Array(3).fill([100, 1]));
  expect(await read(second, "season:one")).toEqual(Array(3).fill([10, 2]));
  expect(await read(absent, "season:one")).toEqual(Array(3).fill([10, 2]));
  for (const address of [first, second, absent]) {
    expect(await read(address, "season:two")).toEqual(Array(3).fill([110, 1]));
  }

  // The blacklist is that of now: its holder gets nothing for the ended board either.
  await addToBlacklist(member, [{ address: second, reason: null }]);
  for (const address of [first, second, absent]) {
    const { body } = await get("/points", { address, board: "season:one" });
    expect(body.summary.isBlacklisted).toBe(true);
  }
});

test("neither event of a move can be voided, and the audit log and webhooks have both steps", async () => {
  const { pointSystemId } = owner;
  const [primary, linked] = [createAddress(), createAddress()];
  useGiftCardKeys(createGiftCardKey("k1"));
  await listen(owner);
  await grant(owner, linked, 7);
  await link(linked, primary);
  const moves = await other<{ id: string }[]>`
    select id from point_events where point_system_id = ${pointSystemId} and moved_events is not null`;
  expect(moves).toHaveLength(2);
  for (const { id } of moves) expect(await codeOf(voidById(owner, id))).toBe("event_is_move");
  await unlinkWallet(owner, linked);
  expect((await findWalletEntry(pointSystemId, linked))?.points).toBe(0);
  expect((await findWalletEntry(pointSystemId, primary))?.points).toBe(7);
  const said = await other<{ action: string }[]>`
    select action from audit_log where point_system_id = ${pointSystemId} and subject = ${linked} order by id`;
  expect(await listSaid(owner)).toEqual([
    [
      "wallet.linked",
      { address: linked, primaryAddress: primary, points: 7, events: 1, linkedBy: "operator" },
    ],
    ["wallet.unlinked", { address: linked, primaryAddress: primary, unlinkedBy: "operator" }],
  ]);
  expect(said.map(({ action }) => action)).toEqual([
    "wallet.grant",
    "wallet.link",
    "wallet.unlink",
  ]);
});

test("a holder who signs with both wallets links them once", async () => {
  const { pointSystemId } = owner;
  const [primary, linked, stranger] = [createAccount(), createAccount(), createAccount()];
  const pair = { address: addressOf(linked), primaryAddress: addressOf(primary) };
  await grant(owner, pair.address, 30);
  const ask = (of = pair, id = pointSystemId) =>
    askForLinkSignatures(id, { ...of, chainId: BASE }, ORIGIN);
  const send = async (
    asked: Awaited<ReturnType<typeof ask>>,
    { of = pair, by = linked, byPrimary = primary, id = pointSystemId, origin = ORIGIN } = {},
  ) =>
    linkSignedWallets(
      id,
      {
        ...of,
        nonce: asked.nonce,
        signature: await by.signMessage({ message: asked.message }),
        primarySignature: await byPrimary.signMessage({ message: asked.primaryMessage }),
      },
      origin,
    );
  const asked = await ask();
  expect(asked.message).toContain("points.example.com wants you to sign in");
  expect(asked.message).toContain(linked.address);
  expect(asked.message).toContain(primary.address);
  expect(asked.primaryMessage).toContain(asked.nonce);

  const refused = "wallet_signature_refused";
  // A foreign signature of either wallet; the nonce is used up by each attempt.
  expect(await codeOf(send(asked, { by: stranger }))).toBe(refused);
  expect(await codeOf(send(asked))).toBe(refused);
  expect(await codeOf(send(await ask(), { byPrimary: linked }))).toBe(refused);
  // The other order, another origin, and the nonce of another point system.
  const turned = { address: pair.primaryAddress, primaryAddress: pair.address };
  expect(await codeOf(send(await ask(), { of: turned, by: primary, byPrimary: linked }))).toBe(
    refused,
  );
  expect(await codeOf(send(await ask(), { origin: "https://evil.example.com" }))).toBe(refused);
  const elsewhere = await createOwner();
  expect(await codeOf(send(await ask(pair, elsewhere.pointSystemId)))).toBe(refused);
  const late = await ask();
  await other`update wallet_nonces set expires_at = now() where point_system_id = ${pointSystemId}`;
  expect(await codeOf(send(late))).toBe(refused);

  const good = await ask();
  expect(await send(good)).toEqual({ points: 30, events: 1 });
  expect(await codeOf(send(good))).toBe(refused);
  expect(await listLinksOf(owner, pair.address)).toEqual([
    expect.objectContaining({ ...pair, isByHolder: true }),
  ]);
  await ask();
  await other`update wallet_nonces set expires_at = now() - interval '1 s'`;
  while (await removeOldNonces());
  expect(await other`select from wallet_nonces`).toHaveLength(0);
});

test("a holder unlinks a wallet by its own signature, once, and nothing moves back", async () => {
  const { pointSystemId } = owner;
  const [primary, linked, stranger] = [createAccount(), createAccount(), createAccount()];
  const address = addressOf(linked);
  const refused = "wallet_signature_refused";
  const ask = (id = pointSystemId, of = address) =>
    askForUnlinkSignature(id, { address: of, chainId: BASE }, ORIGIN);
  const send = async (
    { nonce, message }: Awaited<ReturnType<typeof ask>>,
    { by = linked, as = address, origin = ORIGIN } = {},
  ) =>
    unlinkSignedWallet(
      pointSystemId,
      { address: as, nonce, signature: await by.signMessage({ message }) },
      origin,
    );
  await grant(owner, address, 30);
  // What the service asks does not tell strangers whether a wallet is linked.
  const before = await ask();
  expect(await codeOf(send(before))).toBe("wallet_not_linked");
  await link(address, addressOf(primary));
  const asked = await ask();
  expect(asked.message.replace(/Nonce: .*|.* (At|Time): .*/g, "")).toBe(
    before.message.replace(/Nonce: .*|.* (At|Time): .*/g, ""),
  );
  expect(asked.message).toContain(linked.address);
  expect(asked.message).not.toContain(primary.address);

  // Another wallet, the primary one and another origin; each attempt uses the nonce up.
  expect(await codeOf(send(asked, { by: stranger }))).toBe(refused);
  expect(await codeOf(send(asked))).toBe(refused);
  expect(await codeOf(send(await ask(), { by: primary }))).toBe(refused);
  expect(await codeOf(send(await ask(), { as: addressOf(stranger), by: stranger }))).toBe(refused);
  expect(await codeOf(send(await ask(), { origin: "https://evil.example.com" }))).toBe(refused);
  const elsewhere = await createOwner();
  expect(await codeOf(send(await ask(elsewhere.pointSystemId)))).toBe(refused);
  // The nonce of a link, and a nonce that is over.
  const pair = { address, primaryAddress: addressOf(primary), chainId: BASE };
  expect(await codeOf(send(await askForLinkSignatures(pointSystemId, pair, ORIGIN)))).toBe(refused);
  const late = await ask();
  await other`update wallet_nonces set expires_at = now() where point_system_id = ${pointSystemId}`;
  expect(await codeOf(send(late))).toBe(refused);
  expect(await listLinksOf(owner, address)).toHaveLength(1);

  const good = await ask();
  const outcomes = await tally(Array.from({ length: 5 }, () => send(good)));
  expect(outcomes).toEqual({ succeeded: 1, wallet_signature_refused: 4 });
  expect(await listLinksOf(owner, address)).toEqual([]);
  expect((await findWalletEntry(pointSystemId, address))?.points).toBe(0);
  expect((await findWalletEntry(pointSystemId, addressOf(primary)))?.points).toBe(30);
  await grant(owner, address, 5);
  expect((await findWalletEntry(pointSystemId, address))?.points).toBe(5);
  const [said] = await other<{ actor: string | null }[]>`
    select operator_id as actor from audit_log
    where point_system_id = ${pointSystemId} and action = 'wallet.unlink'`;
  expect(said?.actor).toBeNull();
});

test("who holds moved points is found by reading each move once, however often a holder moves them", async () => {
  const wallets = Array.from({ length: 3 }, createAddress);
  const at = (n: number) => wallets[n % 3] as Address;
  const moves = 60;
  await grant(owner, at(0), 5);
  for (let n = 0; n < moves; n += 1) {
    await link(at(n), at(n + 1));
    await unlinkWallet(owner, at(n));
    if (n % 7 === 0) await grant(owner, at(n), 1);
  }
  const { pointSystemId } = owner;
  const expected = await other`
    select e.address, coalesce(lag(e.created_at) over (partition by e.address order by e.seq), '-infinity') as after,
      e.created_at as until, find_event_holder(${pointSystemId}, e.named_address, e.seq, 9223372036854775807) as holder
    from point_events e where e.point_system_id = ${pointSystemId} and e.moved_events < 0 order by e.seq`;
  expect(expected.length).toBe(moves);
  const { rows, answer } = await other.begin((tx) =>
    countRowsRead(
      tx,
      "point_events",
      () => tx`select * from list_moved_holders(${pointSystemId}) order by until`,
    ),
  );
  expect([...answer]).toEqual([...expected]);
  expect(rows).toBeLessThan(3 * moves);
});

test("a wallet with 100,000 events is linked as quickly as one with a single event", async () => {
  const { pointSystemId } = owner;
  const [small, large, primary] = [createAddress(), createAddress(), createAddress()];
  const bytes = Buffer.from(large.slice(2), "hex");
  await grant(owner, small, 1);
  await grant(owner, large, 1);
  await grant(owner, primary, 1);
  await other`
    insert into point_events (point_system_id, id, address, points, balance, created_at)
    select ${pointSystemId}, gen_random_uuid(), ${bytes}, 3, 1 + 3 * n, now() from generate_series(1, 100000) n`;
  await other`
    update wallets set points = 300001, events = 100001 where point_system_id = ${pointSystemId} and address = ${bytes}`;
  await other`
    update point_system_totals set events = events + 100000 where point_system_id = ${pointSystemId}`;
  // The rows were written past the ranks.
  await rebuildRanks(pointSystemId);
  const timed = async (address: Address) => {
    const startedAt = performance.now();
    await link(address, primary);
    return performance.now() - startedAt;
  };
  await link(createAddress(), primary);
  const smallMs = await timed(small);
  const largeMs = await timed(large);
  expect(largeMs).toBeLessThan(20 * smallMs + 50);
  expect(await findWalletEntry(pointSystemId, large)).toEqual({
    ...{ address: large, points: 300_003, events: 100_003 },
    rank: 1,
  });
  const [row] = await other<{ rows: number }[]>`
    select count(*)::int as rows from point_events where point_system_id = ${pointSystemId}`;
  expect(row?.rows).toBe(100_003 + 4);
});

test("credits of two instances while wallets are linked and unlinked are neither lost nor doubled", async () => {
  const { pointSystemId, token } = await scene({ triggers: [{ key: "one", points: 1 }] });
  const member = await findOwner(pointSystemId);
  const [primary, linked] = [createAddress(), createAddress()];
  const tokenHash = hashApiKeyToken(token);
  const tally = { credited: 0 };
  const creditHere = async () => {
    for (let n = 0; n < 40; n += 1) {
      const call = {
        ...{ triggerKey: `one`, walletAddress: linked, idempotencyKey: null, points: null },
        ...{
          areFixedPointsStrict: false,
          occurredAt: null,
          metadata: null,
          eventId: createEventId(),
        },
      };
      const [verdicts] = await creditOrders(
        [{ pointSystemId, tokenHash, calls: [call], isAtomic: false, isUncertain: false }],
        { connection: 0, endsAtMs: performance.now() + 60_000 },
      );
      const verdict = (verdicts as readonly { verdict: string }[] | undefined)?.[0]?.verdict;
      if (verdict === "credited") tally.credited += 1;
      else expect(verdict).toBe("rate_limit_exceeded");
    }
  };
  const creditElsewhere = async () => {
    for (let n = 0; n < 40; n += 1) {
      const [answer] = await other<{ verdicts: string[] }[]>`
        select verdicts from credit_points(${pointSystemId}, array[${tokenHash}::bytea], '{1}', '{one}',
          array[${Buffer.from(linked.slice(2), "hex")}::bytea], array[${createEventId()}::uuid],
          '{}', '{}', '{}', '{}', '{}', '{}', 9007199254740991, null, false)`;
      if (answer?.verdicts[0] === "credited") tally.credited += 1;
    }
  };
  const relink = async () => {
    for (let n = 0; n < 12; n += 1) {
      await linkWallets(member, { address: linked, primaryAddress: primary });
      await unlinkWallet(member, linked);
    }
    await linkWallets(member, { address: linked, primaryAddress: primary });
  };
  await Promise.all([creditHere(), creditElsewhere(), relink()]);
  expect(tally.credited).toBeGreaterThan(0);
  expect((await findWalletEntry(pointSystemId, primary))?.points).toBe(tally.credited);
  expect((await verifyLedger()).differences).toEqual([]);
});
