/**
 * The status of an import of points. `draft`: uploaded, to be mapped and reviewed. `committing` and
 * `undoing` continue in batches, also after a restart.
 */
export type ImportStatus = "draft" | "committing" | "committed" | "undoing" | "undone";

/** The delimiters between the columns of an imported file. */
export const IMPORT_DELIMITERS = ["comma", "semicolon", "tab"] as const;
export type ImportDelimiter = (typeof IMPORT_DELIMITERS)[number];

/** The largest file that is accepted, in bytes. */
export const IMPORT_BYTES_MAX = 10 * 1024 * 1024;
/** The most bytes of a request with such a file: the file and the form around it. */
export const UPLOAD_BYTES_MAX = IMPORT_BYTES_MAX + 64 * 1024;

/**
 * The most rows of a file: more than a file of the largest size has when each row is an address and
 * its points.
 */
export const IMPORT_ROWS_MAX = 250_000;

/** The most columns that are offered to choose from. */
export const IMPORT_COLUMNS_MAX = 50;

/** The layout by which an imported file is read. Columns count from 0. */
export interface ImportLayout {
  readonly delimiter: ImportDelimiter;
  readonly hasHeader: boolean;
  readonly addressColumn: number;
  readonly pointsColumn: number;
}
