/**
 * Where an import of points stands. `draft`: uploaded, to be mapped and looked at. `committing` and
 * `undoing` go on in batches, also after a restart.
 */
export type ImportStatus = "draft" | "committing" | "committed" | "undoing" | "undone";

/** What may stand between the columns of an imported file. */
export const IMPORT_DELIMITERS = ["comma", "semicolon", "tab"] as const;
export type ImportDelimiter = (typeof IMPORT_DELIMITERS)[number];

/** A larger file is refused. */
export const IMPORT_BYTES_MAX = 10 * 1024 * 1024;

/** More rows than a file of that size has when each of them is an address and its points. */
export const IMPORT_ROWS_MAX = 250_000;

/** More columns than this are not offered to choose from. */
export const IMPORT_COLUMNS_MAX = 50;

/** How an imported file is to be read. Columns count from 0. */
export interface ImportLayout {
  readonly delimiter: ImportDelimiter;
  readonly hasHeader: boolean;
  readonly addressColumn: number;
  readonly pointsColumn: number;
}
