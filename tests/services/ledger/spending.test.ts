import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { undoImport } from "../../../app/services/imports/steps";
import { appendToLedger, type NewEvent } from "../../../app/services/ledger/append";
import {
  findBalance,
  reverseSpend,
  reverseSpendByHand,
  spendPoints,
} from "../../../app/services/ledger/spending";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { codeOf, createOwner, failureOf, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { other } from "../../support/test-database";

const KEY = { id: randomUUID() };

function spendAs(
  pointSystemId: string,
  walletAddress: Address,
  points: number,
  idempotencyKey: string | null = null,
) {
  const call = { pointSystemId, walletAddress, points, reason: "Mug", idempotencyKey };
  return spendPoints(KEY, call);
}

/** Moves what a wallet has spent, and then the one event by which it earned, as the linking of wallets does. */
async function moveAll(pointSystemId: string, event: NewEvent, to: Address) {
  await writeLedger(pointSystemId, async (tx) => {
    const bytes = (address: Address) => sql`decode(${address.slice(2)}, 'hex')`;
    await tx.execute(sql`
      select move_spending(${pointSystemId}::uuid, ${bytes(event.address)}, ${bytes(to)})`);
    const { id, date, points } = event;
    const correction = { ...event, id: createEventId(), points: -points, voids: { id, date } };
    await appendToLedger(tx, pointSystemId, {
      events: [correction, { ...event, id: createEventId(), address: to }],
      registered: [],
      registeredAt: date,
    });
  });
}

type Step =
  | { readonly kind: "earn"; readonly wallet: number; readonly points: number }
  | {
      readonly kind: "spend";
      readonly wallet: number;
      readonly points: number;
      readonly key: number | null;
    }
  | { readonly kind: "reverse"; readonly pick: number }
  | { readonly kind: "void"; readonly pick: number }
  | { readonly kind: "import"; readonly points: readonly number[] }
  | { readonly kind: "undo"; readonly pick: number };

const wallet = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("earn"), wallet, points: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    kind: fc.constant("spend"),
    wallet,
    points: fc.integer({ min: 1, max: 50 }),
    key: fc.option(fc.nat({ max: 3 })),
  }),
  fc.record({ kind: fc.constant("reverse"), pick: fc.nat({ max: 9 }) }),
  fc.record({ kind: fc.constant("void"), pick: fc.nat({ max: 9 }) }),
  fc.record({
    kind: fc.constant("import"),
    points: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 3, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("undo"), pick: fc.nat({ max: 3 }) }),
) as fc.Arbitrary<Step>;

interface Earned {
  readonly id: string;
  readonly wallet: number;
  readonly points: number;
  readonly importId: string | null;
  isVoided: boolean;
}

interface Spent {
  readonly id: string;
  readonly wallet: number;
  readonly points: number;
  readonly balance: number;
  isReversed: boolean;
}

