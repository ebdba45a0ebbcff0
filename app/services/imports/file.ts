import { parse as parseAtOnce } from "csv-parse/sync";
import { parseAddress } from "../../domain/address";
import {
  IMPORT_COLUMNS_MAX,
  IMPORT_DELIMITERS,
  IMPORT_ROWS_MAX,
  type ImportDelimiter,
  type ImportLayout,
} from "../../domain/imports/import";
import {
  type CsvEnd,
  type CsvRow,
  getCsvOptions,
  isBlankRow,
  isCsvError,
  readCsvRows,
} from "../runtime/csv-rows";

const SIGNS: Readonly<Record<ImportDelimiter, string>> = { comma: ",", semicolon: ";", tab: "\t" };

/** Characters of a file from which its layout is guessed and its sample is taken. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_ROWS = 20;

/** Reads a file's rows, up to `IMPORT_ROWS_MAX`, without its header and blank rows. */
export async function* readRows(
  text: string,
  { delimiter, hasHeader }: Pick<ImportLayout, "delimiter" | "hasHeader">,
): AsyncGenerator<CsvRow, CsvEnd> {
  const headers = hasHeader ? 1 : 0;
  const rows = readCsvRows(text, [SIGNS[delimiter]], headers + IMPORT_ROWS_MAX);
  if (hasHeader) {
    const header = await rows.next();
    if (header.done) return header.value;
  }
  return yield* rows;
}

/** Reads the first rows of a file, including its header. */
export function sampleRows(text: string, delimiter: ImportDelimiter): readonly string[][] {
  const rows: string[][] = [];
  try {
    parseAtOnce(text.slice(0, SAMPLE_CHARACTERS), {
      ...getCsvOptions([SIGNS[delimiter]]),
      to: SAMPLE_ROWS,
      on_record: (cells: string[]) => {
        rows.push(cells.slice(0, IMPORT_COLUMNS_MAX));
        return null;
      },
    });
  } catch (error) {
    // The rows that were read before the error are a sample too.
    if (!isCsvError(error)) throw error;
  }
  return rows.filter((cells) => !isBlankRow(cells));
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
