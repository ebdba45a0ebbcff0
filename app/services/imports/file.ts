import { setImmediate as giveOthersATurn } from "node:timers/promises";
import { type Options, parse } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";
import { parseAddress } from "../../domain/address";
import {
  IMPORT_COLUMNS_MAX,
  IMPORT_DELIMITERS,
  type ImportDelimiter,
  type ImportLayout,
} from "../../domain/imports/import";

const SIGNS: Readonly<Record<ImportDelimiter, string>> = { comma: ",", semicolon: ";", tab: "\t" };

/** Characters that are parsed in one go, some milliseconds of work. */
const PIECE_CHARACTERS = 64 * 1024;
/** A row that is longer has lost a quote. */
const ROW_CHARACTERS_MAX = 10_000;
/** What of a file is looked at to guess its layout, and shown as a sample. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_ROWS = 20;

/** A row of a file. */
export interface ImportFileRow {
  /** Its line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Where a file stops being readable: a quote that is not closed, as a rule. */
export interface UnreadableRest {
  readonly line: number;
}

function getParseOptions(delimiter: ImportDelimiter): Options {
  return {
    delimiter: SIGNS[delimiter],
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_CHARACTERS_MAX,
  };
}

/**
 * Reads a file's rows, without its header and blank lines. Between two pieces of it, whatever else
 * the process has to do goes on.
 * @returns once all are read: where the file stops being readable, or null
 */
export async function* readRows(
  text: string,
  { delimiter, hasHeader }: Pick<ImportLayout, "delimiter" | "hasHeader">,
): AsyncGenerator<ImportFileRow, UnreadableRest | null> {
  let rows: ImportFileRow[] = [];
  const parser = parse({
    ...getParseOptions(delimiter),
    // Taken as they are read: what the stream itself holds is lost when the file breaks off.
    on_record: (cells: string[], { lines }) => {
      rows.push({ line: lines, cells });
      return null;
    },
  });
  parser.on("error", () => {}); // the callbacks tell it
  let isHeader = hasHeader;
  let lastLine = 0;
  let error: unknown = null;
  try {
    for (let start = 0; start < text.length && !error; start += PIECE_CHARACTERS) {
      await giveOthersATurn();
      error = await settle((done) =>
        parser.write(text.slice(start, start + PIECE_CHARACTERS), done),
      );
      if (!error && start + PIECE_CHARACTERS >= text.length) {
        error = await settle((done) => parser.end(done));
      }
      for (const row of rows) {
        lastLine = row.line;
        if (isBlank(row.cells)) continue;
        if (!isHeader) yield row;
        isHeader = false;
      }
      rows = [];
    }
  } finally {
    parser.destroy();
  }
  if (!error) return null;
  if (!isParseError(error)) throw error;
  return { line: lastLine + 1 };
}

/** What a stream's callback says: its error, or null. */
function settle(act: (done: (error?: Error | null) => void) => void): Promise<Error | null> {
  return new Promise((resolve) => act((error) => resolve(error ?? null)));
}

/** A line of spaces, or of delimiters only, as spreadsheets leave behind. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

function isParseError(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("CSV_")
  );
}

/** The first rows of a file, its header among them. */
export function sampleRows(text: string, delimiter: ImportDelimiter): readonly string[][] {
  const rows: string[][] = [];
  try {
    parseAtOnce(text.slice(0, SAMPLE_CHARACTERS), {
      ...getParseOptions(delimiter),
      to: SAMPLE_ROWS,
      on_record: (cells: string[]) => {
        rows.push(cells.slice(0, IMPORT_COLUMNS_MAX));
        return null;
      },
    });
  } catch (error) {
    // What was read until there is a sample as well.
    if (!isParseError(error)) throw error;
  }
  return rows.filter((cells) => !isBlank(cells));
}

/** Guesses how a file is to be read, from its first rows. */
export function guessLayout(text: string): ImportLayout {
  const [best] = IMPORT_DELIMITERS.map((delimiter) => {
    const rows = sampleRows(text, delimiter);
    const columns = rows[0]?.length ?? 0;
    const alike = rows.filter((cells) => cells.length === columns).length;
    return { delimiter, rows, score: columns > 1 ? alike : 0 };
  }).sort((a, b) => b.score - a.score);
  const { delimiter, rows } = best ?? { delimiter: "comma" as const, rows: [] };
  const [first = [], ...others] = rows;
  const hasHeader = looksLikeHeader(first);
  return { delimiter, hasHeader, ...guessColumns(first, hasHeader ? others : rows) };
}

/** A header names things: nothing in it could be an address or a number. */
function looksLikeHeader(cells: readonly string[]): boolean {
  return cells.length > 0 && !cells.some((cell) => /^\s*(0x|[-+]?[0-9])/i.test(cell));
}

const ADDRESS_NAME = /address|wallet|account|holder/i;
const POINTS_NAME = /points|amount|balance|score|total/i;

function guessColumns(header: readonly string[], rows: readonly (readonly string[])[]) {
  const columns = Math.max(header.length, ...rows.map((cells) => cells.length), 0);
  /** The column that looks most like it: by what is in it, and by its name where that is even. */
  const findBest = (isLike: (cell: string) => boolean, name: RegExp, taken: number) => {
    let best = -1;
    let bestScore = 0;
    for (let column = 0; column < columns; column += 1) {
      if (column === taken) continue;
      const alike = rows.filter((cells) => isLike((cells[column] ?? "").trim())).length;
      const score = 2 * alike + (name.test(header[column] ?? "") ? rows.length + 1 : 0);
      if (score > bestScore) {
        best = column;
        bestScore = score;
      }
    }
    return best;
  };
  const address = findBest((cell) => parseAddress(cell) !== null, ADDRESS_NAME, -1);
  const addressColumn = Math.max(address, 0);
  const points = findBest((cell) => /^[0-9]+$/.test(cell), POINTS_NAME, addressColumn);
  const pointsColumn = points >= 0 ? points : addressColumn === 0 ? 1 : 0;
  return { addressColumn, pointsColumn };
}
