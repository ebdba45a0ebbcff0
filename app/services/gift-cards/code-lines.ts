import { parse } from "csv-parse/sync";
import { Failure } from "../../domain/failure";
import {
  type CodeProblem,
  GIFT_CODE_CHARACTERS_MAX,
  GIFT_CODE_LINES_MAX,
} from "../../domain/gift-cards/gift-card";

/** The content of an upload. A refused code is identified by its line, never by its text. */
export interface ReadCodes {
  /** The codes, trimmed and without repetitions. */
  readonly codes: readonly string[];
  /** The number of lines that repeat an earlier one. */
  readonly repeated: number;
  readonly refused: readonly { readonly line: number; readonly problem: CodeProblem }[];
}

const HEADER = /^"?(gift[ _-]?card[ _-]?)?codes?"?$/i;

/**
 * Reads codes, one on each line; a CSV file must have a single column.
 * @throws {Failure} `gift_card_codes_missing`, `gift_card_codes_too_many`
 */
export function readGiftCodes(text: string, isCsv: boolean): ReadCodes {
  const lines = isCsv ? readColumn(text) : text.split(/\r\n|\r|\n/);
  const codes = new Set<string>();
  const refused: { line: number; problem: CodeProblem }[] = [];
  let repeated = 0;
  let filled = 0;
  for (const [i, untrimmed] of lines.entries()) {
    if (untrimmed === null) {
      filled += 1;
      refused.push({ line: i + 1, problem: "several_columns" });
      continue;
    }
    const code = untrimmed.trim();
    if (code === "" || (isCsv && i === 0 && HEADER.test(code))) continue;
    filled += 1;
    if (filled > GIFT_CODE_LINES_MAX) throw new Failure("gift_card_codes_too_many");
    const problem = findProblem(code);
    if (problem) refused.push({ line: i + 1, problem });
    else if (codes.has(code)) repeated += 1;
    else codes.add(code);
  }
  if (filled === 0) throw new Failure("gift_card_codes_missing");
  if (filled > GIFT_CODE_LINES_MAX) throw new Failure("gift_card_codes_too_many");
  return { codes: [...codes], repeated, refused };
}

/**
 * Reads the only column of a CSV file.
 * @returns a value for each row; null for a row that has more than one
 */
function readColumn(text: string): (string | null)[] {
  let rows: string[][];
  try {
    rows = parse(text, {
      delimiter: [",", ";", "\t"],
      relax_column_count: true,
      relax_quotes: true,
    });
  } catch {
    // The parser's own error repeats a part of the file.
    throw new Failure("gift_card_codes_missing");
  }
  return rows.map(([first = "", ...others]) =>
    others.some((cell) => cell.trim() !== "") ? null : first,
  );
}

function findProblem(code: string): CodeProblem | null {
  if (code.length > GIFT_CODE_CHARACTERS_MAX) return "too_long";
  // Half of a surrogate pair would not survive encryption and decryption.
  return /[\p{Cc}\p{Cs}]/u.test(code) ? "control_character" : null;
}
