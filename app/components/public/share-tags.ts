import type { MetaDescriptor } from "@remix-run/react";
import { shortenAddress } from "../../domain/address";

interface SharedBoard {
  readonly slug: string;
  readonly name: string;
  readonly origin: string;
  readonly leaderboard: readonly { readonly address: string; readonly points: number }[];
  readonly pagination: { readonly page: number; readonly total: number };
  readonly search: { readonly typed: string };
}

/** Formats a number in English: the readers of these tags are other sites. */
const format = (count: number) => new Intl.NumberFormat("en").format(count);

/** Describes a public board for search engines and messengers. */
export function describeBoard(board: SharedBoard): MetaDescriptor[] {
  const { slug, name, origin, pagination, search } = board;
  const title = `${name} leaderboard`;
  const description = summarize(board);
  const first = `${origin}/l/${slug}`;
  const isOfPage = pagination.page > 1 && search.typed === "";
  const url = isOfPage ? `${first}?page=${pagination.page}` : first;
  const image = `${origin}/leaderboard-preview.png`;
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
    { property: "og:image:width", content: "1200" },
    { property: "og:image:height", content: "630" },
    { property: "og:image:alt", content: "A leaderboard of wallets and their points" },
    { name: "twitter:card", content: "summary_large_image" },
    { name: "twitter:title", content: title },
    { name: "twitter:description", content: description },
    { name: "twitter:image", content: image },
  ];
}

function summarize({ leaderboard, pagination: { page, total } }: SharedBoard): string {
  const [top] = leaderboard;
  if (!top) return "No wallets on the board yet.";
  const wallets = `${format(total)} ${total === 1 ? "wallet" : "wallets"} on the board`;
  if (page > 1) return `${wallets}. Page ${format(page)}.`;
  return `${wallets}. ${shortenAddress(top.address)} leads with ${format(top.points)} points.`;
}
