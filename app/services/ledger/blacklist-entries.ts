import { and, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { blacklist, wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";
import type { Member } from "../access/members";
import {
  type KeysetList,
  type KeysetPage,
  readKeysetPage,
  readWholeList,
  type Slice,
} from "../runtime/keyset";

/** An address on the blacklist. */
export interface BlacklistEntry {
  readonly address: Address;
  readonly reason: string | null;
  readonly date: Date;
  /** The points of its wallet. */
  readonly points: number;
}

/** Lists the blacklist, newest first. */
export function listBlacklist(
  member: Member,
  cursor: Cursor | null,
): Promise<KeysetPage<BlacklistEntry>> {
  return readKeysetPage(toList(member), cursor);
}

/** Reads the whole blacklist, newest first. */
export function readWholeBlacklist(member: Member): AsyncGenerator<BlacklistEntry> {
  return readWholeList(toList(member));
}

/** Finds an address's entry; null when it has none. */
export async function findBlacklistEntry(
  { pointSystemId }: Member,
  address: Address,
): Promise<BlacklistEntry | null> {
  const system = sql`${pointSystemId}::uuid`;
  const [entry] = await withDatabase((db) =>
    db
      .select({
        reason: sql<string | null>`b.reason`,
        date: sql<Date>`b.created_at`.mapWith(blacklist.createdAt),
        points:
          sql<number>`coalesce((select p.points from read_wallet_points(${system}, b.address) p), 0)`.mapWith(
            Number,
          ),
      })
      .from(
        sql`find_blacklist_entry(${system}, ${sql.param(address, blacklist.address)}::bytea) as b`,
      ),
  );
  return entry ? { address, ...entry } : null;
}

const toList = ({ pointSystemId }: Member): KeysetList<BlacklistEntry> => ({
  date: blacklist.createdAt,
  id: blacklist.address,
  toId: (id) => sql`${sql.param(id, blacklist.address)}`,
  keyOf: ({ date, address }) => ({ date, id: address }),
  select: (slice) => selectEntries(pointSystemId, slice),
});

function selectEntries(
  pointSystemId: string,
  { where, orderBy, limit }: Slice,
): Promise<BlacklistEntry[]> {
  return withDatabase((db) => {
    const holdings = db
      .select({ points: wallets.points })
      .from(wallets)
      .where(
        and(
          eq(wallets.pointSystemId, blacklist.pointSystemId),
          eq(wallets.address, blacklist.address),
        ),
      )
      .limit(1)
      .as("holdings");
    return db
      .select({
        address: blacklist.address,
        reason: blacklist.reason,
        date: blacklist.createdAt,
        points: sql<number>`coalesce(${holdings.points}, 0)`.mapWith(Number),
      })
      .from(blacklist)
      .leftJoinLateral(holdings, sql`true`)
      .where(and(eq(blacklist.pointSystemId, pointSystemId), where))
      .orderBy(...orderBy)
      .limit(limit);
  });
}
