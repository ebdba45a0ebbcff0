import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { Failure } from "../../domain/failure";
import {
  type CodeProblem,
  GIFT_CODE_CHARACTERS_MAX,
  GIFT_CODE_LINES_MAX,
} from "../../domain/gift-cards/gift-card";
import { isBlankRow, PIECE_CHARACTERS, readCsvRows } from "../runtime/csv-rows";

/** The content of an upload. A refused code is identified by its line, never by its text. */
export interface ReadCodes {
  /** The codes, trimmed and without repetitions. */
  readonly codes: readonly string[];
  /** The first filled line, if it is a header and left out. */
  readonly headerLine: number | null;
  /** The number of lines that repeat an earlier one. */
  readonly repeated: number;
  readonly refused: readonly { readonly line: number; readonly problem: CodeProblem }[];
}

/** The most lines that are read, empty ones included. */
const LINES_MAX = 2 * GIFT_CODE_LINES_MAX;

const HEADER =
  /^"?(((gift|gift[ _-]?card|voucher|coupon)[ _-]?)?codes?|(gift[ _-]?card|voucher|coupon|pin|serial)s?)"?$/i;
/** The line by which spreadsheets are told the delimiter. A CSV parser may take that off its end. */
const SEPARATOR = /^sep=[,;\t]?$/i;

/**
 * Reads codes, one on each line, without a header; a CSV file must have a single column. Empty lines count towards a
 * bound of their own, so that a file of line ends is refused early.
 * @throws {Failure} `gift_card_codes_missing`, `gift_card_codes_too_many`
 */
export async function readGiftCodes(text: string, isCsv: boolean): Promise<ReadCodes> {
  const codes = new Set<string>();
  const refused: { line: number; problem: CodeProblem }[] = [];
  let repeated = 0;
  let filled = 0;
  let headerLine: number | null = null;
  const rows = isCsv ? readColumn(text) : readLines(text);
  for await (const { line, cell } of rows) {
    const code = cell?.trim() ?? "";
    const isStart = filled === 0 && headerLine === null;
    if (cell !== null && (code === "" || (isStart && SEPARATOR.test(code)))) continue;
    if (isStart && HEADER.test(code)) {
      headerLine = line;
      continue;
    }
    filled += 1;
    if (filled > GIFT_CODE_LINES_MAX) throw new Failure("gift_card_codes_too_many");
    const problem = cell === null ? "several_columns" : findProblem(code);
    if (problem) refused.push({ line, problem });
    else if (codes.has(code)) repeated += 1;
    else codes.add(code);
  }
  if (filled === 0) throw new Failure("gift_card_codes_missing");
  return { codes: [...codes], headerLine, repeated, refused };
}

/** A line with its code; null when it has more than one column. */
interface CodeLine {
  readonly line: number;
  readonly cell: string | null;
}

/** Reads lines with their ends. Other work of the process runs between two pieces of the file. */
async function* readLines(text: string): AsyncGenerator<CodeLine> {
  const ends = /\r\n?|\n|$/g;
  let pieceStart = 0;
  for (let line = 1, start = 0; start < text.length; line += 1) {
    if (line > LINES_MAX) throw new Failure("gift_card_codes_too_many");
    if (start - pieceStart > PIECE_CHARACTERS) {
      await yieldToEventLoop();
      pieceStart = start;
    }
    ends.lastIndex = start;
    ends.test(text);
    yield { line, cell: text.slice(start, ends.lastIndex) };
    start = ends.lastIndex;
  }
}

/** Reads the only column of a CSV file. */
async function* readColumn(text: string): AsyncGenerator<CodeLine> {
  const rows = readCsvRows(text, [",", ";", "\t"], GIFT_CODE_LINES_MAX + 2);
  let next = await rows.next();
  for (; !next.done; next = await rows.next()) {
    const { line, cells } = next.value;
    const [cell = "", ...others] = cells;
    yield { line, cell: isBlankRow(others) ? cell : null };
  }
  if (next.value.hasTooManyRows) throw new Failure("gift_card_codes_too_many");
  // The parser's own error repeats a part of the file.
  if (next.value.unreadableFrom !== null) throw new Failure("gift_card_codes_missing");
}

function findProblem(code: string): CodeProblem | null {
  if (code.length > GIFT_CODE_CHARACTERS_MAX) return "too_long";
  // Half of a surrogate pair would not survive encryption and decryption.
  return /[\p{Cc}\p{Cs}]/u.test(code) ? "control_character" : null;
}
