import { setImmediate as yieldToEventLoop } from "node:timers/promises";
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

/** Characters that are parsed without a pause: some milliseconds of work. */
const PIECE_CHARACTERS = 64 * 1024;
/** The most characters in a row; a longer row lacks a closing quote. */
const ROW_CHARACTERS_MAX = 10_000;
/** Characters of a file from which its layout is guessed and its sample is taken. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_ROWS = 20;

/** A row of a file. */
export interface ImportFileRow {
  /** The line of the row in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The line from which a file is unreadable, mostly because of a quote that is not closed. */
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
 * Reads a file's rows, without its header and blank lines. Other work of the process runs between
 * two pieces of the file.
 * @returns after the last row: the line from which the file is unreadable, or null
 */
export async function* readRows(
  text: string,
  { delimiter, hasHeader }: Pick<ImportLayout, "delimiter" | "hasHeader">,
): AsyncGenerator<ImportFileRow, UnreadableRest | null> {
  let rows: ImportFileRow[] = [];
  const parser = parse({
    ...getParseOptions(delimiter),
    // Rows are taken as they are parsed: those that the stream still holds are lost when the file
    // breaks off.
    on_record: (cells: string[], { lines }) => {
      rows.push({ line: lines, cells });
      return null;
    },
  });
  parser.on("error", () => {}); // the callbacks report it
  let isHeader = hasHeader;
  let lastLine = 0;
  let error: unknown = null;
  try {
    for (let start = 0; start < text.length && !error; start += PIECE_CHARACTERS) {
      await yieldToEventLoop();
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

/** Resolves with the error of a stream's callback, or null. */
function settle(act: (done: (error?: Error | null) => void) => void): Promise<Error | null> {
  return new Promise((resolve) => act((error) => resolve(error ?? null)));
}

/** Checks whether a line has only spaces or delimiters, as spreadsheets leave behind. */
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

/** Reads the first rows of a file, including its header. */
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
    // The rows that were read before the error are a sample too.
    if (!isParseError(error)) throw error;
  }
  return rows.filter((cells) => !isBlank(cells));
}

/** Guesses a file's layout from its first rows. */
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

/** Checks whether a row is a header: none of its cells looks like an address or a number. */
function looksLikeHeader(cells: readonly string[]): boolean {
  return cells.length > 0 && !cells.some((cell) => /^\s*(0x|[-+]?[0-9])/i.test(cell));
}

const ADDRESS_NAME = /address|wallet|account|holder/i;
const POINTS_NAME = /points|amount|balance|score|total/i;

function guessColumns(header: readonly string[], rows: readonly (readonly string[])[]) {
  const columns = Math.max(header.length, ...rows.map((cells) => cells.length), 0);
  /** Finds the best matching column: by its cells, and by its name when the cells do not decide. */
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
