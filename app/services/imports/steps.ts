import { and, count, eq, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import { inTransaction, type Transaction } from "../../db/client";
import { imports } from "../../db/schema/imports";
import { Failure } from "../../domain/failure";
import type { ImportLayout, ImportStatus } from "../../domain/imports/import";
import { recordAudit } from "../access/audit-log";
import type { Editor, Member } from "../access/members";
import { type Step, takeStep } from "../access/take-step";
import { refuseSpentImport } from "../ledger/spent-points";
import { findTotals } from "../point-systems/totals";
import { analyzeImport, type WalletSum } from "./analysis";
import { guessLayout } from "./file";
import { getDraftSource, isImport, layoutColumns } from "./imports";
import { queueImport } from "./runner";

/** The most drafts in a point system, as each one holds its whole file. */
export const DRAFTS_MAX = 20;

/**
 * Stores an uploaded file as a draft, with a guess of its layout.
 * @param file.csv the file's text, without a byte order mark
 * @throws {Failure} `import_empty`, `import_too_many_rows`, `import_too_many_drafts`
 */
export async function createImport(
  member: Editor,
  { fileName, csv }: { fileName: string; csv: string },
): Promise<{ id: string }> {
  const { actor, pointSystemId } = member;
  const layout = guessLayout(csv);
  const { rows, hasTooManyRows, accepted, points, problemRows, unreadableFrom } =
    await analyzeImport({ pointSystemId, csv, layout });
  if (hasTooManyRows) throw new Failure("import_too_many_rows");
  if (rows === 0 && unreadableFrom === null) throw new Failure("import_empty");
  return inTransaction(async (tx) => {
    const [drafts] = await tx
      .select({ count: count() })
      .from(imports)
      .where(and(eq(imports.pointSystemId, pointSystemId), eq(imports.status, "draft")));
    if ((drafts?.count ?? 0) >= DRAFTS_MAX) throw new Failure("import_too_many_drafts");
    const [created] = await tx
      .insert(imports)
      .values({ pointSystemId, operatorId: actor.operatorId, fileName, csv, ...layout })
      .returning({ id: imports.id });
    if (!created) throw new Error("The import was not stored");
    const after = { id: created.id, rows, wallets: accepted.length, points, problemRows };
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "import.upload",
      subject: fileName,
      after,
    });
    return created;
  });
}

/**
 * Sets the layout of a draft's file.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function updateImportLayout(
  member: Editor,
  importId: string,
  layout: ImportLayout,
): Promise<void> {
  await takeImportStep(member, importId, ["draft"], async (tx) => {
    await tx.update(imports).set(layout).where(isImport(member, importId));
  });
}

/** The figures that the operator saw when committing; exactly these must be credited. */
export interface ImportCommit {
  readonly wallets: number;
  readonly points: number;
  /** The preview's digest; without it, only the figures above are compared. */
  readonly digest?: string | null;
  /** The note of the events; null for a note that names the file. */
  readonly note: string | null;
}

/**
 * Commits a draft. Its credits are fixed now, and the worker applies them in batches.
 * @throws {Failure} `not_found`, `import_moved_on`, `import_too_many_rows`, `import_unreadable`, `import_nothing`,
 *   `import_changed` when the credits differ from those that the operator saw
 */
export async function commitImport(
  member: Editor,
  importId: string,
  expected: ImportCommit,
): Promise<{ fileName: string; wallets: number }> {
  const source = await getDraftSource(member, importId);
  const analysis = await analyzeImport(source);
  if (analysis.hasTooManyRows) throw new Failure("import_too_many_rows");
  if (analysis.unreadableFrom !== null) throw new Failure("import_unreadable");
  const { accepted, points, digest, problemRows } = analysis;
  if (accepted.length === 0) throw new Failure("import_nothing");
  const isAsSeen = accepted.length === expected.wallets && points === expected.points;
  if (!isAsSeen || digest !== (expected.digest ?? digest)) throw new Failure("import_changed");
  const { actor, pointSystemId } = member;
  const wallets = accepted.length;
  return takeImportStep(member, importId, ["draft"], async (tx, row, audit) => {
    const { fileName, id, layout } = row;
    if (!isSameLayout(layout, source.layout)) throw new Failure("import_changed");
    await insertRows(tx, pointSystemId, id, accepted);
    await tx
      .update(imports)
      .set({
        status: "committing",
        operatorId: actor.operatorId,
        note: expected.note,
        csv: "",
        wallets,
        points,
      })
      .where(isImport(member, id));
    await queueImport(tx, { pointSystemId, importId: id });
    await audit({
      action: "import.commit",
      subject: fileName,
      after: { id, wallets, points, rowsLeftOut: problemRows, note: expected.note },
    });
    return { fileName, wallets };
  });
}

