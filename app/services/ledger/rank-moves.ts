import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import { inParts } from "../../db/give-way";
import { rankMoves } from "../../db/schema/ranks";
import type { Address } from "../../domain/address";

/**
 * Runs `change`, which changes wallets, and records for the ranks how it moved them on boards.
 * Every change of points, entries or blacklisting goes through here, except credits by the API,
 * whose events record the move themselves. The caller holds the ledger lock.
 * @param boardIds the point system's id for its all-time board, and the ids of open windows
 * @param addresses all wallets that may change, with or without an entry, without repetitions
 */
export async function moveOnBoards<T>(
  tx: Transaction,
  boardIds: readonly string[],
  addresses: readonly Address[],
  change: () => Promise<T>,
): Promise<T> {
  const before: { boardId: string; wallets: string; keys: string }[] = [];
  for await (const batch of toBatches(addresses)) {
    const wallets = toArrayLiteral(batch.map(toBytea));
    for (const boardId of boardIds) {
      before.push({ boardId, wallets, keys: await readKeys(tx, boardId, wallets) });
    }
  }
  const result = await change();
  for await (const { boardId, wallets, keys } of inParts(before)) {
    await tx.execute(sql`
      insert into ${rankMoves} (point_system_id, key_before, key_after)
      select ${boardId}::uuid, q.key, w.key
      from unnest(${wallets}::bytea[], ${keys}::bigint[]) as q(address, key)
      ${joinKeys(boardId)}
      where q.key is distinct from w.key`);
  }
  return result;
}

/**
 * Reads the wallets' keys on the board.
 * @returns an array literal, with null for a wallet that is not on the board
 */
async function readKeys(tx: Transaction, boardId: string, addresses: string): Promise<string> {
  const [row] = await tx.execute<{ keys: string }>(sql`
    select array_agg(w.key order by q.n)::text as keys
    from unnest(${addresses}::bytea[]) with ordinality as q(address, n)
    ${joinKeys(boardId)}`);
  return row?.keys ?? "{}";
}

/**
 * Joins the keys of wallets. The limit forces a look-up for each wallet, whatever the planner's
 * statistics say. A condition on the blacklist would let it read the board's index whole for each.
 */
function joinKeys(boardId: string) {
  return sql`
    left join lateral (
      select case when not is_blacklisted then board_key(points, address) end as key from wallets
      where point_system_id = ${boardId}::uuid and address = q.address limit 1
    ) w on true`;
}
