import type { Address } from "../../domain/address";
import type { Member } from "../access/members";
import {
  analyzeImport,
  type ImportAnalysis,
  listProblemRows,
  type ProblemRow,
  readProblemRows,
  type WalletSum,
} from "./analysis";
import { sampleRows } from "./file";
import { getDraftSource } from "./imports";

/** The most rows of each list that a page shows. */
const PREVIEW_PROBLEMS_MAX = 100;
const PREVIEW_WALLETS_MAX = 20;

/** The result of committing a draft now, for review before the commit. */
export interface ImportPreview
  extends Pick<
    ImportAnalysis,
    | "digest"
    | "rows"
    | "problemRows"
    | "points"
    | "newWallets"
    | "duplicates"
    | "unreadableFrom"
    | "hasTooManyRows"
    | "doubtfulRows"
    | "firstDoubtfulLine"
  > {
  readonly wallets: number;
  /** The first rows that are left out. */
  readonly problems: readonly ProblemRow[];
  /** The first wallets that have several rows. */
  readonly repeated: readonly WalletSum[];
  /** The wallets with the largest sums. */
  readonly largest: readonly { readonly address: Address; readonly points: number }[];
  /** The file's first rows unchanged, by which the operator recognizes the columns. */
  readonly sample: readonly (readonly string[])[];
}

/**
 * Analyzes a draft for its preview. It writes nothing.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function previewImport(member: Member, importId: string): Promise<ImportPreview> {
  const source = await getDraftSource(member, importId);
  const analysis = await analyzeImport(source);
  const { accepted, digest, rows, problemRows, points, newWallets, duplicates } = analysis;
  const { unreadableFrom, hasTooManyRows, doubtfulRows, firstDoubtfulLine } = analysis;
  const repeated: WalletSum[] = [];
  for (const sum of accepted) {
    if (repeated.length === PREVIEW_WALLETS_MAX) break;
    if (sum.rows > 1) repeated.push(sum);
  }
  return {
    digest,
    rows,
    problemRows,
    points,
    newWallets,
    duplicates,
    unreadableFrom,
    hasTooManyRows,
    doubtfulRows,
    firstDoubtfulLine,
    wallets: accepted.length,
    problems: await listProblemRows(source, analysis, PREVIEW_PROBLEMS_MAX),
    repeated,
    largest: findLargest(accepted),
    sample: sampleRows(source.csv, source.layout.delimiter),
  };
}

/**
 * Reads every row of a draft that would be left out, with its address and points as the file has
 * them.
 * @throws {Failure} `not_found`, `import_moved_on`
 */
export async function exportProblemRows(
  member: Member,
  importId: string,
): Promise<AsyncIterable<ProblemRow & { address: string; points: string }>> {
  const source = await getDraftSource(member, importId);
  const { refusals } = await analyzeImport(source);
  const { addressColumn, pointsColumn } = source.layout;
  async function* name() {
    for await (const row of readProblemRows(source, refusals)) {
      const address = row.cells[addressColumn] ?? "";
      yield { ...row, address, points: row.cells[pointsColumn] ?? "" };
    }
  }
  return name();
}

/** Finds the largest sums in one pass: sorting a quarter of a million would block other work. */
function findLargest(sums: readonly WalletSum[]): readonly WalletSum[] {
  const largest: WalletSum[] = [];
  for (const sum of sums) {
    const isFull = largest.length === PREVIEW_WALLETS_MAX;
    if (isFull && sum.points <= (largest.at(-1)?.points ?? 0)) continue;
    const place = largest.findIndex(({ points }) => points < sum.points);
    largest.splice(place < 0 ? largest.length : place, 0, sum);
    if (isFull) largest.pop();
  }
  return largest;
}
