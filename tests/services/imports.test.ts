import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { CREDIT_POINTS_MAX, TOTAL_POINTS_MAX } from "../../app/domain/points";
import { listPointSystemAudit } from "../../app/services/audit-log";
import { addToBlacklist } from "../../app/services/blacklist";
import { grantPoints } from "../../app/services/grants";
import { previewImport } from "../../app/services/import-preview";
import { removeOldDrafts, runImportBatch } from "../../app/services/import-runner";
import {
  commitImport,
  createImport,
  DRAFTS_MAX,
  deleteImport,
  getImport,
  listImports,
  undoImport,
  updateImportLayout,
} from "../../app/services/imports";
import { getMember, type Member } from "../../app/services/members";
import { voidEvent } from "../../app/services/voids";
import { expectSoundLedger, listEvents } from "../fixture-file";
import { commitFile, listTotals, runImports, statusOf, toCsv } from "../imports";
import { createOwner, failureOf, tally } from "../operators";
import { createAddress } from "../scene";

const NO_FILTER = { action: null, actor: null, beforeId: null };
const addresses = (count: number) => Array.from({ length: count }, createAddress);

/** A file in which each of many wallets gets something of its own: several batches. */
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
    // What is counted as done is what the ledger holds, between any two batches.
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
  const { csv, totals } = createLargeFile();
  const id = await commitFile(owner, `${csv}${old},7\n${fresh},9\n`);
  await runImports();
  await undoImport(owner, id);
  expect(await statusOf(owner, id)).toBe("undoing");
  await runImportBatch();
  await expectSoundLedger();
  await Promise.all([runImports(), runImports()]);
  await runImports();
  expect(await getImport(owner, id)).toMatchObject({ status: "undone", walletsDone: 0 });
  const left = await listTotals(owner);
  expect(left[old]).toEqual({ points: 40, events: 1 });
  for (const address of [fresh, ...Object.keys(totals)]) {
    expect(left[address]).toEqual({ points: 0, events: 0 });
  }
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
  const totals = Object.values(await listTotals(owner));
  expect(totals).toHaveLength(1_000);
  expect(totals.every(({ points, events }) => points === 0 && events === 0)).toBe(true);
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
  await voidEvent(owner, event?.id ?? "", "by hand");
  await undoImport(owner, id);
  await runImports();
  const corrections = (await listEvents(owner.pointSystemId)).filter(({ voids }) => voids !== null);
  expect(corrections.map(({ note }) => note)).toEqual(["by hand", "Undo of import season.csv"]);
  expect(Object.values(await listTotals(owner)).map(({ points }) => points)).toEqual([0, 0]);
  await expectSoundLedger();
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

/**
 * Puts a wallet at the most that it can hold, past the ledger: no history is that long.
 * @returns puts it back to what its events say
 */
async function fillWallet(owner: Member<"owner">, address: `0x${string}`) {
  const { pointSystemId } = owner;
  await grantPoints(owner, { address, points: 1, note: null });
  const setPoints = (points: number) =>
    withDatabase((db) =>
      db.execute(sql`
        update wallets set points = ${points}::bigint
        where point_system_id = ${pointSystemId}
          and address = decode(${address.slice(2)}, 'hex')`),
    );
  await setPoints(TOTAL_POINTS_MAX);
  return () => setPoints(1);
}

