import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { CREDIT_POINTS_MAX } from "../../../app/domain/ledger/points";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import { getMember } from "../../../app/services/access/members";
import { getImport, listImports } from "../../../app/services/imports/imports";
import { exportProblemRows, previewImport } from "../../../app/services/imports/preview";
import { removeOldDrafts } from "../../../app/services/imports/runner";
import {
  commitImport,
  createImport,
  DRAFTS_MAX,
  deleteImport,
  undoImport,
  updateImportLayout,
} from "../../../app/services/imports/steps";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { listEvents } from "../../support/fixture-file";
import {
  commitFile,
  fillWallet,
  listTotals,
  runImports,
  statusOf,
  toCsv,
} from "../../support/imports";
import { createOwner, failureOf, tally } from "../../support/operators";
import { createAddress } from "../../support/scene";

const NO_FILTER = { action: null, actor: null, beforeId: null };
const addresses = (count: number) => Array.from({ length: count }, createAddress);

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

test("a dry run tells which rows have an address that may be mistyped", async () => {
  const owner = await createOwner();
  const right = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
  const addresses = [
    right,
    right.toLowerCase(),
    right.replace("dA6", "Da6"),
    `0x${"0".repeat(40)}`,
  ];
  const csv = addresses.map((address) => `${address},1`).join("\n");
  const { id } = await createImport(owner, { fileName: "a.csv", csv });
  expect(await previewImport(owner, id)).toMatchObject({
    problemRows: 0,
    points: 4,
    doubtfulRows: 2,
    firstDoubtfulLine: 3,
  });
});

test("the problem rows of a draft are read to the end, however long their reader pauses", async () => {
  const owner = await createOwner();
  const rows = addresses(1_000).map((address) => [address, "much"] as const);
  const { id } = await createImport(owner, { fileName: "a.csv", csv: toCsv(rows) });
  const problems = await exportProblemRows(owner, id);
  const now = performance.now.bind(performance);
  let pausedMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + pausedMs);
  const lines: number[] = [];
  try {
    for await (const { line } of problems) {
      lines.push(line);
      pausedMs += 1_000;
    }
  } finally {
    clock.mockRestore();
  }
  expect(lines).toEqual(rows.map((_, i) => i + 1));
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

test("a commit of figures that a colleague's columns give to other wallets is refused", async () => {
  const owner = await createOwner();
  const [holder, delegate] = [createAddress(), createAddress()];
  const csv = `owner,delegate,points\n${holder},${delegate},5\n`;
  const { id } = await createImport(owner, { fileName: "a.csv", csv });
  const { wallets, points, digest } = await previewImport(owner, id);
  const { layout } = await getImport(owner, id);
  await updateImportLayout(owner, id, { ...layout, addressColumn: 1 });
  const commit = () => commitImport(owner, id, { wallets, points, digest, note: null });
  expect((await failureOf(commit())).code).toBe("import_changed");
  await updateImportLayout(owner, id, layout);
  await commit();
  await runImports();
  expect(Object.keys(await listTotals(owner))).toEqual([holder]);
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
  expect(await listTotals(owner)).toEqual({});
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
  const { rows } = await listImports(owner, null);
  expect(rows.map(({ id }) => id)).toEqual([fresh.id, committed]);
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
  expect(await listImports(eve, null)).toEqual({ rows: [], newer: null, older: null });
  expect(await statusOf(owner, id)).toBe("draft");
});
