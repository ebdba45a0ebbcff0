import { and, eq, not, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hotQuery } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import type { Pagination } from "../../domain/pagination";
import { isSlug } from "../../domain/point-systems/slug";
import { getPublicPointSystem } from "../point-systems/public-point-system";
import { createLimiter } from "../runtime/limiter";
import { createSingleFlightCache } from "../runtime/single-flight-cache";
import { listLeaderboard } from "./leaderboard";
import { rankOf } from "./ranking";
import type { WalletEntry } from "./wallets";

// This module is public: every answer of it can be on a public page.

/** The number of wallets on a page of a public board. */
export const PUBLIC_PAGE_LIMIT = 50;

/**
 * The time for which a board's first page is kept. Viewers poll every few seconds; the page is read
 * once in this time, however many they are.
 */
const KEEP_MS = 1_000;
const BOARDS_KEPT_MAX = 500;
/**
 * Limits for all other reads. They cost more the deeper into a board they go and need no sign-in,
 * so they leave most of the database's connections to other work.
 */
const DEEP_READS = { atOnceMax: 3, waitingMax: 100, waitMs: 3_000 };

/** A page of a public board. */
export interface PublicBoard {
  readonly leaderboard: readonly WalletEntry[];
  readonly pagination: Pagination;
}

const wallet = alias(wallets, "wallet");

const selectStanding = hotQuery((db) =>
  db
    .select({
      address: wallet.address,
      points: wallet.points,
      events: wallet.events,
      rank: rankOf(sql`wallet`),
    })
    .from(wallet)
    .where(
      and(
        eq(wallet.pointSystemId, sql.placeholder("pointSystemId")),
        eq(wallet.address, sql.param(sql.placeholder("address"), wallet.address)),
        not(wallet.isBlacklisted),
      ),
    )
    .prepare("select_public_standing"),
);

const keepFirstPage = createSingleFlightCache<PublicBoard>({
  keepMs: KEEP_MS,
  entriesMax: BOARDS_KEPT_MAX,
});

const limitDeepReads = createLimiter(DEEP_READS);

/**
 * Reads a page of a point system's public board, best first. The first page is at most a second
 * old.
 * @throws {Failure} `not_found` when no point system has this slug; `service_unavailable` when too
 *   many callers read other pages
 */
export async function getPublicBoard(slug: string, page: number): Promise<PublicBoard> {
  if (!isSlug(slug)) throw new Failure("not_found");
  if (page === 1) return keepFirstPage(slug, () => readBoard(slug, page));
  return limitDeepReads(() => readBoard(slug, page));
}

/**
 * Finds a wallet's standing on a public board. Null when it is not on the board, for any reason.
 * @throws {Failure} `not_found`, `service_unavailable` as above
 */
export async function findPublicStanding(
  slug: string,
  address: Address,
): Promise<WalletEntry | null> {
  if (!isSlug(slug)) throw new Failure("not_found");
  return limitDeepReads(async () => {
    const { id } = await getPublicPointSystem(slug);
    const [standing] = await selectStanding({ pointSystemId: id, address });
    return standing ?? null;
  });
}

async function readBoard(slug: string, page: number): Promise<PublicBoard> {
  const { id } = await getPublicPointSystem(slug);
  return listLeaderboard(id, { page, limit: PUBLIC_PAGE_LIMIT });
}
