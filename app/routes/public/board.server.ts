import type { HeadersArgs } from "@remix-run/node";
import { z } from "zod";
import { type Address, parseAddress } from "../../domain/address";
import {
  findPublicStanding,
  getPublicBoard,
  PUBLIC_PAGE_LIMIT,
} from "../../services/board/public-board";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";

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

const TYPED_LENGTH_MAX = 100;

/**
 * What `/l/:slug` shows: a page of the board, or the one that the wallet is on that the reader
 * looks for (`?wallet=`).
 * @throws {Failure} `not_found`
 */
export async function readPublicBoard(slug: string, query: URLSearchParams) {
  const typed = (query.get("wallet") ?? "").trim().slice(0, TYPED_LENGTH_MAX);
  const address = typed === "" ? null : await findAddress(typed);
  const standing = address && (await findPublicStanding(slug, address));
  const ownPage = standing ? Math.ceil(standing.rank / PUBLIC_PAGE_LIMIT) : 1;
  const page = query.has("page") ? PageNumber.parse(query.get("page")) : ownPage;
  const { leaderboard, pagination } = await getPublicBoard(slug, page);
  const search = { typed, address, standing };
  return { ...(await readLook(slug)), leaderboard, pagination, search, misses: 0 };
}

/** What `/l/:slug/embed` shows: the first wallets. */
export async function readEmbeddedBoard(slug: string, query: URLSearchParams) {
  const { limit, theme } = EmbedQuery.parse(Object.fromEntries(query));
  const { leaderboard, pagination } = await getPublicBoard(slug, 1);
  const { total } = pagination;
  const look = await readLook(slug);
  return { ...look, leaderboard: leaderboard.slice(0, limit), total, theme, misses: 0 };
}

/** Whose board it is, and how it looks. */
async function readLook(slug: string) {
  const { name, intro, accent, logoUrl } = await getPublicPointSystem(slug);
  return { slug, name, intro, accent, logoUrl: logoUrl && `/claim/${slug}/logo` };
}

/**
 * The headers of a public page. Private: a shared cache would hand one page, with its policy's
 * nonce, to all. In the browser it is kept for less than the time after which a live page asks
 * again. What is missing or broken is not kept.
 */
export function getPublicHeaders({ errorHeaders }: HeadersArgs): Headers {
  return new Headers(errorHeaders ? {} : { "Cache-Control": "private, max-age=3" });
}

/** The wallet that somebody typed. Null when it is none. Names are to be resolved here. */
async function findAddress(typed: string): Promise<Address | null> {
  return parseAddress(typed);
}
