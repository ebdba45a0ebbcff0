import { and, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { imports } from "../../db/schema/imports";
import type { Cursor } from "../../domain/cursor";
import { Failure } from "../../domain/failure";
import type { ImportLayout, ImportStatus } from "../../domain/imports/import";
import { requireUuid } from "../../domain/uuid";
import { selectLabel } from "../access/colleagues";
import type { Member } from "../access/members";
import { type KeysetPage, readKeysetPage } from "../runtime/keyset";
import type { ImportSource } from "./analysis";

/** An import as the list and its page show it. */
export interface ImportSummary {
  readonly id: string;
  readonly fileName: string;
  readonly status: ImportStatus;
  readonly layout: ImportLayout;
  readonly note: string | null;
  /** The number of wallets that it credits; 0 for a draft. */
  readonly wallets: number;
  /** The number of these wallets that were credited or skipped, and not undone since. */
  readonly walletsDone: number;
  readonly walletsSkipped: number;
  readonly points: number;
  readonly createdAt: Date;
  readonly committedAt: Date | null;
  readonly undoneAt: Date | null;
  /** Why the work on it was given up; null while it goes on or is done. */
  readonly failure: string | null;
  /** The operator who took the last step, as the reader may see them. */
  readonly operator: string | null;
}

/** The columns of an import's layout, as a query selects them. */
export const layoutColumns = {
  delimiter: imports.delimiter,
  hasHeader: imports.hasHeader,
  addressColumn: imports.addressColumn,
  pointsColumn: imports.pointsColumn,
};

const listSummaryColumns = (member: Member) => ({
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
  failure: imports.failure,
  operator: selectLabel(member, sql`imports.operator_id`),
});

/** Lists a point system's imports, newest first. */
export function listImports(
  member: Member,
  cursor: Cursor | null,
): Promise<KeysetPage<ImportSummary>> {
  return readKeysetPage(
    {
      date: imports.createdAt,
      id: imports.id,
      keyOf: ({ createdAt, id }) => ({ date: createdAt, id }),
      select: ({ where, orderBy, limit }) =>
        withDatabase((db) =>
          db
            .select(listSummaryColumns(member))
            .from(imports)
            .where(and(eq(imports.pointSystemId, member.pointSystemId), where))
            .orderBy(...orderBy)
            .limit(limit),
        ),
    },
    cursor,
  );
}

/**
 * Reads an import.
 * @param importId the id as the browser sent it
 * @throws {Failure} `not_found`
 */
export async function getImport(member: Member, importId: string): Promise<ImportSummary> {
  const [found] = await withDatabase((db) =>
    db.select(listSummaryColumns(member)).from(imports).where(isImport(member, importId)),
  );
  if (!found) throw new Failure("not_found");
  return found;
}

/**
 * Reads the file of a draft, and its layout.
 * @throws {Failure} `not_found`, `import_moved_on` when it is no longer a draft
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
 * Matches the import with this id in the member's point system.
 * @param importId the id as the browser sent it
 * @throws {Failure} `not_found` when the id is malformed
 */
export function isImport({ pointSystemId }: Member, importId: string) {
  return and(eq(imports.pointSystemId, pointSystemId), eq(imports.id, requireUuid(importId)));
}
