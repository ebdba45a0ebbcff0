import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { CREDIT_POINTS_MAX, TOTAL_POINTS_MAX } from "../../../app/domain/ledger/points";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { getImport } from "../../../app/services/imports/imports";
import { previewImport } from "../../../app/services/imports/preview";
import { runImportBatch } from "../../../app/services/imports/runner";
import {
  commitImport,
  createImport,
  undoImport,
  updateImportLayout,
} from "../../../app/services/imports/steps";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { registerWallet } from "../../../app/services/ledger/registrations";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { voidById } from "../../support/events";
import { expectSoundLedger, listEvents } from "../../support/fixture-file";
import {
  commitFile,
  fillWallet,
  listTotals,
  runImports,
  statusOf,
  toCsv,
} from "../../support/imports";
import { createOwner, failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";

const addresses = (count: number) => Array.from({ length: count }, createAddress);

/** Creates a file with a different amount for each of many wallets, which takes several batches. */
function createLargeFile(wallets = 2_500) {
  const rows = addresses(wallets).map((address, i) => [address, i + 1] as const);
  return { csv: toCsv(rows), totals: toTotals(rows) };
}

function toTotals(rows: readonly (readonly [string, number])[]) {
  return Object.fromEntries(rows.map(([address, points]) => [address, { points, events: 1 }]));
}

test("a committed import credits every wallet once, in events that name it and its operator", async () => {
  const owner = await createOwner();
  const [a, b] = [createAddress(), createAddress()];
  const id = await commitFile(
    owner,
    toCsv([
      [a, 5],
      [b, 7],
      [a, 10],
    ]),
  );
  expect(await statusOf(owner, id)).toBe("committing");
  await runImports();
  expect(await getImport(owner, id)).toMatchObject({
    status: "committed",
    wallets: 2,
    walletsDone: 2,
    walletsSkipped: 0,
    points: 22,
    operator: owner.actor.email,
  });
  const events = await listEvents(owner.pointSystemId);
  const { operatorId } = owner.actor;
  const common = { event: null, operatorId, note: "Import season.csv", importId: id };
  expect(events).toMatchObject([
    { address: a, points: 15, ...common },
    { address: b, points: 7, ...common },
  ]);
  await expectSoundLedger();
});

test("an import that is stopped after any batch goes on without a gap or a repeat", async () => {
  const owner = await createOwner();
  const { csv, totals } = createLargeFile();
  const id = await commitFile(owner, csv);
  const seen: number[] = [];
  do {
    const { walletsDone } = await getImport(owner, id);
    // Between any two batches, the ledger holds exactly the credits that are counted as done.
    expect(Object.keys(await listTotals(owner))).toHaveLength(walletsDone);
    seen.push(walletsDone);
    await expectSoundLedger();
  } while (await runImportBatch());
  expect(seen).toEqual([0, 1_000, 2_000, 2_500]);
  expect(await statusOf(owner, id)).toBe("committed");
  expect(await listTotals(owner)).toEqual(totals);
});

test("a batch that fails midway leaves nothing behind, and is done again whole", async () => {
  const owner = await createOwner();
  const { csv, totals } = createLargeFile(1_500);
  const id = await commitFile(owner, csv);
  await runImportBatch();
  const break_ = sql.raw(
    `alter table imports add constraint broken check (wallets_done <= 1000) not valid`,
  );
  await withDatabase((db) => db.execute(break_));
  await expect(runImportBatch()).rejects.toThrow();
  expect(Object.keys(await listTotals(owner))).toHaveLength(1_000);
  await withDatabase((db) => db.execute(sql.raw("alter table imports drop constraint broken")));
  await runImports();
  expect(await statusOf(owner, id)).toBe("committed");
  expect(await listTotals(owner)).toEqual(totals);
  await expectSoundLedger();
});

test("of several processes at once each batch is done by one: every wallet is credited once", async () => {
  const owner = await createOwner();
  const other = await createOwner();
  const first = createLargeFile();
  const second = createLargeFile(1_200);
  await commitFile(owner, first.csv);
  await commitFile(other, second.csv);
  await Promise.all([runImports(), runImports(), runImports()]);
  await runImports();
  expect(await listTotals(owner)).toEqual(first.totals);
  expect(await listTotals(other)).toEqual(second.totals);
  await expectSoundLedger();
});

test("credits and grants go on while an import is committed", async () => {
  const owner = await createOwner();
  const { csv } = createLargeFile(2_000);
  const [wallet] = Object.keys(createLargeFile(1).totals) as [`0x${string}`];
  await commitFile(owner, csv);
  const grants = Array.from({ length: 20 }, () =>
    grantPoints(owner, { address: wallet, points: 3, note: null }),
  );
  await Promise.all([runImports(), ...grants]);
  expect((await listTotals(owner))[wallet]).toEqual({ points: 60, events: 20 });
  await expectSoundLedger();
});

test("undoing restores every total, in pieces and by several processes", async () => {
  const owner = await createOwner();
  const [old, fresh] = [createAddress(), createAddress()];
  await grantPoints(owner, { address: old, points: 40, note: null });
  const { csv } = createLargeFile();
  const id = await commitFile(owner, `${csv}${old},7\n${fresh},9\n`);
  await runImports();
  await undoImport(owner, id);
  expect(await statusOf(owner, id)).toBe("undoing");
  await runImportBatch();
  await expectSoundLedger();
  await Promise.all([runImports(), runImports()]);
  await runImports();
  expect(await getImport(owner, id)).toMatchObject({ status: "undone", walletsDone: 0 });
  expect(await listTotals(owner)).toEqual({ [old]: { points: 40, events: 1 } });
  await expectSoundLedger();
});

test("an import can be undone while it is committed: what was credited until then goes", async () => {
  const owner = await createOwner();
  const { csv } = createLargeFile();
  const id = await commitFile(owner, csv);
  await runImportBatch();
  await undoImport(owner, id);
  await runImports();
  expect(await statusOf(owner, id)).toBe("undone");
  expect(await listTotals(owner)).toEqual({});
  await expectSoundLedger();
});

test("undoing leaves what was voided by hand as it is", async () => {
  const owner = await createOwner();
  const [a, b] = [createAddress(), createAddress()];
  const id = await commitFile(
    owner,
    toCsv([
      [a, 5],
      [b, 7],
    ]),
  );
  await runImports();
  const [event] = await listEvents(owner.pointSystemId);
  await voidById(owner, event?.id ?? "", "by hand");
  await undoImport(owner, id);
  await runImports();
  const corrections = (await listEvents(owner.pointSystemId)).filter(({ voids }) => voids !== null);
  expect(corrections.map(({ note }) => note)).toEqual(["by hand", "Undo of import season.csv"]);
  expect(await listTotals(owner)).toEqual({});
  await expectSoundLedger();
});

test("an undone import takes its wallets off the board, and leaves those that came otherwise", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const [registered, granted] = [createAddress(), createAddress()];
  const [banned, fresh] = [createAddress(), createAddress()];
  await registerWallet(pointSystemId, registered);
  await grantPoints(owner, { address: granted, points: 40, note: null });
  const csv = toCsv([registered, granted, banned, fresh].map((address) => [address, 5] as const));
  const board = async () =>
    (await listLeaderboard(pointSystemId, { page: 1, limit: 50 })).leaderboard.map(
      ({ rank, address, points }) => [rank, address, points],
    );
  const before = await board();
  for (const isFolded of [false, true]) {
    const id = await commitFile(owner, csv);
    await runImports();
    await addToBlacklist(owner, [{ address: banned, reason: null }]);
    if (isFolded) await foldRanks(pointSystemId);
    await undoImport(owner, id);
    await runImports();
    expect(await board()).toEqual(before);
    await removeFromBlacklist(owner, [banned]);
    expect(await board()).toEqual(before);
    await expectSoundLedger();
  }
});

