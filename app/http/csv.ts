import { stringify } from "csv-stringify/sync";
import { streamDownload } from "./download";

type CsvCell = string | number | null;
type CsvRow = readonly CsvCell[];

/** Rows that are written at once. */
const ROWS_A_PIECE = 500;

/** What makes a spreadsheet take a cell for a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

/**
 * Answers with a CSV file that is written as its rows come: as `streamDownload` does.
 * @param logError told of rows that fail
 */
export function streamCsv(
  fileName: string,
  header: readonly string[],
  rows: AsyncIterable<CsvRow>,
  logError?: (error: unknown) => void,
): Response {
  return streamDownload(fileName, "text/csv; charset=utf-8", toPieces(header, rows), logError);
}

async function* toPieces(header: readonly string[], rows: AsyncIterable<CsvRow>) {
  let piece: CsvRow[] = [header];
  for await (const row of rows) {
    piece.push(row.map(guardCell));
    if (piece.length < ROWS_A_PIECE) continue;
    yield stringify(piece);
    piece = [];
  }
  if (piece.length > 0) yield stringify(piece);
}

/** Text stays text in a spreadsheet; numbers stay numbers. */
function guardCell(cell: CsvCell): CsvCell {
  return typeof cell === "string" && FORMULA_START.test(cell) ? `'${cell}` : cell;
}
