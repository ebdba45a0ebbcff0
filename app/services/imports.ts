import { and, count, desc, eq, lt, or, sql } from "drizzle-orm";
import { toArrayLiteral } from "../db/array-literal";
import { toBatches, toBytea } from "../db/bulk";
import { type Executor, type Transaction, withDatabase } from "../db/client";
import { imports } from "../db/schema/imports";
import { operators } from "../db/schema/operators";
import { Failure } from "../domain/failure";
import type { ImportLayout, ImportStatus } from "../domain/import";
import { parseUuid } from "../domain/uuid";
import { recordAudit } from "./audit-log";
import { analyzeImport, type ImportSource, type WalletSum } from "./import-analysis";
import { guessLayout } from "./import-file";
import type { Member } from "./members";

type Editor = Member<"owner" | "editor">;

/** An import as its list and its page show it. */
export interface ImportSummary {
  readonly id: string;
  readonly fileName: string;
  readonly status: ImportStatus;
  readonly layout: ImportLayout;
  readonly note: string | null;
  /** How many wallets it credits; 0 for a draft. */
  readonly wallets: number;
  /** How many of them were dealt with: credited or passed over, and not undone since. */
  readonly walletsDone: number;
  readonly walletsSkipped: number;
  readonly points: number;
  readonly createdAt: Date;
  readonly committedAt: Date | null;
  readonly undoneAt: Date | null;
  /** Who took the last step with it, by e-mail address. */
  readonly operator: string | null;
}

/** A draft holds its whole file: so many of them may wait in a point system. */
export const DRAFTS_MAX = 20;
export const IMPORTS_PAGE_SIZE = 50;

const layoutColumns = {
  delimiter: imports.delimiter,
  hasHeader: imports.hasHeader,
  addressColumn: imports.addressColumn,
  pointsColumn: imports.pointsColumn,
};

const summaryColumns = {
  id: imports.id,
  fileName: imports.fileName,
  status: imports.status,
  layout: layoutColumns,
  note: imports.note,
  wallets: imports.wallets,
  walletsDone: imports.walletsDone,
  walletsSkipped: imports.walletsSkipped,
  points: imports.points,
  createdAt: imports.createdAt,
  committedAt: imports.committedAt,
  undoneAt: imports.undoneAt,
  operator: operators.email,
};

/** Where an import stands among the others, for the page after it. */
export interface ImportCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** A point system's imports, newest first, and whether there are older ones. */
export async function listImports(
  { pointSystemId }: Member,
  before: ImportCursor | null,
): Promise<{ imports: ImportSummary[]; hasMore: boolean }> {
  const rows = await withDatabase((db) =>
    db
      .select(summaryColumns)
      .from(imports)
      .leftJoin(operators, eq(operators.id, imports.operatorId))
      .where(
        and(
          eq(imports.pointSystemId, pointSystemId),
          before === null
            ? undefined
            : or(
                lt(imports.createdAt, before.createdAt),
                and(eq(imports.createdAt, before.createdAt), lt(imports.id, before.id)),
              ),
        ),
      )
      .orderBy(desc(imports.createdAt), desc(imports.id))
      .limit(IMPORTS_PAGE_SIZE + 1),
  );
  return { imports: rows.slice(0, IMPORTS_PAGE_SIZE), hasMore: rows.length > IMPORTS_PAGE_SIZE };
}

/**
 * @param importId as the browser sent it
 * @throws {Failure} `not_found`
 */
export async function getImport(member: Member, importId: string): Promise<ImportSummary> {
  const [found] = await withDatabase((db) =>
    db
      .select(summaryColumns)
      .from(imports)
      .leftJoin(operators, eq(operators.id, imports.operatorId))
      .where(isImport(member, importId)),
  );
  if (!found) throw new Failure("not_found");
  return found;
}

/**
 * The file of a draft, and how it is read.
 * @throws {Failure} `not_found`, `import_moved_on` when it is no draft any more
 */
export async function getDraftSource(member: Member, importId: string): Promise<ImportSource> {
  const [found] = await withDatabase((db) =>
    db
      .select({ csv: imports.csv, status: imports.status, layout: layoutColumns })
      .from(imports)
      .where(isImport(member, importId)),
  );
  if (!found) throw new Failure("not_found");
  if (found.status !== "draft") throw new Failure("import_moved_on");
  return { pointSystemId: member.pointSystemId, csv: found.csv, layout: found.layout };
}