async function createWorld() {
  const member = await createOwner();
  const { pointSystemId } = member;
  const addresses = [createAddress(), createAddress(), createAddress()];
  const events: Earned[] = [];
  const spends: Spent[] = [];
  const byKey = new Map<number, Spent>();
  const imports: string[] = [];

  const addressOf = (place: number) => addresses[place] as Address;
  const sum = (all: readonly { readonly points: number }[]) =>
    all.reduce((total, { points }) => total + points, 0);
  const earnedBy = (place: number) =>
    sum(events.filter((event) => event.wallet === place && !event.isVoided));
  const spentBy = (place: number) =>
    sum(spends.filter((spend) => spend.wallet === place && !spend.isReversed));
  const balanceOf = (place: number) => earnedBy(place) - spentBy(place);

  async function spend({ wallet: place, points, key }: Extract<Step, { kind: "spend" }>) {
    const first = key === null ? undefined : byKey.get(key);
    const text = key === null ? null : `key-${key}`;
    const call = () => spendAs(pointSystemId, addressOf(place), points, text);
    if (first && (first.wallet !== place || first.points !== points)) {
      expect(await codeOf(call())).toBe("idempotency_key_reused");
    } else if (first) {
      const { id, balance } = first;
      expect(await call()).toEqual({ id, balance, isReplayed: true });
    } else if (points > balanceOf(place)) {
      expect(await codeOf(call())).toBe("insufficient_points");
    } else {
      const balance = balanceOf(place) - points;
      const answer = await call();
      expect(answer).toEqual({ id: expect.any(String), balance, isReplayed: false });
      const made = { id: answer.id, wallet: place, points, balance, isReversed: false };
      spends.push(made);
      if (key !== null) byKey.set(key, made);
    }
  }

  async function reverse(pick: number) {
    const picked = spends[pick % Math.max(1, spends.length)];
    if (!picked) return;
    if (picked.isReversed) {
      expect(await codeOf(reverseSpendByHand(member, picked.id, null))).toBe("spend_reversed");
      return;
    }
    picked.isReversed = true;
    expect(await reverseSpend(KEY, pointSystemId, picked.id)).toEqual({
      address: addressOf(picked.wallet),
      points: picked.points,
      balance: balanceOf(picked.wallet),
    });
  }

  async function takeBack(pick: number) {
    const open = events.filter(({ isVoided }) => !isVoided);
    const event = open[pick % Math.max(1, open.length)];
    if (!event) return;
    const missing = event.points - balanceOf(event.wallet);
    if (missing > 0) {
      expect(await failureOf(voidById(member, event.id))).toMatchObject({
        code: "points_are_spent",
        details: { name: `${missing} ${missing === 1 ? "point" : "points"}` },
      });
    } else {
      await voidById(member, event.id);
      event.isVoided = true;
    }
  }

  async function importAll(points: readonly number[]) {
    const rows = points.map((each, place) => [addressOf(place), each] as const);
    const importId = await commitFile(member, toCsv(rows));
    await runImports();
    imports.push(importId);
    const ids = await other<{ id: string; address: string }[]>`
      select id, '0x' || encode(address, 'hex') as address from point_events
      where point_system_id = ${pointSystemId} and import_id = ${importId}`;
    for (const { id, address } of ids) {
      const place = addresses.indexOf(address as Address);
      events.push({
        id,
        wallet: place,
        points: points[place] as number,
        importId,
        isVoided: false,
      });
    }
  }

  async function undo(pick: number) {
    const importId = imports[pick % Math.max(1, imports.length)];
    if (importId === undefined) return;
    const standing = events.filter((event) => event.importId === importId && !event.isVoided);
    const missing = standing
      .map(({ wallet: place, points }) => points - balanceOf(place))
      .filter((points) => points > 0);
    if (missing.length > 0) {
      expect(await failureOf(undoImport(member, importId))).toMatchObject({
        code: "points_are_spent",
        details: { name: expect.stringContaining(String(missing.reduce((a, b) => a + b))) },
      });
      return;
    }
    await undoImport(member, importId);
    await runImports();
    for (const event of standing) event.isVoided = true;
    imports.splice(imports.indexOf(importId), 1);
  }

  async function act(next: Step) {
    if (next.kind === "spend") await spend(next);
    else if (next.kind === "reverse") await reverse(next.pick);
    else if (next.kind === "void") await takeBack(next.pick);
    else if (next.kind === "import") await importAll(next.points);
    else if (next.kind === "undo") await undo(next.pick);
    else {
      const [id] = await record(pointSystemId, [
        { address: addressOf(next.wallet), points: next.points, event: null, date: new Date() },
      ]);
      events.push({ id: id as string, ...next, importId: null, isVoided: false });
    }
  }

  async function check() {
    for (const place of addresses.keys()) {
      const [earned, spent] = [earnedBy(place), spentBy(place)];
      const found = await findBalance(pointSystemId, addressOf(place));
      // An undone import takes its entries along.
      expect(found ?? { earned: 0, spent: 0, balance: 0 }).toEqual({
        ...{ earned, spent, balance: earned - spent },
      });
    }
    expect((await verifyLedger()).differences).toEqual([]);
  }

  return { act, check };
}

