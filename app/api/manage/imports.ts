import { z } from "zod";
import {
  IMPORT_COLUMNS_MAX,
  IMPORT_DELIMITERS,
  UPLOAD_BYTES_MAX,
} from "../../domain/imports/import";
import { ROW_PROBLEMS, type RowProblem } from "../../domain/imports/import-row";
import { EXAMPLE } from "../../domain/reference/example";
import { parseUuid } from "../../domain/uuid";
import {
  CommitInputs,
  LayoutInputs,
  toUploadedFile,
  UploadInputs,
} from "../../routes/dashboard/imports/import.inputs.server";
import type { Member } from "../../services/access/members";
import { getImport, type ImportSummary, listImports } from "../../services/imports/imports";
import { previewImport } from "../../services/imports/preview";
import {
  commitImport,
  createImport,
  deleteImport,
  retryImport,
  undoImport,
  updateImportLayout,
} from "../../services/imports/steps";
import { toIso } from "../replies";
import {
  check,
  DONE,
  done,
  olderParameter,
  olderReply,
  operation,
  orNull,
  plainText,
  readOlder,
} from "./operation";

const EXAMPLE_ID = "c2d3e4f5-0617-4829-8a3b-4c5d6e7f8091";
const EXAMPLE_DIGEST = "1f0e3d2c5b4a79688796a5b4c3d2e1f0";
const MOVED = ["not_found", "import_moved_on"] as const;

const column = z
  .int()
  .min(0)
  .max(IMPORT_COLUMNS_MAX - 1);

const layout = {
  delimiter: z.enum(IMPORT_DELIMITERS).describe("The separator of columns"),
  hasHeader: z.boolean().describe("Whether the first row is a header"),
  addressColumn: column.describe("The column of addresses, from 0"),
  pointsColumn: column.describe("The column of points, from 0"),
};

const importId = { importId: z.string().min(1).describe("The import's UUID") };

const count = z.int().nonnegative();

const ImportReply = z.strictObject({
  id: z.uuid().describe("The import's UUID"),
  fileName: z.string().describe("The name that it was given"),
  status: z
    .enum(["draft", "committing", "committed", "undoing", "undone"])
    .describe("committing and undoing go on in the background"),
  layout: z.strictObject(layout).describe("How the rows are read"),
  note: z.string().nullable().describe("The note of its events; null for none"),
  wallets: count.describe("Wallets that it credits; 0 for a draft"),
  walletsDone: count.describe("Wallets that are done by now"),
  walletsSkipped: count.describe("Wallets among them that were blacklisted or full meanwhile"),
  points: count.describe("Points that it credits; 0 for a draft"),
  createdAt: z.iso.datetime().describe("The time of the upload"),
  committedAt: z.iso.datetime().nullable().describe("The end of the crediting; null before"),
  undoneAt: z.iso.datetime().nullable().describe("The end of the undoing; null before"),
  failure: z.string().nullable().describe("Why its work was given up; null while all is well"),
});

const PreviewReply = z.strictObject({
  rows: count.describe("Rows, without the header and blank ones"),
  problemRows: count.describe("Rows that are left out"),
  wallets: count.describe("Wallets that a commit credits"),
  points: count.describe("Points that a commit credits"),
  newWallets: count.describe("Wallets that the point system does not know"),
  digest: z.string().describe("A digest of the credits, by which commit knows what you saw"),
  problems: z
    .array(
      z.strictObject({
        line: z.int().positive().describe("The row's line in the text"),
        problem: z.enum(Object.keys(ROW_PROBLEMS) as RowProblem[]).describe("Why it is left out"),
      }),
    )
    .describe("The first 100 rows that are left out"),
  unreadableFrom: z
    .int()
    .positive()
    .nullable()
    .describe("The line from which the text cannot be read; null when all can"),
  hasTooManyRows: z.boolean().describe("Whether it has more than 250,000 rows as they are read"),
});

const toReply = ({ operator: _, ...found }: ImportSummary) => ({
  ...found,
  createdAt: found.createdAt.toISOString(),
  committedAt: toIso(found.committedAt),
  undoneAt: toIso(found.undoneAt),
});

const example = {
  id: EXAMPLE_ID,
  fileName: "season.csv",
  status: "draft",
  layout: { delimiter: "comma", hasHeader: true, addressColumn: 0, pointsColumn: 1 },
  note: null,
  wallets: 0,
  walletsDone: 0,
  walletsSkipped: 0,
  points: 0,
  createdAt: "2026-01-02T03:04:05.000Z",
  committedAt: null,
  undoneAt: null,
  failure: null,
};

/** Makes a step of an import that takes its id alone. */
const step = (
  path: Extract<keyof typeof STEPS, string>,
  failures: Parameters<typeof operation>[1]["failures"],
) =>
  operation(path, {
    name: STEPS[path].name,
    fields: importId,
    failures: [...MOVED, ...failures],
    reply: z.strictObject(done),
    example: { request: { importId: EXAMPLE_ID }, answer: DONE },
    async handle(owner, { importId: id }) {
      await STEPS[path].take(owner, id);
      return DONE;
    },
  });

const STEPS = {
  "manage/v1/imports/undo": { name: "undoImport", take: undoImport },
  "manage/v1/imports/retry": { name: "retryImport", take: retryImport },
  "manage/v1/imports/discard": { name: "discardImport", take: deleteImport },
} as const satisfies Record<
  string,
  { name: string; take: (owner: Member<"owner">, id: string) => Promise<unknown> }
