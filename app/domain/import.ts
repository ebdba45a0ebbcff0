/**
 * Where an import of points stands. `draft`: uploaded, to be mapped and looked at. `committing` and
 * `undoing` go on in batches, also after a restart.
 */
export const IMPORT_STATUSES = ["draft", "committing", "committed", "undoing", "undone"] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** What may stand between the columns of an imported file. */
export const IMPORT_DELIMITERS = ["comma", "semicolon", "tab"] as const;
export type ImportDelimiter = (typeof IMPORT_DELIMITERS)[number];
