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
 * Reads the board at `/l/:slug`: one page, or the page with the wallet that the reader searches for
 * (`?wallet=`).
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

/**
 * Reads the board at `/l/:slug/embed`: the first wallets.
 * @throws {Failure} `not_found`
 */
export async function readEmbeddedBoard(slug: string, query: URLSearchParams) {
  const { limit, theme } = EmbedQuery.parse(Object.fromEntries(query));
  const { leaderboard, pagination } = await getPublicBoard(slug, 1);
  const { total } = pagination;
  const look = await readLook(slug);
  return { ...look, leaderboard: leaderboard.slice(0, limit), total, theme, misses: 0 };
}

/** Reads the point system's name and look. */
async function readLook(slug: string) {
  const { name, intro, accent, logoUrl } = await getPublicPointSystem(slug);
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

/**
 * Reads the typed wallet. Returns null when the text is not one. ENS names would be resolved here.
 */
async function findAddress(typed: string): Promise<Address | null> {
  return parseAddress(typed);
}