>;

export const IMPORT_OPERATIONS = {
  "manage/v1/imports": operation("manage/v1/imports", {
    name: "listImports",
    fields: { older: olderParameter },
    failures: ["invalid_field"],
    reply: z.strictObject({
      imports: z.array(ImportReply).describe("At most 50 imports, newest first"),
      older: olderReply,
    }),
    example: { request: {}, answer: { imports: [example], older: null } },
    async handle(owner, { older: from }) {
      const { rows, older } = await listImports(owner, readOlder(from, parseUuid));
      return { imports: rows.map(toReply), older };
    },
  }),
  "manage/v1/import": operation("manage/v1/import", {
    name: "getImport",
    fields: importId,
    failures: [...MOVED],
    reply: z.strictObject({
      import: ImportReply.describe("The import"),
      preview: PreviewReply.nullable().describe("What a draft's commit does now; null otherwise"),
    }),
    example: {
      request: { importId: EXAMPLE_ID },
      answer: {
        import: example,
        preview: {
          rows: 3,
          problemRows: 1,
          wallets: 2,
          points: 175,
          newWallets: 1,
          digest: EXAMPLE_DIGEST,
          problems: [{ line: 4, problem: "address_malformed" }],
          unreadableFrom: null,
          hasTooManyRows: false,
        },
      },
    },
    async handle(owner, { importId: id }) {
      const found = await getImport(owner, id);
      if (found.status !== "draft") return { import: toReply(found), preview: null };
      const { rows, problemRows, wallets, points, newWallets, digest, problems, ...preview } =
        await previewImport(owner, id);
      const { unreadableFrom, hasTooManyRows } = preview;
      return {
        import: toReply(found),
        preview: {
          rows,
          problemRows,
          wallets,
          points,
          newWallets,
          digest,
          problems: problems.map(({ line, problem }) => ({ line, problem })),
          unreadableFrom,
          hasTooManyRows,
        },
      };
    },
  }),
  "manage/v1/imports/upload": operation("manage/v1/imports/upload", {
    name: "uploadImport",
    fields: {
      fileName: z.string().min(1).describe("A name for people"),
      csv: plainText.describe("The rows: CSV with an address and points in each line"),
    },
    bytesMax: UPLOAD_BYTES_MAX,
    failures: ["import_empty", "import_too_many_rows", "import_too_many_drafts"],
    reply: z.strictObject({ id: z.uuid().describe("The draft's UUID") }),
    notes: [
      "Nothing is credited before the commit. The layout is guessed: read the draft, and set it if it is wrong.",
      "The body has at most 10 MiB, with at most 250,000 rows.",
    ],
    example: {
      request: { fileName: "season.csv", csv: `address,points\n${EXAMPLE.wallet},175\n` },
      answer: { id: EXAMPLE_ID },
    },
    handle(owner, { fileName, csv }) {
      const upload = check(UploadInputs, { file: csv, fileName, text: "" });
      const { fileName: name, csv: rows } = toUploadedFile(upload);
      return createImport(owner, { fileName: name, csv: rows.replace(/^\uFEFF/, "") });
    },
  }),
  "manage/v1/imports/layout": operation("manage/v1/imports/layout", {
    name: "setImportLayout",
    fields: { ...importId, ...layout },
    failures: [...MOVED],
    reply: z.strictObject(done),
    example: { request: { importId: EXAMPLE_ID, ...example.layout }, answer: DONE },
    async handle(owner, { importId: id, ...chosen }) {
      const wanted = check(LayoutInputs, {
        delimiter: chosen.delimiter,
        hasHeader: chosen.hasHeader ? "yes" : "no",
        addressColumn: String(chosen.addressColumn),
        pointsColumn: String(chosen.pointsColumn),
      });
      await updateImportLayout(owner, id, wanted);
      return DONE;
    },
  }),
  "manage/v1/imports/commit": operation("manage/v1/imports/commit", {
    name: "commitImport",
    fields: {
      ...importId,
      wallets: count.describe("Wallets of the preview that you saw"),
      points: count.describe("Points of the preview that you saw"),
      digest: orNull(z.string(), "digest of the preview that you saw; null for any"),
      note: orNull(z.string(), "The note of its events, for operators alone"),
    },
    failures: [
      ...MOVED,
      "import_too_many_rows",
      "import_unreadable",
      "import_nothing",
      "import_changed",
    ],
    reply: z.strictObject({ wallets: count.describe("Wallets that are being credited") }),
    notes: [
      "The credits are fixed at once and go on in the background. Read the import to follow.",
    ],
    example: {
      request: {
        ...{ importId: EXAMPLE_ID, wallets: 1, points: 175, digest: EXAMPLE_DIGEST },
        note: "Spring season",
      },
      answer: { wallets: 1 },
    },
    async handle(owner, { importId: id, wallets: seen, points, digest, note }) {
      const commit = check(CommitInputs, {
        wallets: String(seen),
        points: String(points),
        digest: digest ?? "",
        note: note ?? "",
      });
      const { wallets } = await commitImport(owner, id, commit);
      return { wallets };
    },
  }),
  "manage/v1/imports/undo": step("manage/v1/imports/undo", ["import_archived", "points_are_spent"]),
  "manage/v1/imports/retry": step("manage/v1/imports/retry", ["import_archived"]),
  "manage/v1/imports/discard": step("manage/v1/imports/discard", []),
};
