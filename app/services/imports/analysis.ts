import { createHash } from "node:crypto";
import { toBatches } from "../../db/bulk";
import { withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";
import { describeAddressDoubt } from "../../domain/address-doubt";
import type { ImportLayout } from "../../domain/imports/import";
import { judgeRow, type RowProblem } from "../../domain/imports/import-row";
import { CREDIT_POINTS_MAX, TOTAL_POINTS_MAX } from "../../domain/ledger/points";
import { findWalletPoints } from "../ledger/append";
import { findBlacklisted } from "../ledger/blacklist-look-up";
import { findPrimaries } from "../ledger/primaries";
import { createLimiter } from "../runtime/limiter";
import { readRows } from "./file";

/** A file with its layout. */
export interface ImportSource {
  readonly pointSystemId: string;
  readonly csv: string;
  readonly layout: ImportLayout;
}

/** The sum of the rows of one address. */
export interface WalletSum {
  readonly address: Address;
  points: number;
  rows: number;
}

/** A row that is left out. */
export interface ProblemRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly problem: RowProblem;
}

/** The reasons for which whole wallets are left out. */
type Refusals = ReadonlyMap<Address, RowProblem>;

/** The result of an import if it were committed now. */
export interface ImportAnalysis {
  /** The sums that would be credited, in the order of the file. */
  readonly accepted: readonly WalletSum[];
  /** The digest of these sums, by which a commit knows which of them the operator saw. */
  readonly digest: string;
  readonly rows: number;
  /** The number of rows that are left out. */
  readonly problemRows: number;
  readonly points: number;
  readonly newWallets: number;
  /** The number of accepted wallets with several rows. */
  readonly duplicates: number;
  /** The line from which the file is unreadable; if it is set, the import cannot be committed. */
  readonly unreadableFrom: number | null;
  /** Whether the file has more rows than one import takes; then it cannot be committed. */
  readonly hasTooManyRows: boolean;
  readonly refusals: Refusals;
  /** The rows with an address that a checksum proves wrong, or that nobody owns. It leaves no row out. */
  readonly doubtfulRows: number;
  /** The line of the first of them. */
  readonly firstDoubtfulLine: number | null;
}

/** A large file takes a hundred megabytes for some seconds, so one is analyzed at a time. */
const takeTurn = createLimiter({ atOnceMax: 1, waitingMax: 16, waitMs: 60_000, partOfGroup: 0.5 });

/**
 * Reads a whole file and compares it with the current ledger. It writes nothing. Point systems take turns.
 * @throws {Failure} `service_unavailable` when too many files wait already, or it waited too long
 */
export function analyzeImport(source: ImportSource): Promise<ImportAnalysis> {
  return takeTurn(() => analyze(source), source.pointSystemId);
}

async function analyze(source: ImportSource): Promise<ImportAnalysis> {
  const { sums, ...read } = await sumRows(source);
  const refusals = new Map<Address, RowProblem>();
  // A linked wallet's sum goes to its primary one, which other rows may credit too.
  const added = new Map<Address, number>();
  const hash = createHash("sha256");
  let newWallets = 0;
  for await (const batch of toBatches([...sums.keys()])) {
    // Each batch uses a connection of its own, so that a page does not hold one for all batches.
    const { blacklisted, primaries, pointsBefore } = await withDatabase(async (db) => {
      const blacklisted = await findBlacklisted(db, source.pointSystemId, batch);
      const primaries = await findPrimaries(db, source.pointSystemId, batch);
      const holders = batch.map((address) => primaries.get(address) ?? address);
      const pointsBefore = await findWalletPoints(db, source.pointSystemId, [...new Set(holders)]);
      return { blacklisted, primaries, pointsBefore };
    });
    for (const address of batch) {
      const holder = primaries.get(address) ?? address;
      const before = pointsBefore.get(holder);
      const points = sums.get(address)?.points ?? 0;
      const addedBefore = added.get(holder);
      const pointsThen = (before ?? 0) + (addedBefore ?? 0);
      const problem = judgeWallet(points, pointsThen, blacklisted.has(address));
      if (problem) {
        refusals.set(address, problem);
        continue;
      }
      if (before === undefined && addedBefore === undefined) newWallets += 1;
      added.set(holder, (addedBefore ?? 0) + points);
      hash.update(`${address},${points}\n`);
    }
  }
  const accepted: WalletSum[] = [];
  let { problemRows } = read;
  let points = 0;
  for (const sum of sums.values()) {
    if (refusals.has(sum.address)) {
      problemRows += sum.rows;
    } else {
      accepted.push(sum);
      points += sum.points;
    }
  }
  const duplicates = accepted.reduce((count, { rows }) => count + (rows > 1 ? 1 : 0), 0);
  const digest = hash.digest("hex").slice(0, 32);
  return { ...read, accepted, digest, problemRows, points, newWallets, duplicates, refusals };
}

/** Adds up the rows that can be credited, with one sum for each address. */
async function sumRows({ csv, layout }: ImportSource) {
  const sums = new Map<Address, WalletSum>();
  let rows = 0;
  let problemRows = 0;
  let doubtfulRows = 0;
  let firstDoubtfulLine: number | null = null;
  const reader = readRows(csv, layout);
  let next = await reader.next();
  for (; !next.done; next = await reader.next()) {
    rows += 1;
    const row = judgeRow(next.value.cells, layout);
    if (row.problem !== null) {
      problemRows += 1;
      continue;
    }
    if (describeAddressDoubt(next.value.cells[layout.addressColumn] ?? "")) {
      doubtfulRows += 1;
      firstDoubtfulLine ??= next.value.line;
    }
    const sum = sums.get(row.address);
    if (sum) {
      sum.points += row.points;
      sum.rows += 1;
    } else {
      sums.set(row.address, { address: row.address, points: row.points, rows: 1 });
    }
  }
  return { sums, rows, problemRows, doubtfulRows, firstDoubtfulLine, ...next.value };
}

/** Finds the reason why a wallet cannot be credited its sum; null when it can. */
function judgeWallet(
  points: number,
  pointsBefore: number,
  isBlacklisted: boolean,
): RowProblem | null {
  if (points > CREDIT_POINTS_MAX) return "sum_too_large";
  if (isBlacklisted) return "wallet_blacklisted";
  return pointsBefore + points > TOTAL_POINTS_MAX ? "wallet_full" : null;
}

/** Reads the rows that are left out, in the order of the file. */
export async function* readProblemRows(
  { csv, layout }: ImportSource,
  refusals: Refusals,
): AsyncGenerator<ProblemRow> {
  for await (const { line, cells } of readRows(csv, layout)) {
    const row = judgeRow(cells, layout);
    const problem = row.problem ?? refusals.get(row.address);
    if (problem) yield { line, cells, problem };
  }
}

/** Lists the first problem rows of an analysis, as many as a page shows. */
export async function listProblemRows(
  source: ImportSource,
  { refusals, problemRows }: ImportAnalysis,
  rowsMax: number,
): Promise<ProblemRow[]> {
  const found: ProblemRow[] = [];
  const wanted = Math.min(problemRows, rowsMax);
  if (wanted === 0) return found;
  for await (const row of readProblemRows(source, refusals)) {
    found.push(row);
    if (found.length === wanted) break;
  }
  return found;
}
