import { z } from "zod";
import {
  IMPORT_BYTES_MAX,
  IMPORT_COLUMNS_MAX,
  IMPORT_DELIMITERS,
} from "../../../domain/imports/import";

const PASTED_NAME = "Pasted rows";
const FILE_NAME_CHARACTERS_MAX = 200;

/** A file, or its rows as text. */
export const UploadInputs = z
  .object({
    file: z.string(),
    fileName: z.string().transform((name) => cleanFileName(name)),
    text: z
      .string()
      .max(IMPORT_BYTES_MAX, "This is more than 10 MiB. Split it into several imports"),
  })
  // Without a file, browsers send an empty file without a name.
  .refine(({ file, fileName, text }) => file !== "" || fileName !== "" || text.trim() !== "", {
    path: ["file"],
    message: "Choose a file, or paste its rows below",
  })
  .refine(({ fileName, text }) => fileName === "" || text.trim() === "", {
    path: ["text"],
    message: "Either choose a file or paste rows, not both",
  })
  .refine(({ file, fileName }) => fileName === "" || file.trim() !== "", {
    path: ["file"],
    message: "The file is empty. Choose one with a row for each wallet",
  });

/** Returns the uploaded file, or the pasted text as a file. */
export function toUploadedFile({ file, fileName, text }: z.output<typeof UploadInputs>) {
  return file === ""
    ? { fileName: PASTED_NAME, csv: text, field: "text" }
    : { fileName: fileName || PASTED_NAME, csv: file, field: "file" };
}

/** Cleans a file's name, which is shown and recorded: one line, of limited length. */
function cleanFileName(name: string): string {
  const line = name.replace(/\p{Cc}+/gu, " ").trim();
  return Array.from(line).slice(0, FILE_NAME_CHARACTERS_MAX).join("");
}

const ColumnInput = z
  .string()
  .regex(/^[0-9]{1,2}$/, "Choose a column")
  .transform(Number)
  .refine((column) => column < IMPORT_COLUMNS_MAX, "Choose a column");

/** The layout by which a file is read. */
export const LayoutInputs = z
  .object({
    delimiter: z.enum(IMPORT_DELIMITERS, "Choose the column separator"),
    hasHeader: z
      .enum(["yes", "no"], "Choose whether the first row is a header")
      .transform((choice) => choice === "yes"),
    addressColumn: ColumnInput,
    pointsColumn: ColumnInput,
  })
  .refine(({ addressColumn, pointsColumn }) => addressColumn !== pointsColumn, {
    path: ["pointsColumn"],
    message: "Choose a column other than the addresses",
  });

const CountInput = z
  .string()
  .regex(/^[0-9]{1,16}$/)
  .transform(Number)
  .pipe(z.int());

/** The figures that the operator saw when committing, and a note for the events. */
export const CommitInputs = z.object({
  wallets: CountInput,
  points: CountInput,
  // A page of the release before sends none.
  digest: z
    .string()
    .max(64)
    .transform((digest) => digest || null),
  note: z
    .string()
    .trim()
    .max(500, "Use at most 500 characters")
    .regex(/^\P{Cc}*$/u, "Use one line of text")
    .transform((note) => note || null),
});