/**
 * Starts to undo all credits of an import, also of one that is still being committed. The worker
 * undoes them in batches. Should a wallet spend the points meanwhile, the work is given up at its batch, and can be
 * taken up again.
 * @throws {Failure} `not_found`, `import_moved_on`, `import_archived`, `points_are_spent`
 */
export async function undoImport(member: Editor, importId: string): Promise<{ fileName: string }> {
  return takeImportStep(member, importId, ["committing", "committed"], async (tx, row, audit) => {
    const { fileName, id, status, walletsDone, walletsSkipped, points } = row;
    await refuseArchived(member, row);
    await refuseSpentImport(tx, member.pointSystemId, id);
    await tx
      .update(imports)
      .set({ status: "undoing", operatorId: member.actor.operatorId, failure: null })
      .where(isImport(member, id));
    await queueImport(tx, { pointSystemId: member.pointSystemId, importId: id });
    await audit({
      action: "import.undo",
      subject: fileName,
      before: { id, status, walletsCredited: walletsDone - walletsSkipped, points },
    });
    return { fileName };
  });
}

/**
 * Takes up an import again whose work was given up.
 * @throws {Failure} `not_found`, `import_moved_on` when its work goes on already, `import_archived` for an undo
 */
export async function retryImport(member: Editor, importId: string): Promise<{ fileName: string }> {
  const unfinished = ["committing", "undoing"] as const;
  return takeImportStep(member, importId, unfinished, async (tx, row, audit) => {
    const { fileName, id, status, failure } = row;
    if (failure === null) throw new Failure("import_moved_on");
    if (status === "undoing") await refuseArchived(member, row);
    await tx.update(imports).set({ failure: null }).where(isImport(member, id));
    await queueImport(tx, { pointSystemId: member.pointSystemId, importId: id });
    await audit({ action: "import.retry", subject: fileName, after: { id, status } });
    return { fileName };
  });
}

/**
 * Discards a draft.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function deleteImport(
  member: Editor,
  importId: string,
): Promise<{ fileName: string }> {
  return takeImportStep(member, importId, ["draft"], async (tx, { fileName, id }, audit) => {
    const [{ bytes } = { bytes: 0 }] = await tx
      .delete(imports)
      .where(isImport(member, id))
      .returning({ bytes: sql<number>`octet_length(${imports.csv})` });
    await audit({
      action: "import.delete",
      subject: fileName,
      before: { id, bytes },
    });
    return { fileName };
  });
}

/**
 * Runs a step of an import in a transaction that has locked it, so that the worker does not
 * continue with it meanwhile.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
function takeImportStep<Answer>(
  member: Editor,
  importId: string,
  allowed: readonly ImportStatus[],
  step: Step<LockedImport, Answer>,
): Promise<Answer> {
  const lock = (tx: Transaction) => lockImport(tx, member, importId);
  return takeStep(member, { lock, allowed, movedOn: "import_moved_on" }, step);
}

/** Refuses to undo an import of a time whose events are in an archive. */
async function refuseArchived({ pointSystemId }: Member, { createdAt }: LockedImport) {
  const { archivedBefore } = await findTotals(pointSystemId);
  if (archivedBefore && createdAt < archivedBefore) throw new Failure("import_archived");
}

type LockedImport = NonNullable<Awaited<ReturnType<typeof lockImport>>>;

async function lockImport(tx: Transaction, member: Member, importId: string) {
  const [row] = await tx
    .select({
      id: imports.id,
      createdAt: imports.createdAt,
      fileName: imports.fileName,
      status: imports.status,
      failure: imports.failure,
      walletsDone: imports.walletsDone,
      walletsSkipped: imports.walletsSkipped,
      points: imports.points,
      layout: layoutColumns,
    })
    .from(imports)
    .where(isImport(member, importId))
    .for("update");
  return row;
}

function isSameLayout(a: ImportLayout, b: ImportLayout): boolean {
  return (
    a.delimiter === b.delimiter &&
    a.hasHeader === b.hasHeader &&
    a.addressColumn === b.addressColumn &&
    a.pointsColumn === b.pointsColumn
  );
}

async function insertRows(
  tx: Transaction,
  pointSystemId: string,
  importId: string,
  sums: readonly WalletSum[],
): Promise<void> {
  let position = 0;
  for await (const batch of toBatches(sums)) {
    await tx.execute(sql`
      insert into import_rows (point_system_id, import_id, position, address, points)
      select ${pointSystemId}::uuid, ${importId}::uuid, ${position}::int + r.n - 1, r.address, r.points
      from unnest(
        ${toArrayLiteral(batch.map(({ address }) => toBytea(address)))}::bytea[],
        ${toArrayLiteral(batch.map(({ points }) => String(points)))}::bigint[]
      ) with ordinality as r(address, points, n)`);
    position += batch.length;
  }
}
