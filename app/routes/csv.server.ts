import { stringify } from "csv-stringify/sync";

type CsvCell = string | number | null;
type CsvRow = readonly CsvCell[];

/** Rows that are written at once. */
const ROWS_A_PIECE = 500;

/** What makes a spreadsheet take a cell for a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

/**
 * Answers with a CSV file that is written as its rows come, never faster than the client takes it.
 * When the client goes away `rows` is ended; when `rows` fails the connection breaks, so that a part
 * never looks like the whole.
 */
export function streamCsv(
  fileName: string,
  header: readonly string[],
  rows: AsyncIterable<CsvRow>,
): Response {
  const iterator = rows[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isHeaderDue = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece: CsvRow[] = isHeaderDue ? [header] : [];
      isHeaderDue = false;
      let isDone = false;
      while (!isDone && piece.length < ROWS_A_PIECE) {
        const next = await iterator.next();
        isDone = next.done === true;
        if (!next.done) piece.push(next.value.map(guardCell));
      }
      if (piece.length > 0) {
        controller.enqueue(encoder.encode(stringify(piece)));
      }
      if (isDone) controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName.replace(/[^\w.-]/g, "-")}"`,
      "Cache-Control": "no-store",
    },
  });
}

/** Text stays text in a spreadsheet; numbers stay numbers. */
function guardCell(cell: CsvCell): CsvCell {
  return typeof cell === "string" && FORMULA_START.test(cell) ? `'${cell}` : cell;
}