test("the dry run counts, sums and explains without writing to the ledger", async () => {
  const owner = await createOwner();
  const [known, fresh, banned, full, greedy] = addresses(5) as [
    `0x${string}`,
    `0x${string}`,
    `0x${string}`,
    `0x${string}`,
    `0x${string}`,
  ];
  await grantPoints(owner, { address: known, points: 1, note: null });
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  const empty = await fillWallet(owner, full);
  const csv = [
    "wallet;points",
    `${known.toUpperCase().replace("0X", "0x")};10`,
    `${fresh};20`,
    "",
    `"${known}";" 5 "`,
    `0x12;5`,
    `${fresh};1,000`,
    `${fresh};10.0`,
    `${fresh};1e3`,
    `${fresh};-4`,
    `${fresh};0`,
    `${fresh};${CREDIT_POINTS_MAX + 1}`,
    `${fresh};`,
    fresh,
    `${banned};1`,
    `${full};1`,
    `${greedy};${CREDIT_POINTS_MAX}`,
    `${greedy};1`,
  ].join("\r\n");
  const before = await listEvents(owner.pointSystemId);
  const { id } = await createImport(owner, { fileName: "a.csv", csv });
  const { layout } = await getImport(owner, id);
  expect(layout).toEqual({
    delimiter: "semicolon",
    hasHeader: true,
    addressColumn: 0,
    pointsColumn: 1,
  });
  const preview = await previewImport(owner, id);
  expect(preview).toMatchObject({
    rows: 16,
    problemRows: 13,
    wallets: 2,
    newWallets: 1,
    points: 35,
    duplicates: 1,
    repeated: [{ address: known, points: 15, rows: 2 }],
    largest: [
      { address: fresh, points: 20 },
      { address: known, points: 15 },
    ],
  });
  expect(preview.problems.map(({ line, problem }) => [line, problem])).toEqual([
    [6, "address_malformed"],
    [7, "points_malformed"],
    [8, "points_malformed"],
    [9, "points_malformed"],
    [10, "points_negative"],
    [11, "points_zero"],
    [12, "points_too_large"],
    [13, "points_missing"],
    [14, "column_missing"],
    [15, "wallet_blacklisted"],
    [16, "wallet_full"],
    [17, "sum_too_large"],
    [18, "sum_too_large"],
  ]);
  expect(await listEvents(owner.pointSystemId)).toEqual(before);
  await empty();
});

test("a file is read as its first rows suggest, and anew as the operator says", async () => {
  const owner = await createOwner();
  const [a, b] = [createAddress(), createAddress()];
  const cases = [
    [`${a},1\n${b},2\n`, "comma", false, 0, 1],
    [`amount\tholder\n3\t${a}\n`, "tab", true, 1, 0],
    [`id;note;wallet;rank;points\n1;"x;y";${a};1;30\n2;;${b};2;20`, "semicolon", true, 2, 4],
    [`${a},12\r${b},13\r`, "comma", false, 0, 1],
  ] as const;
  for (const [csv, delimiter, hasHeader, addressColumn, pointsColumn] of cases) {
    const { id } = await createImport(owner, { fileName: "a.csv", csv });
    const { layout } = await getImport(owner, id);
    expect(layout, csv).toEqual({ delimiter, hasHeader, addressColumn, pointsColumn });
    expect((await previewImport(owner, id)).problemRows, csv).toBe(0);
  }
  const { id } = await createImport(owner, { fileName: "a.csv", csv: `${a},1,2\n` });
  const layout = {
    delimiter: "comma",
    hasHeader: false,
    addressColumn: 0,
    pointsColumn: 2,
  } as const;
  await updateImportLayout(owner, id, layout);
  expect(await previewImport(owner, id)).toMatchObject({ points: 2 });
});

test("a file with a quote that is not closed is shown to where it can be read, and not committed", async () => {
  const owner = await createOwner();
  const csv = `${createAddress()},1\n"${createAddress()},2\n${createAddress()},3\n`;
  const { id } = await createImport(owner, { fileName: "a.csv", csv });
  expect(await previewImport(owner, id)).toMatchObject({ rows: 1, unreadableFrom: 2 });
  const commit = commitImport(owner, id, { wallets: 1, points: 1, note: null });
  expect((await failureOf(commit)).code).toBe("import_unreadable");
});

test("what is committed is what the operator saw, or nothing", async () => {
  const owner = await createOwner();
  const [a, b] = [createAddress(), createAddress()];
  const { id } = await createImport(owner, {
    fileName: "a.csv",
    csv: toCsv([
      [a, 1],
      [b, 2],
    ]),
  });
  await addToBlacklist(owner, [{ address: b, reason: null }]);
  const seen = { wallets: 2, points: 3, note: null };
  expect((await failureOf(commitImport(owner, id, seen))).code).toBe("import_changed");
  expect(await statusOf(owner, id)).toBe("draft");
});

test("of any number of commits at once one is taken, and of undos", async () => {
  const owner = await createOwner();
  const a = createAddress();
  const { id } = await createImport(owner, { fileName: "a.csv", csv: toCsv([[a, 5]]) });
  const times = <T>(step: () => Promise<T>) => tally(Array.from({ length: 8 }, step));
  const commit = () => commitImport(owner, id, { wallets: 1, points: 5, note: "Season" });
  expect(await times(commit)).toEqual({ succeeded: 1, import_moved_on: 7 });
  await runImports();
  expect(await times(() => undoImport(owner, id))).toEqual({ succeeded: 1, import_moved_on: 7 });
  await runImports();
  expect(await listTotals(owner)).toEqual({ [a]: { points: 0, events: 0 } });
});

