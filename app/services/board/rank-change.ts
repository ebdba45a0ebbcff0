import { and, desc, eq, lt, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import { withDatabase } from "../../db/client";
import { boardWindows } from "../../db/schema/boards";
import type { Address } from "../../domain/address";
import { rankOf } from "./ranking";

/** The ranks that wallets had earlier. */
export interface RanksBefore {
  /** The window or the day that it was. */
  readonly label: string;
  /** By address. */
  readonly ranks: Readonly<Record<string, number>>;
  /** Whether a wallet without a rank here was not on the board. Otherwise its rank is not known. */
  readonly isComplete: boolean;
}

/**
 * Finds where wallets stood in the window before another one of the same board. A window in which nobody earned points is
 * passed over. A window that has ended never changes, so the ranks are exact.
 * @returns null when the window is the first one
 */
export async function findRanksBefore(
  pointSystemId: string,
  boardId: string,
  label: string,
  addresses: readonly Address[],
): Promise<RanksBefore | null> {
  return withDatabase(async (db) => {
    const [before] = await db
      .select({ id: boardWindows.id, label: boardWindows.label })
      .from(boardWindows)
      .where(
        and(
          eq(boardWindows.pointSystemId, pointSystemId),
          eq(boardWindows.boardId, boardId),
          lt(boardWindows.label, label),
        ),
      )
      .orderBy(desc(boardWindows.label))
      .limit(1);
    if (!before) return null;
    const rows = await db.execute<{ address: Address; rank: number }>(sql`
      select '0x' || encode(w.address, 'hex') as address, (${rankOf(sql`w`)})::float8 as rank
      from unnest(${toArrayLiteral(addresses.map(toBytea))}::bytea[]) as q(address)
      cross join lateral (
        select point_system_id, points, address, is_blacklisted from wallets
        where point_system_id = ${before.id}::uuid and address = q.address limit 1
      ) w
      where not w.is_blacklisted`);
    return {
      label: before.label,
      ranks: Object.fromEntries(rows.map(({ address, rank }) => [address, rank])),
      isComplete: true,
    };
  });
}
