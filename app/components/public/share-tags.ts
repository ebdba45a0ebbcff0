import type { MetaDescriptor } from "@remix-run/react";
import { shortenAddress } from "../../domain/address";
import { SHARE_SIZE } from "../../domain/board/share-picture";

interface SharedBoard {
  readonly slug: string;
  readonly name: string;
  readonly origin: string;
  /** The board's name in the page's query; null for the all-time board. */
  readonly board: string | null;
  readonly leaderboard: readonly { readonly address: string; readonly points: number }[];
  readonly pagination: { readonly page: number; readonly total: number };
  readonly search: { readonly typed: string };
}

/** Formats a number in English: the readers of these tags are other sites. */
const format = (count: number) => new Intl.NumberFormat("en").format(count);

/** Describes a public board for search engines and messengers. */
export function describeBoard(board: SharedBoard): MetaDescriptor[] {
  const { slug, name, origin, pagination, search } = board;
  const path = `${origin}/l/${slug}`;
  const title = `${name} leaderboard`;
  const description = summarize(board);
  const query = new URLSearchParams();
  if (board.board !== null) query.set("board", board.board);
  if (pagination.page > 1 && search.typed === "") query.set("page", String(pagination.page));
  const url = query.size === 0 ? path : `${path}?${query}`;
  const image = `${path}/share.png`;
  const alt = `${name}: the first wallets of the leaderboard and their points`;
  return [
    { title },
    { name: "description", content: description },
    { tagName: "link", rel: "canonical", href: url },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: "Points and Rewards" },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: url },
    { property: "og:image", content: image },
    { property: "og:image:type", content: "image/png" },
    { property: "og:image:width", content: String(SHARE_SIZE.width) },
    { property: "og:image:height", content: String(SHARE_SIZE.height) },
    { property: "og:image:alt", content: alt },
    { name: "twitter:card", content: "summary_large_image" },
    { name: "twitter:title", content: title },
    { name: "twitter:description", content: description },
    { name: "twitter:image", content: image },
    { name: "twitter:image:alt", content: alt },
  ];
}

function summarize({ leaderboard, pagination: { page, total } }: SharedBoard): string {
  const [top] = leaderboard;
  if (!top) return "No wallets on the board yet.";
  const wallets = `${format(total)} ${total === 1 ? "wallet" : "wallets"} on the board`;
  if (page > 1) return `${wallets}. Page ${format(page)}.`;
  return `${wallets}. ${shortenAddress(top.address)} leads with ${format(top.points)} points.`;
}
