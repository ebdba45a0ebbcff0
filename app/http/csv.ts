import { stringify } from "csv-stringify/sync";
import { type DownloadContext, streamDownload } from "./download";

type CsvCell = string | number | null;
type CsvRow = readonly CsvCell[];

/** The number of rows that are written at once. */
const ROWS_A_PIECE = 500;

/** The characters at the start of a cell that make a spreadsheet read it as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

/** Answers with a CSV file that is written as its rows come, as `streamDownload` does. */
export function streamCsv(
  fileName: string,
  header: readonly string[],
  rows: AsyncIterable<CsvRow>,
  context: DownloadContext,
): Response {
  return streamDownload(fileName, "text/csv; charset=utf-8", toPieces(header, rows), context);
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

/** Keeps text as text in a spreadsheet; numbers stay numbers. */
function guardCell(cell: CsvCell): CsvCell {
  return typeof cell === "string" && FORMULA_START.test(cell) ? `'${cell}` : cell;
}