test("empty files, files without a good row and too many drafts are refused", async () => {
  const owner = await createOwner();
  for (const csv of ["", "\n \n", "wallet,points\n"]) {
    expect((await failureOf(createImport(owner, { fileName: "a", csv }))).code, csv).toBe(
      "import_empty",
    );
  }
  const { id } = await createImport(owner, { fileName: "a", csv: "0x1,2\n" });
  const commit = commitImport(owner, id, { wallets: 0, points: 0, note: null });
  expect((await failureOf(commit)).code).toBe("import_nothing");
  for (let drafts = 1; drafts < DRAFTS_MAX; drafts += 1) {
    await createImport(owner, { fileName: "a", csv: "0x1,2\n" });
  }
  const more = createImport(owner, { fileName: "a", csv: "0x1,2\n" });
  expect((await failureOf(more)).code).toBe("import_too_many_drafts");
});

test("drafts can be discarded, and go by themselves after a week; nothing else does", async () => {
  const owner = await createOwner();
  const upload = () => createImport(owner, { fileName: "a", csv: toCsv([[createAddress(), 1]]) });
  const committed = await commitFile(owner, toCsv([[createAddress(), 1]]));
  await runImports();
  expect((await failureOf(deleteImport(owner, committed))).code).toBe("import_moved_on");
  const [discarded, old, fresh] = [await upload(), await upload(), await upload()];
  await deleteImport(owner, discarded.id);
  await withDatabase((db) =>
    db.execute(sql`
      update imports set created_at = now() - interval '8 days'
      where id in (${old.id}, ${committed})`),
  );
  expect(await removeOldDrafts()).toBe(false);
  const { imports } = await listImports(owner, null);
  expect(imports.map(({ id }) => id)).toEqual([fresh.id, committed]);
});

test("every step is in the audit log, with counts", async () => {
  const owner = await createOwner();
  const id = await commitFile(
    owner,
    toCsv([
      [createAddress(), 5],
      ["0x1", 2],
    ]),
    "Season one",
  );
  await runImports();
  await undoImport(owner, id);
  await runImports();
  const draft = await createImport(owner, { fileName: "b.csv", csv: "0x1,2" });
  await deleteImport(owner, draft.id);
  const { entries } = await listPointSystemAudit(owner, NO_FILTER);
  expect(entries.map(({ action, before, after }) => [action, before ?? after])).toEqual([
    ["import.delete", { id: draft.id, bytes: 5 }],
    ["import.upload", { id: draft.id, rows: 1, wallets: 0, points: 0, problemRows: 1 }],
    ["import.undo", { id, status: "committed", walletsCredited: 1, points: 5 }],
    ["import.commit", { id, wallets: 1, points: 5, rowsLeftOut: 1, note: "Season one" }],
    ["import.upload", { id, rows: 2, wallets: 1, points: 5, problemRows: 1 }],
  ]);
});

test("an import of another point system is not found, by whatever step", async () => {
  const owner = await createOwner();
  const other = await createOwner();
  const eve = await getMember(other.actor, other.pointSystemId, "editor");
  const { id } = await createImport(owner, { fileName: "a", csv: toCsv([[createAddress(), 1]]) });
  const layout = { delimiter: "tab", hasHeader: true, addressColumn: 3, pointsColumn: 4 } as const;
  for (const importId of [id, "nonsense", "\u0000", other.pointSystemId]) {
    const steps = {
      get: () => getImport(eve, importId),
      preview: () => previewImport(eve, importId),
      layout: () => updateImportLayout(eve, importId, layout),
      commit: () => commitImport(eve, importId, { wallets: 1, points: 1, note: null }),
      undo: () => undoImport(eve, importId),
      delete: () => deleteImport(eve, importId),
    };
    for (const [name, step] of Object.entries(steps)) {
      expect((await failureOf(step())).code, name).toBe("not_found");
    }
  }
  expect(await listImports(eve, null)).toEqual({ imports: [], hasMore: false });
  expect(await statusOf(owner, id)).toBe("draft");
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
        // One row that is good in any case: a file without any is refused as a whole.
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
        const left = Object.values(await listTotals(owner));
        expect(left.every((total) => total.points === 0 && total.events === 0)).toBe(true);
        await expectSoundLedger();
      },
    ),
    { numRuns: 15 },
  );
}, 120_000);
