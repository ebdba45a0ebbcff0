import { and, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { blacklist, wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { parseAddress } from "../../domain/address";
import { type Cursor, parseCursor } from "../../domain/cursor";
import type { Member } from "../access/members";
import { type KeysetPage, readKeysetPage, type Slice } from "../runtime/keyset";

/** An address on the blacklist. */
export interface BlacklistEntry {
  readonly address: Address;
  readonly reason: string | null;
  readonly date: Date;
  /** The points of its wallet. */
  readonly points: number;
}

const PAGE_SIZE = 50;
const EXPORT_BATCH_SIZE = 1_000;

/** Lists the blacklist, newest first. */
export function listBlacklist(
  member: Member,
  cursor: Cursor | null,
): Promise<KeysetPage<BlacklistEntry>> {
  return readEntries(member, cursor, PAGE_SIZE);
}

/** Reads the whole blacklist, newest first, in batches on demand. */
export async function* readWholeBlacklist(member: Member): AsyncGenerator<BlacklistEntry> {
  let cursor: Cursor | null = null;
  do {
    const page: KeysetPage<BlacklistEntry> = await readEntries(member, cursor, EXPORT_BATCH_SIZE);
    yield* page.rows;
    cursor = page.older === null ? null : parseCursor(page.older, "older", parseAddress);
  } while (cursor);
}

/** Finds an address's entry; null when it has none. */
export async function findBlacklistEntry(
  { pointSystemId }: Member,
  address: Address,
): Promise<BlacklistEntry | null> {
  const [entry] = await selectEntries(pointSystemId, {
    cursor: null,
    where: eq(blacklist.address, address),
    orderBy: [],
    limit: 1,
  });
  return entry ?? null;
}

function readEntries(
  { pointSystemId }: Member,
  cursor: Cursor | null,
  pageSize: number,
): Promise<KeysetPage<BlacklistEntry>> {
  return readKeysetPage(
    {
      date: blacklist.createdAt,
      id: blacklist.address,
      toId: (id) => sql`${sql.param(id, blacklist.address)}`,
      keyOf: ({ date, address }) => ({ date, id: address }),
      pageSize,
      select: (slice) => selectEntries(pointSystemId, slice),
    },
    cursor,
  );
}

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
