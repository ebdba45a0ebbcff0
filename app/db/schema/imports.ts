import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import type { ImportDelimiter, ImportStatus } from "../../domain/imports/import";
import { address, moment } from "./columns";

/** A file of addresses and points, from its upload to its commit and a possible undo. */
export const imports = pgTable(
  "imports",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    id: uuid().notNull().defaultRandom(),
    operatorId: uuid("operator_id").notNull(),
    fileName: text("file_name").notNull(),
    /** The uploaded file; emptied when the import is committed. */
    csv: text().notNull(),
    hasHeader: boolean("has_header").notNull(),
    delimiter: text().$type<ImportDelimiter>().notNull(),
    addressColumn: integer("address_column").notNull(),
    pointsColumn: integer("points_column").notNull(),
    status: text().$type<ImportStatus>().notNull().default("draft"),
    note: text(),
    /**
     * The number of wallets that the import credits, known from its commit on, and the number
     * already credited.
     */
    wallets: bigint({ mode: "number" }).notNull().default(0),
    walletsDone: bigint("wallets_done", { mode: "number" }).notNull().default(0),
    points: bigint({ mode: "number" }).notNull().default(0),
    /** Wallets skipped at commit: blacklisted or full since the dry run. */
    walletsSkipped: bigint("wallets_skipped", { mode: "number" }).notNull().default(0),
    createdAt: moment("created_at").notNull().defaultNow(),
    committedAt: moment("committed_at"),
    undoneAt: moment("undone_at"),
    /** Why the work on it was given up, in words for the operator; null while it goes on or is done. */
    failure: text(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    // Finds the work for the worker.
    index("imports_unfinished")
      .on(table.createdAt)
      .where(sql`${table.status} in ('committing', 'undoing')`),
    check(
      "imports_status_known",
      sql`${table.status} in ('draft', 'committing', 'committed', 'undoing', 'undone')`,
    ),
    check("imports_delimiter_known", sql`${table.delimiter} in ('comma', 'semicolon', 'tab')`),
  ],
);

/** The credits of a committed import: one row for each wallet, with duplicates summed. */
export const importRows = pgTable(
  "import_rows",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    importId: uuid("import_id").notNull(),
    /** The order of crediting, from 0. */
    position: integer().notNull(),
    address: address().notNull(),
    points: bigint({ mode: "number" }).notNull(),
    /** Null until the row is credited, and for a skipped one. */
    eventId: uuid("event_id"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.importId, table.position] }),
    check("import_rows_address_length", sql`octet_length(${table.address}) = 20`),
    check("import_rows_points_range", sql`${table.points} between 1 and 1000000000`),
  ],
);
