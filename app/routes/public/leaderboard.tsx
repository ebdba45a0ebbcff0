import type { HeadersFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { type ClientLoaderFunctionArgs, Link, useLoaderData } from "@remix-run/react";
import { Brand } from "../../components/page/brand";
import { PageHeader } from "../../components/page/page-header";
import { BoardTable } from "../../components/public/board-table";
import { BoardTabs } from "../../components/public/board-tabs";
import { Branded } from "../../components/public/branded";
import { readOrKeep } from "../../components/public/last-known";
import { LiveMark } from "../../components/public/live-mark";
import { PublicProblem } from "../../components/public/problem";
import { PublicRewards } from "../../components/public/reward-list";
import { describeBoard } from "../../components/public/share-tags";
import { TopThree } from "../../components/public/top-three";
import { useLive } from "../../components/public/use-live";
import { WalletSearch } from "../../components/public/wallet-search";
import { WaysToEarn } from "../../components/public/ways-to-earn";
import { EmptyState } from "../../components/ui/empty-state";
import { Count } from "../../components/ui/local";
import { Pager } from "../../components/ui/pager";
import { page } from "../../http/page";
import { getPublicHeaders, readPublicBoard } from "./board.server";

// This page is public. It never reads the session, and so neither reads nor sets a cookie.

export const loader = page(async ({ request, params, context }: LoaderFunctionArgs) => {
  const board = await readPublicBoard(params.slug ?? "", new URL(request.url).searchParams);
  return { ...board, origin: context.appOrigin };
});

export const clientLoader = ({ request, serverLoader }: ClientLoaderFunctionArgs) =>
  readOrKeep(request.url, () => serverLoader<typeof loader>());

export const headers: HeadersFunction = getPublicHeaders;

export const meta: MetaFunction<typeof loader> = ({ data }) => (data ? describeBoard(data) : []);

export default function PublicLeaderboard() {
  const data = useLoaderData<typeof clientLoader>();
  const { slug, name, intro, logoUrl, rewards, ways, leaderboard, pagination, search } = data;
  const { board, boards, misses } = data;
  useLive(data, pagination.page === 1 && search.address === null ? "first" : "other");
  const path = `/l/${slug}`;
  const ofBoard = board === null ? path : `${path}?board=${board}`;
  const isPastEnd = leaderboard.length === 0 && pagination.total > 0;
  return (
    <Branded brand={data}>
      <main className="mx-auto max-w-3xl px-4 py-8 sm:px-6 sm:py-14">
        {logoUrl && <img src={logoUrl} alt="" className="mb-3 h-14 max-w-48 object-contain" />}
        <PageHeader
          title={name}
          description={
            <>
              {intro && <p className="mb-2 whitespace-pre-line break-words">{intro}</p>}
              <p className="flex flex-wrap items-center gap-x-4">
                <span>
                  <Count value={pagination.total} /> {pagination.total === 1 ? "wallet" : "wallets"}
                </span>
                <LiveMark misses={misses} />
              </p>
            </>
          }
        />
        <PublicRewards rewards={rewards} slug={slug} />
        <WaysToEarn ways={ways} />
        <div className="mt-6 empty:hidden">
          <BoardTabs board={board} boards={boards} path={path} />
        </div>
        {pagination.page === 1 && search.typed === "" && <TopThree leaders={leaderboard} />}
        <WalletSearch key={`${board} ${search.typed}`} search={search} path={path} board={board} />
        <section
          aria-label="Leaderboard"
          className="mt-6 overflow-hidden rounded-xl border border-line bg-raised shadow-sm"
        >
          {isPastEnd ? (
            <EmptyState heading="The board ends before this page">
              <Link to={ofBoard} className="text-accent underline">
                Show the first page
              </Link>
            </EmptyState>
          ) : (
            <BoardTable
              leaderboard={leaderboard}
              page={`${slug} ${board} ${pagination.page}`}
              markedAddress={search.standing?.address ?? null}
            />
          )}
        </section>
        <Pager
          page={pagination.page}
          totalPages={pagination.totalPages}
          total={pagination.total}
          makeHref={(number) =>
            number === 1 ? ofBoard : `${ofBoard}${board === null ? "?" : "&"}page=${number}`
          }
          label="wallets"
        />
        <footer className="mt-12 text-sm text-ink-muted">
          <Brand />
        </footer>
      </main>
    </Branded>
  );
}

export function ErrorBoundary() {
  return <PublicProblem />;
}
