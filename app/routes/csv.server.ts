import { Readable } from "node:stream";
import { createReadableStreamFromReadable } from "@remix-run/node";
import { stringify } from "csv-stringify/sync";

type Row = readonly (string | number | null)[];

/** Rows that go out together. */
const BATCH_ROWS = 500;

/** What makes a spreadsheet take a text for a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

/**
 * Answers with a CSV file, written as its rows are read: it is never in memory whole.
 * @param fileName letters, digits, dots and hyphens
 */
export function streamCsv(
  fileName: string,
  header: readonly string[],
  rows: AsyncIterable<Row>,
): Response {
  const body = createReadableStreamFromReadable(Readable.from(writeBatches(header, rows)));
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
      "Cache-Control": "no-store",
    },
  });
}

async function* writeBatches(
  header: readonly string[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  let batch: Row[] = [header];
  for await (const row of rows) {
    batch.push(row.map(guard));
    if (batch.length < BATCH_ROWS) continue;
    yield stringify(batch);
    batch = [];
  }
  if (batch.length > 0) yield stringify(batch);
}

/** A text stays one: an apostrophe keeps spreadsheets from running it. */
function guard(cell: Row[number]): Row[number] {
  return typeof cell === "string" && FORMULA_START.test(cell) ? `'${cell}` : cell;
}