test("a wallet that is blacklisted or full by then is passed over and counted", async () => {
  const owner = await createOwner();
  const [banned, full, fine] = [createAddress(), createAddress(), createAddress()];
  const id = await commitFile(
    owner,
    toCsv([
      [banned, 1],
      [full, 2],
      [fine, 4],
    ]),
  );
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  const empty = await fillWallet(owner, full);
  await runImports();
  expect(await getImport(owner, id)).toMatchObject({
    status: "committed",
    wallets: 3,
    walletsDone: 3,
    walletsSkipped: 2,
    points: 4,
  });
  expect((await listTotals(owner))[fine]).toEqual({ points: 4, events: 1 });
  expect((await listTotals(owner))[full]?.points).toBe(TOTAL_POINTS_MAX);
  await empty();
  await expectSoundLedger();
});

test("an import of a point system that is deleted goes with it, and credits nothing more", async () => {
  const owner = await createOwner("Gone");
  const id = await commitFile(owner, createLargeFile(1_500).csv);
  await runImportBatch();
  await deletePointSystem(owner, "Gone");
  expect(await runImportBatch()).toBe(false);
  expect(Object.keys(await listTotals(owner))).toHaveLength(1_000);
  while (await purgeDeletedPointSystem());
  expect((await failureOf(getImport(owner, id))).code).toBe("not_found");
  await expectSoundLedger();
});

