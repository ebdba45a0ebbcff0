import { and, desc, eq, lt, or } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { imports } from "../../db/schema/imports";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import type { ImportLayout, ImportStatus } from "../../domain/imports/import";
import { parseUuid } from "../../domain/uuid";
import type { Member } from "../access/members";
import type { ImportSource } from "./analysis";

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

const IMPORTS_PAGE_SIZE = 50;

/** How an import's file is read, as a query selects it. */
export const layoutColumns = {
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
 * That a row is the import of this id, of the member's point system.
 * @param importId as the browser sent it
 * @throws {Failure} `not_found` when there is none of such an id
 */
export function isImport({ pointSystemId }: Member, importId: string) {
  const id = parseUuid(importId);
  if (!id) throw new Failure("not_found");
  return and(eq(imports.pointSystemId, pointSystemId), eq(imports.id, id));
}
