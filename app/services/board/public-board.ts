import { and, eq, not, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hotQuery } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import {
  type BoardReference,
  parseBoardReference,
  toBoardName,
} from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";
import type { Pagination } from "../../domain/pagination";
import { findSlug } from "../../domain/point-systems/slug";
import type { Tier } from "../../domain/progress/tier";
import { parseUuid } from "../../domain/uuid";
import { getPublicPointSystem } from "../point-systems/public-point-system";
import { addTiers } from "../progress/tiers";
import { createLimiter } from "../runtime/limiter";
import { createSingleFlightCache } from "../runtime/single-flight-cache";
import { listBoards } from "./board-list";
import { listLeaderboard } from "./leaderboard";
import { findNamedBoard } from "./named-board";
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
 * so they leave most of the database's connections to other work, and those of one board a place to others.
 */
const DEEP_READS = { atOnceMax: 3, waitingMax: 100, waitMs: 3_000, partOfGroup: 2 / 3 };

/** A page of a public board. */
export interface PublicBoard {
  readonly leaderboard: readonly (WalletEntry & { readonly tier: Tier | null })[];
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
 * @param board a board's name in calls; null for the all-time board
 * @throws {Failure} `not_found` when no point system has this slug, or it has no such public board;
 *   `service_unavailable` when too many callers read other pages
 */
export async function getPublicBoard(
  typedSlug: string,
  page: number,
  board: string | null = null,
): Promise<PublicBoard> {
  const slug = getSlug(typedSlug);
  const read = async () => readBoard(slug, page, await findReference(slug, board));
  const isPresent =
    board === null || (await listPublicBoards(slug)).some(({ name }) => name === board);
  return page === 1 && isPresent
    ? keepFirstPage(`${slug} ${board}`, read)
    : limitDeepReads(read, slug);
}

/**
 * Finds a wallet's standing on a public board. Null when it is not on the board, for any reason.
 * @throws {Failure} `not_found`, `service_unavailable` as above
 */
export async function findPublicStanding(
  typedSlug: string,
  address: Address,
  board: string | null = null,
): Promise<WalletEntry | null> {
  const slug = getSlug(typedSlug);
  return limitDeepReads(async () => {
    const { id } = await getPublicPointSystem(slug);
    const reference = await findReference(slug, board);
    const boardId = reference ? (await findNamedBoard(id, reference)).windowId : id;
    const [standing] = boardId ? await selectStanding({ pointSystemId: boardId, address }) : [];
    return standing ?? null;
  }, slug);
}

/** A board that a public page has a tab for. */
export interface PublicBoardTab {
  /** Its name in calls, and in the page's query. */
  readonly name: string;
  readonly title: string;
}

const keepBoards = createSingleFlightCache<readonly PublicBoardTab[]>({
  keepMs: KEEP_MS,
  entriesMax: BOARDS_KEPT_MAX,
});

/**
 * Lists the tabs of a public page beside its all-time board, and the one of the board that it shows.
 * @param board as in `getPublicBoard`
 * @throws {Failure} `not_found`
 */
export async function listBoardTabs(
  slug: string,
  board: string | null,
): Promise<readonly PublicBoardTab[]> {
  const boards = await listPublicBoards(getSlug(slug));
  // Boards that repeat come first, so only a season can lie beyond.
  return boards.filter(({ name }, i) => i < TABS_MAX || name === board);
}

/** Lists the public boards of a point system beside its all-time board, at most a second old. */
async function listPublicBoards(slug: string): Promise<readonly PublicBoardTab[]> {
  return keepBoards(slug, async () => {
    const { id } = await getPublicPointSystem(slug);
    const boards = await listBoards(id);
    return boards
      .filter(({ isPublic, state }) => isPublic && state !== "filling" && state !== "scheduled")
      .map(({ kind, slug: season, name }) => ({ name: toBoardName(kind, season), title: name }));
  });
}

/** The tabs of a public page beside that of its board: the newest seasons come first. */
const TABS_MAX = 12;

/** Finds the public board that a page's query names, in a past window too. */
async function findReference(
  slug: string,
  board: string | null,
): Promise<BoardReference | undefined> {
  if (board === null) return undefined;
  const reference = parseBoardReference(board);
  if (reference === null || reference === "all-time") throw new Failure("not_found");
  const boards = await listPublicBoards(slug);
  const name = reference.label === null ? board : board.slice(0, board.indexOf(":"));
  if (!boards.some((one) => one.name === name)) throw new Failure("not_found");
  return reference;
}

/** Reads the slug of a board's page. An id is none: a point system without a slug keeps its board to itself. */
function getSlug(typed: string): string {
  const slug = parseUuid(typed) ? null : findSlug(typed);
  if (slug === null) throw new Failure("not_found");
  return slug;
}

async function readBoard(
  slug: string,
  page: number,
  board: BoardReference | undefined,
): Promise<PublicBoard> {
  const { id } = await getPublicPointSystem(slug);
  const list = await listLeaderboard(id, { page, limit: PUBLIC_PAGE_LIMIT }, board);
  return { ...list, leaderboard: await addTiers(id, list.leaderboard, board === undefined) };
}