const wallet = fc.constantFrom(...[0, 1, 2, 3, 4, 5].map((n) => `0x${n.toString(16).repeat(40)}`));
const goodRow = fc.tuple(wallet, fc.integer({ min: 1, max: 300_000_000 }));
const junk = fc.oneof(
  fc.string({ maxLength: 20 }).map((text) => text.replace(/["\0\r\n\ud800-\udfff]/g, "")),
  fc
    .tuple(wallet, fc.constantFrom("0", "-1", "1.0", "1e3", "1 000", "", "2000000000"))
    .map(([address, points]) => `${address},${points}`),
  fc.constantFrom("", ",", ",,", "0x12,5", "x,1"),
);
const line = fc.oneof({ weight: 3, arbitrary: goodRow }, { weight: 1, arbitrary: junk });

test("whatever a file holds, the ledger gains exactly its good rows, and loses them by undoing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      fc.constantFrom("\n", "\r\n"),
      async (lines, lineEnd) => {
        const owner = await createOwner();
        // One row is always valid: a file without any is refused as a whole.
        const rows: (typeof lines)[number][] = [[createAddress(), 1], ...lines];
        const csv = rows
          .map((row) => (typeof row === "string" ? row : row.join(",")))
          .join(lineEnd);
        const sums = new Map<string, number>();
        for (const row of rows) {
          if (typeof row !== "string") sums.set(row[0], (sums.get(row[0]) ?? 0) + row[1]);
        }
        for (const [address, sum] of sums) if (sum > CREDIT_POINTS_MAX) sums.delete(address);
        const { id } = await createImport(owner, { fileName: "a.csv", csv });
        const layout = {
          delimiter: "comma",
          hasHeader: false,
          addressColumn: 0,
          pointsColumn: 1,
        } as const;
        await updateImportLayout(owner, id, layout);
        const { wallets, points } = await previewImport(owner, id);
        await commitImport(owner, id, { wallets, points, note: null });
        await runImports();
        const expected = [...sums].map(([address, sum]) => [address, { points: sum, events: 1 }]);
        expect(await listTotals(owner)).toEqual(Object.fromEntries(expected));
        await undoImport(owner, id);
        await runImports();
        expect(await listTotals(owner)).toEqual({});
        await expectSoundLedger();
      },
    ),
    { numRuns: 15 },
  );
}, 120_000);
