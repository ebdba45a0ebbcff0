import { and, eq, not, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
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

function readBatch(boardId: string, last: Row | undefined): Promise<Row[]> {
  // The first condition finds the place in the board's index, the second one the place among ties.
  const isBehind =
    last &&
    sql`${wallets.points} <= ${last.points} and (${wallets.points} < ${last.points}
      or ${wallets.address} > ${sql.param(last.address, wallets.address)})`;
  return withDatabase((db) =>
    db
      .select({ address: wallets.address, points: wallets.points, events: wallets.events })
      .from(wallets)
      .where(and(eq(wallets.pointSystemId, boardId), not(wallets.isBlacklisted), isBehind))
      .orderBy(...boardOrder)
      .limit(BATCH_WALLETS),
  );
}
