import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type Options, parse } from "csv-parse";
import { Failure } from "../../domain/failure";

/** Characters that are parsed without a pause: some milliseconds of work. */
export const PIECE_CHARACTERS = 8 * 1024;
/** The most characters in a row's cells; a longer row lacks a closing quote. */
const ROW_CHARACTERS_MAX = 10_000;
/** The most characters of a line with its delimiters, which the parser does not count. A longer line ends the reading. */
const LINE_CHARACTERS_MAX = 10 * ROW_CHARACTERS_MAX;
/** The longest time that one reading of a file takes, in milliseconds, without the pauses of the caller. */
const READING_MS_MAX = 30_000;

/** A row of a CSV file. */
export interface CsvRow {
  /** The first line of the row in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The reason why the reading of a file ended early, if it did. */
export interface CsvEnd {
  /** The line from which the file is unreadable, mostly because of a quote that is not closed. */
  readonly unreadableFrom: number | null;
  readonly hasTooManyRows: boolean;
}

/** Returns the options by which all files of operators are parsed. */
export function getCsvOptions(delimiters: readonly string[]): Options {
  return {
    delimiter: [...delimiters],
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_CHARACTERS_MAX,
  };
}

/** Two characters that belong to one piece: halves of one character, and those of one line end. */
const PAIR = /^([\ud800-\udbff][\udc00-\udfff]|\r\n)$/;

/**
 * Reads a file's rows without its blank ones. Other work of the process runs between two pieces of
 * the file. As many blank rows are read as rows: a file of blank rows ends like one of too many.
 * @throws {Failure} `service_unavailable` when the machine is too busy to read the file in time
 */
export async function* readCsvRows(
  text: string,
  delimiters: readonly string[],
  rowsMax: number,
): AsyncGenerator<CsvRow, CsvEnd> {
  let readMs = 0;
  let rows: CsvRow[] = [];
  const parser = parse({
    ...getCsvOptions(delimiters),
    // Rows are taken as they are parsed: those that the stream still holds are lost when the file
    // breaks off.
    on_record: (cells: string[], { lines, empty_lines }) => {
      rows.push({ line: lastLine + 1 + empty_lines - emptyLines, cells });
      lastLine = lines;
      emptyLines = empty_lines;
      return null;
    },
  });
  parser.on("error", () => {}); // the callbacks report it
  let filled = 0;
  let blank = 0;
  let lastLine = 0;
  let emptyLines = 0;
  let lines = 0;
  let lineStart = 0;
  let error: unknown = null;
  try {
    for (let start = 0, end = 0; start < text.length && !error; start = end) {
      end = start + PIECE_CHARACTERS;
      if (PAIR.test(text.slice(end - 1, end + 1))) end += 1;
      const startedAtMs = performance.now();
      await yieldToEventLoop();
      // Within quotes, the parser takes the line end of Windows for two.
      const piece = text.slice(start, end).replaceAll("\r\n", "\n");
      error = await settle((done) => parser.write(piece, done));
      if (!error && end >= text.length) {
        error = await settle((done) => parser.end(done));
      }
      readMs += performance.now() - startedAtMs;
      if (readMs > READING_MS_MAX) throw new Failure("service_unavailable");
      if (parser.info.lines !== lines) {
        lines = parser.info.lines;
        lineStart = start;
      } else if (start - lineStart > LINE_CHARACTERS_MAX) {
        return { unreadableFrom: lastLine + 1, hasTooManyRows: false };
      }
      for (const row of rows) {
        if (isBlankRow(row.cells)) blank += 1;
        else filled += 1;
        if (Math.max(filled, blank) > rowsMax)
          return { unreadableFrom: null, hasTooManyRows: true };
        if (!isBlankRow(row.cells)) yield row;
      }
      rows = [];
    }
  } finally {
    parser.destroy();
  }
  if (error && !isCsvError(error)) throw error;
  return { unreadableFrom: error ? lastLine + 1 : null, hasTooManyRows: false };
}

/** Resolves with the error of a stream's callback, or null. */
function settle(act: (done: (error?: Error | null) => void) => void): Promise<Error | null> {
  return new Promise((resolve) => act((error) => resolve(error ?? null)));
}

/** Checks whether a line has only spaces or delimiters, as spreadsheets leave behind. */
export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

export function isCsvError(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("CSV_")
  );
}