/**
 * Keeps an uploaded file as a draft, with a guess of how it is to be read.
 * @param file.csv its text, without a byte order mark
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
  return withDatabase((db) =>
    db.transaction(async (tx) => {
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
    }),
  );
}

/**
 * Says how a draft's file is to be read.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function updateImportLayout(
  member: Editor,
  importId: string,
  layout: ImportLayout,
): Promise<void> {
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      await lockImport(tx, member, importId, ["draft"]);
      await tx.update(imports).set(layout).where(isImport(member, importId));
    }),
  );
}

/** What the operator saw when committing: what is credited must be just that. */
export interface ImportCommit {
  readonly wallets: number;
  readonly points: number;
  /** For the events; null for one that names the file. */
  readonly note: string | null;
}

/**
 * Commits a draft: what it credits is settled now, and the worker credits it in batches.
 * @throws {Failure} `not_found`, `import_moved_on`, `import_unreadable`, `import_nothing`,
 *   `import_changed` when it would credit something else than the operator saw
 */
export async function commitImport(
  member: Editor,
  importId: string,
  expected: ImportCommit,
): Promise<{ fileName: string; wallets: number }> {
  const source = await getDraftSource(member, importId);
  const analysis = await analyzeImport(source);
  if (analysis.unreadableFrom !== null || analysis.hasTooManyRows) {
    throw new Failure("import_unreadable");
  }
  const { accepted, points, problemRows } = analysis;
  if (accepted.length === 0) throw new Failure("import_nothing");
  if (accepted.length !== expected.wallets || points !== expected.points) {
    throw new Failure("import_changed");
  }
  const { actor, pointSystemId } = member;
  const wallets = accepted.length;
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const { fileName, id, layout } = await lockImport(tx, member, importId, ["draft"]);
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
      await recordAudit(tx, actor, {
        pointSystemId,
        action: "import.commit",
        subject: fileName,
        after: { id, wallets, points, rowsLeftOut: problemRows, note: expected.note },
      });
      return { fileName, wallets };
    }),
  );
}

/**
 * Begins to take back everything that an import credited, also one that is still being committed;
 * the worker does so in batches.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function undoImport(member: Editor, importId: string): Promise<{ fileName: string }> {
  const { actor, pointSystemId } = member;
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const { fileName, id, status, walletsDone, walletsSkipped, points } = await lockImport(
        tx,
        member,
        importId,
        ["committing", "committed"],
      );
      await tx
        .update(imports)
        .set({ status: "undoing", operatorId: actor.operatorId })
        .where(isImport(member, id));
      await recordAudit(tx, actor, {
        pointSystemId,
        action: "import.undo",
        subject: fileName,
        before: { id, status, walletsCredited: walletsDone - walletsSkipped, points },
      });
      return { fileName };
    }),
  );
}

/**
 * Discards a draft.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function deleteImport(
  member: Editor,
  importId: string,
): Promise<{ fileName: string }> {
  const { actor, pointSystemId } = member;
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const { fileName, id } = await lockImport(tx, member, importId, ["draft"]);
      const [{ bytes } = { bytes: 0 }] = await tx
        .delete(imports)
        .where(isImport(member, id))
        .returning({ bytes: sql<number>`octet_length(${imports.csv})` });
      await recordAudit(tx, actor, {
        pointSystemId,
        action: "import.delete",
        subject: fileName,
        before: { id, bytes },
      });
      return { fileName };
    }),
  );
}

function isImport({ pointSystemId }: Member, importId: string) {
  const id = parseUuid(importId);
  if (!id) throw new Failure("not_found");
  return and(eq(imports.pointSystemId, pointSystemId), eq(imports.id, id));
}

/** Reads an import and keeps everyone else, the worker too, from taking the next step with it. */
async function lockImport(
  executor: Executor,
  member: Member,
  importId: string,
  allowed: readonly ImportStatus[],
) {
  const [row] = await executor
    .select({
      id: imports.id,
      fileName: imports.fileName,
      status: imports.status,
      walletsDone: imports.walletsDone,
      walletsSkipped: imports.walletsSkipped,
      points: imports.points,
      layout: layoutColumns,
    })
    .from(imports)
    .where(isImport(member, importId))
    .for("update");
  if (!row) throw new Failure("not_found");
  if (!allowed.includes(row.status)) throw new Failure("import_moved_on");
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
  for (const batch of toBatches(sums)) {
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