test("in any history a wallet has spent no more than it earned, and each answer is the model's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 30 }), async (steps) => {
      const world = await createWorld();
      for (const next of steps) await world.act(next);
      await world.check();
    }),
    { numRuns: atDepth(6, 60) },
  );
}, 300_000);

async function createRich(points = 100) {
  const owner = await createOwner();
  const address: Address = createAddress();
  await grant(owner, address, points);
  return { owner, address, pointSystemId: owner.pointSystemId };
}

test("of spends and voids at once, exactly those succeed that fit", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { owner, address, pointSystemId } = await createRich(60);
    const [id] = await record(pointSystemId, [
      { address, points: 40, event: null, date: new Date() },
    ]);
    const calls = Array.from({ length: 12 }, () => spendAs(pointSystemId, address, 10));
    const [voided, ...spent] = await Promise.allSettled([voidById(owner, id as string), ...calls]);
    const spends = spent.filter(({ status }) => status === "fulfilled").length;
    expect(spends).toBe(voided?.status === "fulfilled" ? 6 : 10);
    expect((await findBalance(pointSystemId, address))?.balance).toBe(0);
  }
  expect((await verifyLedger()).differences).toEqual([]);
});

test("the undoing of an import whose points are spent meanwhile is given up, and goes on after a reversal", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const address = createAddress();
  const importId = await commitFile(owner, toCsv([[address, 50]]));
  await runImports();
  await undoImport(owner, importId);
  const { id } = await spendAs(pointSystemId, address, 20);
  expect(await codeOf(runImports())).toBe("points_are_spent");
  expect(await findBalance(pointSystemId, address)).toEqual({ earned: 50, spent: 20, balance: 30 });
  await reverseSpendByHand(owner, id, "Not delivered");
  await runImports();
  expect(await findBalance(pointSystemId, address)).toBeNull();
  expect((await verifyLedger()).differences).toEqual([]);
});

test("the spending of a wallet moves with it, and a reversal follows it", async () => {
  const { owner, address: to, pointSystemId } = await createRich(10);
  const from = createAddress();
  const event = { address: from, points: 50, event: null, date: new Date() };
  const [id] = await record(pointSystemId, [event]);
  const first = await spendAs(pointSystemId, from, 30);
  await moveAll(pointSystemId, { id: id as string, ...event }, to);
  expect(await findBalance(pointSystemId, from)).toEqual({ earned: 0, spent: 0, balance: 0 });
  expect(await findBalance(pointSystemId, to)).toEqual({ earned: 60, spent: 30, balance: 30 });
  await grant(owner, from, 5);
  const second = await spendAs(pointSystemId, from, 5);
  expect(await reverseSpend(KEY, pointSystemId, first.id)).toEqual({
    ...{ address: to, points: 30, balance: 60 },
  });
  expect(await reverseSpend(KEY, pointSystemId, second.id)).toEqual({
    ...{ address: from, points: 5, balance: 5 },
  });
  expect((await verifyLedger()).differences).toEqual([]);
});

test("the ledger's check names a sum that is not what the spends add up to", async () => {
  const { address, pointSystemId } = await createRich();
  await spendAs(pointSystemId, address, 30);
  const setSpent = (spent: number) => other`
    update wallet_spending set spent = ${spent} where point_system_id = ${pointSystemId}`;
  await setSpent(29);
  expect((await verifyLedger()).differences).toEqual([
    { pointSystemId, address, field: "spent points", stored: "29", recomputed: "30" },
  ]);
  await setSpent(30);
});

test("spends are append-only", async () => {
  await expect(other`update spends set points = 1`).rejects.toThrow("append-only");
  await expect(other`delete from spends`).rejects.toThrow("append-only");
  await expect(other`truncate spends`).rejects.toThrow("append-only");
});
