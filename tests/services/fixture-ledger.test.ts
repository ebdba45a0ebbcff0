import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { blacklist } from "../../app/db/schema/ledger";
import {
  addressOf,
  changeSystem,
  createFile,
  expectSoundLedger,
  getTotals,
  listEvents,
  listWallets,
  load,
} from "../fixture-file";

const [A, B, C, D] = ["aa", "bb", "cc", "dd"].map(addressOf) as [string, string, string, string];

describe("history", () => {
  test("is written in the order of its dates, each balance from the one before", async () => {
    const date = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    const file = createFile({
      events: [
        { address: A, points: 300, date: date(3) },
        { address: A, points: 4_000 },
        { address: A, points: 1, date: date(1) },
        { address: B, points: 7, date: date(2) },
        { address: A, points: 20, date: date(2) },
        { address: A, points: 50_000 },
      ],
    });
    await load(file);
    const events = await listEvents(file.pointSystems[0].id);
    expect(events.map(({ address, points, balance }) => [address, points, balance])).toEqual([
      [A, 1, 1],
      [B, 7, 7],
      [A, 20, 21],
      [A, 300, 321],
      [A, 4_000, 4_321],
      [A, 50_000, 54_321],
    ]);
    expect(await listWallets(file.pointSystems[0].id)).toMatchObject([
      { address: A, points: 54_321, events: 5, createdAt: new Date(date(1)) },
      { address: B, points: 7, events: 1, createdAt: new Date(date(2)) },
    ]);
    await expectSoundLedger();
  });

  test("of a second file goes on from what the wallet has", async () => {
    const file = createFile({ events: [{ address: A, points: 10 }], wallets: [C] });
    const { id } = file.pointSystems[0];
    await load(file);
    const events = [
      { address: A, points: 5, date: "2020-01-01T00:00:00Z" },
      { address: C, points: 3 },
      { address: D, points: 1 },
    ];
    await load(changeSystem(file, { events }));
    expect((await listEvents(id)).map(({ balance }) => balance)).toEqual([10, 15, 3, 1]);
    expect(await getTotals(id)).toMatchObject({ wallets: 3, events: 4 });
    await expectSoundLedger();
  });

  test("that a file repeats among other events is not credited again, in whatever order", async () => {
    const old = [
      { address: A, points: 10, event: "login", date: "2026-01-01T00:00:00Z" },
      { address: A, points: 10, event: "login", date: "2026-01-01T00:00:00Z" },
      { address: A, points: 5 },
    ];
    const file = createFile({ events: old });
    await load(file);
    const events = [{ address: A, points: 1 }, ...old.reverse()];
    await load(changeSystem(file, { events }));
    expect(await listWallets(file.pointSystems[0].id)).toMatchObject([{ points: 26, events: 4 }]);
    await expectSoundLedger();
  });

  test("may hold ids of any UUID version, in any letter case", async () => {
    const id = "00000000-0000-0000-0000-0000000000AB";
    const { operators, pointSystems } = createFile({
      id: randomUUID().toUpperCase(),
      events: [
        { id, address: A, points: 1 },
        { address: A, points: 2 },
      ],
    });
    await load({ operators, pointSystems });
    const events = await listEvents(pointSystems[0].id.toLowerCase());
    expect(events[0]?.id).toBe(id.toLowerCase());
  });

  test("of ten thousand events over many wallets adds up", async () => {
    const file = createFile({
      events: Array.from({ length: 12_000 }, (_, i) => ({
        address: `0x${((i * 7_919) % 3_001).toString(16).padStart(40, "0")}`,
        points: 1 + (i % 97),
        date: new Date(1_700_000_000_000 + ((i * 31) % 12_000) * 1_000).toISOString(),
      })),
    });
    await load(file);
    expect(await getTotals(file.pointSystems[0].id)).toMatchObject({
      wallets: 3_001,
      events: 12_000,
    });
    await expectSoundLedger();
  });

  test("two loads of one file at once credit once", async () => {
    const file = createFile({ events: [{ address: A, points: 10 }] });
    await Promise.all([load(file), load(file), load(file)]);
    expect(await listWallets(file.pointSystems[0].id)).toMatchObject([{ points: 10, events: 1 }]);
    await expectSoundLedger();
  });
});

describe("the blacklist", () => {
  test("marks wallets, also those that come in a later file", async () => {
    const file = createFile({
      events: [
        { address: A, points: 10 },
        { address: B, points: 20 },
      ],
      blacklist: [{ address: A, reason: "sybil" }, { address: C }],
    });
    const { id } = file.pointSystems[0];
    await load(file);
    expect(await listWallets(id)).toMatchObject([
      { address: A, points: 10, isBlacklisted: true },
      { address: B, isBlacklisted: false },
    ]);
    expect(await getTotals(id)).toMatchObject({ wallets: 2, blacklistedWallets: 1 });

    const entries = [{ address: A, reason: "another" }, { address: B }];
    await load(changeSystem(file, { wallets: [C], blacklist: entries }));
    expect((await listWallets(id)).map(({ isBlacklisted }) => isBlacklisted)).toEqual([
      true,
      true,
      true,
    ]);
    expect(await getTotals(id)).toMatchObject({ wallets: 3, blacklistedWallets: 3 });
    const [entry] = await withDatabase((db) =>
      db
        .select()
        .from(blacklist)
        .where(and(eq(blacklist.pointSystemId, id), eq(blacklist.reason, "sybil"))),
    );
    expect(entry?.address).toBe(A);
    await expectSoundLedger();
  });
});
