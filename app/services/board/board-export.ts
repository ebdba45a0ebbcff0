import { and, eq, gt, gte, lt, lte, not, type SQL, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { BoardReference } from "../../domain/board/board-reference";
import { findNamedBoard } from "./named-board";
import { boardOrder } from "./ranking";
import type { WalletEntry } from "./wallets";

/** Wallets in one statement: some hundred kilobytes. */
const BATCH_WALLETS = 5_000;

type Row = Omit<WalletEntry, "rank">;

/**
 * Reads a whole board, best first, in batches. Each batch is a short statement of its own, so that a
 * slow download holds neither a connection nor a snapshot: a wallet that moves while the board is
 * read can come twice, or not at all.
 * @param board the all-time board when left out
 * @throws {Failure} as `findNamedBoard`
 */
export async function exportBoard(
  pointSystemId: string,
  board?: BoardReference,
): Promise<AsyncGenerator<WalletEntry>> {
  const windowId = board ? (await findNamedBoard(pointSystemId, board)).windowId : pointSystemId;
  return readWallets(windowId);
}

async function* readWallets(boardId: string | null): AsyncGenerator<WalletEntry> {
  let rank = 0;
  let last: Row | undefined;
  while (boardId !== null) {
    const batch = await readBatch(boardId, last);
    for (const row of batch) {
      rank += 1;
      yield { rank, ...row };
    }
    if (batch.length < BATCH_WALLETS) return;
    last = batch.at(-1);
  }
}

/**
 * Reads the rest of the ties first: one condition for both would read all ties again for each batch. So would a sort, which
 * a plan without statistics may take.
 */
function readBatch(boardId: string, last: Row | undefined): Promise<Row[]> {
  return inTransaction(async (tx) => {
    await tx.execute(sql`
        select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`);
    if (!last) return select(tx, boardId, undefined, BATCH_WALLETS);
    // A range, as in sum_wallets_ahead: of equal points, the index of addresses would have the order, too.
    const isTied = and(
      gte(wallets.points, last.points),
      lte(wallets.points, last.points),
      gt(wallets.address, last.address),
    );
    const ties = await select(tx, boardId, isTied, BATCH_WALLETS);
    if (ties.length === BATCH_WALLETS) return ties;
    const isBehind = lt(wallets.points, last.points);
    return ties.concat(await select(tx, boardId, isBehind, BATCH_WALLETS - ties.length));
  });
}

function select(
  tx: Transaction,
  boardId: string,
  place: SQL | undefined,
  limit: number,
): Promise<Row[]> {
  return tx
    .select({ address: wallets.address, points: wallets.points, events: wallets.events })
    .from(wallets)
    .where(and(eq(wallets.pointSystemId, boardId), not(wallets.isBlacklisted), place))
    .orderBy(...boardOrder)
    .limit(limit);
}
