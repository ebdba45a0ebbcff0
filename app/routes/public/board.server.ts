import type { HeadersArgs } from "@remix-run/node";
import { z } from "zod";
import { findPastedAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import {
  findPublicStanding,
  getPublicBoard,
  listBoardTabs,
  PUBLIC_PAGE_LIMIT,
} from "../../services/board/public-board";
import type { WalletEntry } from "../../services/board/wallets";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";
import { listWaysToEarn } from "../../services/point-systems/ways-to-earn";
import { listWalletStreaks } from "../../services/progress/streaks";
import { addTiers } from "../../services/progress/tiers";
import { listPublicRewards } from "../../services/rewards/public-rewards";
import { hasWalletLinks } from "../../services/wallet-links/list";

const PageNumber = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).catch(1);

const EmbedQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, PUBLIC_PAGE_LIMIT))
    .catch(10),
  theme: z.enum(["light", "dark", "auto"]).catch("auto"),
});

const TYPED_LENGTH_MAX = 300;

/**
 * Reads the board at `/l/:slug`: one page, or the page with the wallet that the reader searches for
 * (`?wallet=`).
 * @throws {Failure} `not_found`
 */
export async function readPublicBoard(slug: string, query: URLSearchParams) {
  const typed = (query.get("wallet") ?? "").trim().slice(0, TYPED_LENGTH_MAX);
  const address = typed === "" ? null : findPastedAddress(typed);
  const board = readBoardName(query);
  const standing = address && (await findPublicStanding(slug, address, board));
  const ownPage = standing ? Math.ceil(standing.rank / PUBLIC_PAGE_LIMIT) : 1;
  const page = query.has("page") ? PageNumber.parse(query.get("page")) : ownPage;
  const { leaderboard, pagination } = await getPublicBoard(slug, page, board);
  const missing = standing && (await findMissing(slug, standing, page, leaderboard, board));
  const look = await readLook(slug);
  const { id } = await getPublicPointSystem(slug);
  const [tiered] = await addTiers(id, standing ? [standing] : [], board === null);
  const streaks = standing ? await listWalletStreaks(id, standing.address) : [];
  const hasLinks = address !== null && standing === null && (await hasWalletLinks(id));
  const search = {
    typed,
    address,
    standing,
    hasLinks,
    missing,
    tier: tiered?.tier ?? null,
    streaks,
  };
  const rewards = await listPublicRewards(id);
  const ways = await listWaysToEarn(id);
  const boards = await listBoardTabs(slug, board);
  return { ...look, rewards, ways, leaderboard, pagination, search, board, boards, misses: 0 };
}

/**
 * Finds the points that a wallet lacks for the next better rank. Null for the first wallet, and when
 * the board changed meanwhile.
 */
async function findMissing(
  slug: string,
  { rank, points, address }: WalletEntry,
  page: number,
  leaderboard: readonly WalletEntry[],
  boardName: string | null,
): Promise<number | null> {
  if (rank === 1) return null;
  const nextPage = Math.ceil((rank - 1) / PUBLIC_PAGE_LIMIT);
  const board =
    nextPage === page ? leaderboard : (await getPublicBoard(slug, nextPage, boardName)).leaderboard;
  const next = board.find((entry) => entry.rank === rank - 1);
  if (!next || next.points < points) return null;
  // Of two wallets with the same points, the one with the lower address is ahead.
  return next.points - points + (address < next.address ? 0 : 1);
}

const BOARD_NAME_LENGTH_MAX = 100;

/** Reads the board's name from a page's query; null for the all-time board. */
function readBoardName(query: URLSearchParams): string | null {
  const name = query.get("board") ?? "";
  return name === "" || name === "all-time" ? null : name.slice(0, BOARD_NAME_LENGTH_MAX);
}

/**
 * Reads the board at `/l/:slug/embed`: the first wallets.
 * @throws {Failure} `not_found`
 */
export async function readEmbeddedBoard(slug: string, query: URLSearchParams) {
  const { limit, theme } = EmbedQuery.parse(Object.fromEntries(query));
  const board = readBoardName(query);
  const { leaderboard, pagination } = await getPublicBoard(slug, 1, board);
  const { total } = pagination;
  const look = { ...(await readLook(slug)), board, boards: await listBoardTabs(slug, board) };
  return { ...look, leaderboard: leaderboard.slice(0, limit), total, limit, theme, misses: 0 };
}

/** Reads the point system's name and look, and its slug as it is stored: a page has one address. */
async function readLook(typedSlug: string) {
  const { slug, name, intro, accent, logoUrl } = await getPublicPointSystem(typedSlug);
  if (slug === null) throw new Failure("not_found");
  return { slug, name, intro, accent, logoUrl: logoUrl && `/claim/${slug}/logo` };
}

/**
 * Returns the headers of a public page. It is private, since a shared cache would give one page,
 * with its policy's nonce, to all readers. The browser keeps it for less time than a live page
 * waits before it asks again. Answers with an error are not kept.
 */
export function getPublicHeaders({ errorHeaders }: HeadersArgs): Headers {
  return new Headers(errorHeaders ? {} : { "Cache-Control": "private, max-age=3" });
}
