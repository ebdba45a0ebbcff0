import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { replicatedQuery } from "../../db/replicated";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { BoardReference } from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";
import { requireReady } from "./named-board";
import { rankOf } from "./ranking";

/** A wallet's standing in a point system. */
export interface WalletEntry {
  readonly address: Address;
  readonly points: number;
  readonly events: number;
  readonly rank: number;
}

const wallet = alias(wallets, "wallet");

/** The asked address as a parameter, and the wallet that holds its points. */
const asked = sql.param(sql.placeholder("address"), wallet.address);
const holder = sql`find_primary(${sql.placeholder("pointSystemId")}::uuid, ${asked}::bytea)`;

const selectWalletEntry = replicatedQuery("reads", (db) =>
  db
    .select({
      points: wallet.points,
      events: wallet.events,
      rank: rankOf(sql`wallet`),
    })
    .from(wallet)
    .where(
      and(eq(wallet.pointSystemId, sql.placeholder("pointSystemId")), eq(wallet.address, holder)),
    )
    .prepare("find_wallet_entry"),
);

/**
 * Finds the entry of a wallet, of a linked one that of its primary wallet. Null when the address never received points and is not registered.
 */
export async function findWalletEntry(
  pointSystemId: string,
  address: Address,
): Promise<WalletEntry | null> {
  const [entry] = await selectWalletEntry({ pointSystemId, address });
  return entry ? { address, ...entry } : null;
}

/**
 * Reads the entry of a wallet on a board.
 * @param board the all-time board when left out
 * @throws {Failure} `wallet_not_found` when the address never received points and is not registered, or has no points on
 *   the named board; as `findNamedBoard`
 */
export async function getWalletEntry(
  pointSystemId: string,
  address: Address,
  board?: BoardReference,
): Promise<WalletEntry> {
  const entry = await (board
    ? findEntryOnBoard(pointSystemId, address, board)
    : findWalletEntry(pointSystemId, address));
  if (!entry) throw new Failure("wallet_not_found");
  return entry;
}

const selectEntryOnBoard = replicatedQuery("reads", (db) =>
  db
    .select({
      isReady: sql<boolean>`f.is_ready`,
      points: sql<number | null>`f.points`.mapWith(wallet.points),
      events: sql`f.events`.mapWith(wallet.events),
      rank: sql`f.rank`.mapWith(Number),
    })
    .from(
      sql`read_board_entry(
        ${sql.placeholder("pointSystemId")}::uuid, ${sql.placeholder("key")}::text, ${sql.placeholder("label")}::text,
        ${asked}::bytea
      ) f`,
    )
    .prepare("find_entry_on_board"),
);

/** Finds a wallet on a named board, in one statement. */
async function findEntryOnBoard(
  pointSystemId: string,
  address: Address,
  board: BoardReference,
): Promise<WalletEntry | null> {
  const [found] = await selectEntryOnBoard({ pointSystemId, address, ...board });
  const { points, events, rank } = requireReady(found);
  return points === null ? null : { address, points, events, rank };
}
