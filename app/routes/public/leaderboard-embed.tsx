import type { HeadersFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { type ClientLoaderFunctionArgs, useLoaderData } from "@remix-run/react";
import type { PageHandle } from "../../components/page/page-handle";
import { BoardTable } from "../../components/public/board-table";
import { BoardTabs } from "../../components/public/board-tabs";
import { Branded } from "../../components/public/branded";
import { readOrKeep } from "../../components/public/last-known";
import { LiveMark } from "../../components/public/live-mark";
import { PublicProblem } from "../../components/public/problem";
import { useLive } from "../../components/public/use-live";
import { Count } from "../../components/ui/local";
import { page } from "../../http/page";
import { getPublicHeaders, readEmbeddedBoard } from "./board.server";

/**
 * The only page that other sites may frame: all that it shows is public, and it offers no actions.
 */
export const handle: PageHandle = { isEmbeddable: true };

export const loader = page(async ({ request, params, context }: LoaderFunctionArgs) => {
  const board = await readEmbeddedBoard(params.slug ?? "", new URL(request.url).searchParams);
  return { ...board, url: `${context.appOrigin}/l/${board.slug}` };
});

export const clientLoader = ({ request, serverLoader }: ClientLoaderFunctionArgs) =>
  readOrKeep(request.url, () => serverLoader<typeof loader>());

export const headers: HeadersFunction = getPublicHeaders;

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? [
        { title: `${data.name} leaderboard` },
        { name: "robots", content: "noindex" },
        { tagName: "link", rel: "canonical", href: data.url },
      ]
    : [];

export default function EmbeddedLeaderboard() {
  const data = useLoaderData<typeof clientLoader>();
  const { slug, name, leaderboard, total, limit, theme, url, board, boards, misses } = data;
  useLive(data, "first");
  return (
    <Branded brand={data}>
      <main
        data-theme={theme === "auto" ? undefined : theme}
        className="min-h-screen bg-raised text-sm text-ink"
      >
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
          <h1 className="min-w-0 break-words text-base font-semibold">{name}</h1>
          <p className="flex gap-x-4 text-xs text-ink-muted">
            <span className="whitespace-nowrap">
              <Count value={total} /> {total === 1 ? "wallet" : "wallets"}
            </span>
            <LiveMark misses={misses} />
          </p>
        </div>
        <div className="px-4 pb-3 empty:hidden sm:px-5">
          <BoardTabs
            board={board}
            boards={boards}
            path={`/l/${slug}/embed`}
            more={{ limit: String(limit), theme }}
          />
        </div>
        <BoardTable leaderboard={leaderboard} page={`${slug} ${board}`} isCompact />
        <p className="border-t border-line px-4 py-3 text-xs sm:px-5">
          <a
            href={url}
            target="_blank"
            rel="noopener"
            className="inline-flex min-h-6 items-center text-accent underline"
          >
            Full leaderboard<span className="sr-only"> (opens in a new tab)</span>
          </a>
        </p>
      </main>
    </Branded>
  );
}

export function ErrorBoundary() {
  return <PublicProblem />;
}
